#include "nameplate/api/resolve_training.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/training.h"
#include "nameplate/api/resolve.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/inputs/model_config.h"

namespace nameplate {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

Status use(LoadedRun& run, Result<Architecture> changed, std::string_view key, const std::vector<std::string>& words) {
  if (!changed.ok()) {
    Error bad = changed.error();
    bad.found = fmt::format("{}: {}", key, bad.found);
    return bad;
  }
  run.facts.architecture = std::move(changed).value();
  add_input(run, std::string(key), joined(words), Origin::manifest, run.manifest.file());
  return std::nullopt;
}

Status resolve_lora(LoadedRun& run) {
  const auto rank = find_integer(run, "model.lora_rank");
  if (!rank) return std::nullopt;
  std::vector<std::string> targets = run.manifest.texts("model.lora_targets");
  if (targets.empty()) {
    targets = {"q_proj", "v_proj"};
    run.assumptions.push_back({"lora.targets_assumed", {}});
  }
  return use(run, with_lora(*run.facts.architecture, rank->value, targets), "model.lora_targets", targets);
}

Result<Architecture> architecture_from_config(const std::string& path, LoadedRun& run) {
  NAMEPLATE_TRY(ModelConfig config, read_model_config_file(path));
  run.assumptions.insert(run.assumptions.end(), config.assumptions.begin(), config.assumptions.end());
  run.defects.insert(run.defects.end(), config.defects.begin(), config.defects.end());
  if (!config.decoder) return std::move(config.rest);
  if (Status bad = check(*config.decoder)) {
    bad->place.file = path;
    return *bad;
  }
  return build_decoder(*config.decoder, std::move(config.rest));
}

// A configuration file, beside the manifest or where a flag says; else a name of the catalogue.
Result<Architecture> forward_model(const Catalogue& catalogue, const std::string& word, LoadedRun& run) {
  const std::string beside = run.manifest.folder() + "/" + word;
  const std::string path = !run.manifest.folder().empty() && file_exists(beside) ? beside : word;
  if (file_exists(path) || word.ends_with(".json")) {
    NAMEPLATE_TRY(Architecture model, architecture_from_config(path, run));
    if (model.name.empty()) model.name = word;
    return model;
  }
  NAMEPLATE_TRY(const CatalogueModel* model, catalogue.find_model(word));
  return build_decoder(model->shape);
}

// Sequences of the lengths that occur, each with how often.
Workload lengths_workload(const std::vector<std::int64_t>& lengths) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t length : lengths) ++counts[length];
  Workload workload;
  for (const auto& [length, count] : counts) workload.batch.push_back({length, count});
  return workload;
}

}  // namespace

Status resolve_operators(LoadedRun& run) {
  if (!run.facts.architecture) return std::nullopt;
  if (Status bad = resolve_lora(run)) return bad;
  struct Change {
    std::string_view key;
    Result<Architecture> (*change)(Architecture, std::span<const std::string>);
  };
  const Change changes[] = {
      {"model.frozen", with_frozen},
      {"training.recompute_operators", with_recomputed},
      {"training.fp8",
       [](Architecture a, std::span<const std::string> s) { return with_precision(std::move(a), Precision::fp8, s); }},
      {"training.fp4",
       [](Architecture a, std::span<const std::string> s) { return with_precision(std::move(a), Precision::fp4, s); }},
  };
  for (const Change& change : changes) {
    const std::vector<std::string> selectors = run.manifest.texts(change.key);
    if (selectors.empty()) continue;
    if (Status bad = use(run, change.change(*run.facts.architecture, selectors), change.key, selectors)) return bad;
  }
  if (!run.manifest.texts("training.recompute_operators").empty()) run.facts.recompute_known = true;
  return std::nullopt;
}

Status resolve_forward_models(const Catalogue& catalogue, LoadedRun& run) {
  constexpr std::string_view kKey = "training.forward_models";
  const std::vector<std::string> words = run.manifest.texts(kKey);
  if (words.empty() || !run.facts.architecture) return std::nullopt;
  Architecture all = *run.facts.architecture;
  for (const std::string& word : words) {
    Result<Architecture> other = forward_model(catalogue, word, run);
    if (!other.ok()) return other.error();
    Result<Architecture> both = with_forward_model(std::move(all), *other);
    if (!both.ok()) return both.error();
    all = std::move(both).value();
  }
  return use(run, std::move(all), kKey, words);
}

Status resolve_lengths(LoadedRun& run) {
  std::vector<std::int64_t> lengths = run.manifest.integers("data.lengths");
  if (const auto mean = run.manifest.number("data.mean_length"); mean && lengths.empty()) {
    lengths = {std::llround(mean->value)};
    add_input(run, "data.mean_length", fmt::format("{}", lengths[0]), mean->origin, mean->detail);
  }
  if (lengths.empty() || !run.facts.sequence_length) return std::nullopt;
  const std::int64_t sequence = *run.facts.sequence_length;
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  if (*least < 1 || *most > sequence) {
    return error(fmt::format("data: samples of {} to {} tokens in sequences of {}", *least, *most, sequence),
                 "lengths from 1 to training.seq_len");
  }
  run.facts.samples = lengths_workload(lengths);
  if (run.manifest.flag("data.packing")) return std::nullopt;  // packed whole: nothing is padded
  const auto count = static_cast<std::int64_t>(lengths.size());
  run.facts.samples->padded_units = count * sequence - static_cast<std::int64_t>(units(*run.facts.samples));
  return std::nullopt;
}

}  // namespace nameplate
