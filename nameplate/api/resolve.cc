#include "nameplate/api/resolve.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include <fmt/format.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/training.h"
#include "nameplate/api/memory.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/decoder_keys.h"
#include "nameplate/inputs/model_config.h"
#include "nameplate/inputs/operator_list.h"
#include "nameplate/report/format.h"

namespace nameplate {
namespace {

const LogFact* log_fact(const LoadedRun& run, std::string_view key) {
  if (!run.log) return nullptr;
  for (const LogFact& fact : run.log->facts) {
    if (fact.key == key) return &fact;
  }
  return nullptr;
}

std::string place(const Evidence& evidence) { return fmt::format("{}:{}", evidence.file, evidence.line); }

// --- model
// --------------------------------------------------------------------------------------------------------------

void use_architecture(LoadedRun& run, Architecture architecture, Origin origin, const std::string& detail) {
  run.model_name = architecture.name.empty() ? "model" : architecture.name;
  run.facts.architecture = std::move(architecture);
  add_input(run, "model", run.model_name, origin, detail);
}

// `towers` come before the decoder in a vision-language model.
Status use_shape(LoadedRun& run, const DecoderShape& shape, Origin origin, const std::string& detail,
                 Architecture towers = {}) {
  if (Status bad = check(shape)) {
    bad->place.file = detail;
    return bad;
  }
  use_architecture(run, build_decoder(shape, std::move(towers)), origin, detail);
  return std::nullopt;
}

// [model.dimensions]: what a configuration leaves open, such as the size of an image.
ModelDimensions model_dimensions(const Manifest& manifest) {
  ModelDimensions dimensions;
  const Node* table = manifest.table("model.dimensions");
  if (table == nullptr) return dimensions;
  for (const auto& [key, value] : table->members) dimensions[key] = value.as_integer().value_or(0);
  return dimensions;
}

Status model_from_config(LoadedRun& run, const std::string& path, Origin origin) {
  Result<ModelConfig> config = read_model_config_file(path, model_dimensions(run.manifest));
  if (!config.ok()) return config.error();
  run.assumptions.insert(run.assumptions.end(), config->assumptions.begin(), config->assumptions.end());
  run.defects.insert(run.defects.end(), config->defects.begin(), config->defects.end());
  if (config->decoder) return use_shape(run, *config->decoder, origin, path, std::move(config->rest));
  use_architecture(run, std::move(config->rest), origin, path);
  return std::nullopt;
}

Status model_from_name(const Catalogue& catalogue, LoadedRun& run, const Known<std::string>& name) {
  const Result<const CatalogueModel*> model = catalogue.find_model(name.value);
  if (!model.ok()) return model.error();
  if (!model_dimensions(run.manifest).empty()) return error(fmt::format("'{}' leaves no dimension open", name.value));
  return use_shape(run, (*model)->shape, name.origin, fmt::format("{}; catalogue", name.detail));
}

// [model] with a list of operators, or with a decoder's dimensions.
Status model_in_place(LoadedRun& run, const Node& table) {
  const std::string& file = run.manifest.file();
  if (table.find("blocks") != nullptr) {
    Result<Architecture> listed = read_operator_list(table, file);
    if (!listed.ok()) return listed.error();
    use_architecture(run, std::move(listed).value(), Origin::manifest, file);
    return std::nullopt;
  }
  Result<DecoderShape> shape = read_decoder_shape(table, file);
  if (!shape.ok()) return shape.error();
  if (const auto name = run.manifest.text("model.name")) shape->name = name->value;
  return use_shape(run, *shape, Origin::manifest, file);
}

// Dimensions that the log prints, as a table with the manifest's own keys.
Status model_from_log(const Catalogue& catalogue, LoadedRun& run) {
  if (!run.log) return std::nullopt;
  if (const LogFact* name = log_fact(run, "model.name")) {
    const Result<const CatalogueModel*> model = catalogue.find_model(name->value);
    if (model.ok()) return use_shape(run, (*model)->shape, Origin::log, place(name->evidence));
  }
  Node table{.kind = Node::Kind::object};
  std::string where;
  for (const LogFact& fact : run.log->facts) {
    if (!fact.key.starts_with("model.") || fact.key == "model.name" || fact.key == "model.parameters") continue;
    const auto integer = parse_integer(fact.value);
    Node value{.kind = Node::Kind::boolean, .boolean = fact.value == "true"};
    if (integer) value = {.kind = Node::Kind::integer, .integer = *integer, .number = static_cast<double>(*integer)};
    table.members.emplace_back(fact.key.substr(6), std::move(value));
    if (where.empty()) where = place(fact.evidence);
  }
  const Result<DecoderShape> shape = read_decoder_shape(table, run.log->files.front());
  if (!shape.ok()) return std::nullopt;  // not enough of them: the report asks for the model
  run.assumptions.push_back({"model.from_log", {{"where", where}}});
  return use_shape(run, *shape, Origin::log, where);
}

// --- training
// -----------------------------------------------------------------------------------------------------------

constexpr std::string_view kPlanKeys[] = {"plan.tp", "plan.pp", "plan.cp", "plan.dp"};

// Accelerators as the product of the degrees, when all that matter are known.
void count_from_plan(LoadedRun& run) {
  std::int64_t product = 1;
  bool any_dp = false;
  for (std::string_view key : kPlanKeys) {
    const auto degree = run.manifest.integer(key);
    const LogFact* logged = log_fact(run, key);
    const auto value = degree ? std::optional(degree->value) : logged ? parse_integer(logged->value) : std::nullopt;
    if (!value || *value < 1) continue;
    product *= *value;
    any_dp |= key == "plan.dp";
  }
  if (!any_dp) return;
  run.facts.accelerators = product;
  add_input(run, "cluster.count", fmt::format("{}", product), Origin::derived, "tp x pp x cp x dp");
}

// The stated degrees against the number of accelerators: all four must multiply to it, some of them divide it.
Status check_plan(LoadedRun& run, const Known<std::int64_t>& count) {
  std::int64_t product = 1;
  bool stated = false, has_dp = false;
  for (std::string_view key : kPlanKeys) {
    const auto degree = run.manifest.integer(key);
    if (!degree || degree->value < 1 || degree->value > count.value) continue;
    stated = true;
    has_dp |= key == "plan.dp";
    product *= degree->value;
    if (product > count.value) break;
  }
  const bool fits = has_dp ? product == count.value : count.value % product == 0;
  if (!stated || fits) return std::nullopt;
  Error bad = error(fmt::format("tp x pp x cp x dp is {} for {} accelerators", product, count.value),
                    "correct [plan] or cluster.count");
  bad.place.file = run.manifest.file();
  return bad;
}

Status resolve_precision(LoadedRun& run) {
  if (const auto text = find_text(run, "training.precision")) {
    if (const auto precision = parse_precision(text->value)) {
      run.precision = *precision;
      return std::nullopt;
    }
    if (text->origin != Origin::log) {
      return error(fmt::format("unknown precision '{}' ({})", text->value, text->detail),
                   "bf16, fp16, fp8, fp4, tf32, fp32, fp64 or int8");
    }
    add_defect(run.defects, {"precision.unknown", {{"precision", text->value}}}, Severity::error);
  }
  run.assumptions.push_back({"precision.assumed", {{"precision", std::string(name(run.precision))}}});
  return std::nullopt;
}

void resolve_recompute(LoadedRun& run) {
  const auto text = find_text(run, "training.recompute");
  if (!text) return;
  if (const Result<RecomputeChoice> choice = parse_recompute(text->value); choice.ok()) {
    run.facts.recompute = choice->recompute;
    run.facts.recompute_known = true;
  }
  if (run.facts.recompute == Recompute::selective) run.assumptions.push_back({"recompute.selective", {}});
}

// --- accelerator
// --------------------------------------------------------------------------------------------------------

std::string join_names(const std::vector<const Accelerator*>& candidates) {
  std::string names;
  for (const Accelerator* candidate : candidates) names += (names.empty() ? "" : ", ") + candidate->sku;
  return names;
}

// The dense peak that all candidates share; nothing when they differ or one has none.
const Peak* shared_peak(const std::vector<const Accelerator*>& candidates, Precision precision) {
  const Peak* shared = nullptr;
  for (const Accelerator* candidate : candidates) {
    const Peak* peak = dense_peak(*candidate, precision);
    if (peak == nullptr || (shared != nullptr && peak->rate != shared->rate)) return nullptr;
    shared = peak;
  }
  return shared;
}

// With operators in other precisions: the rate at which the whole step's FLOPs would run if each ran at the peak of its
// own, the harmonic mean weighted by FLOPs. Nothing when one of them has no peak.
std::optional<FlopsPerSecond> mixed_peak(LoadedRun& run, const std::vector<const Accelerator*>& candidates) {
  Workload workload = run.facts.workload.value_or(uniform_workload(1, run.facts.sequence_length.value_or(8192)));
  workload.precision = run.precision;
  double seconds = 0;
  std::vector<PrecisionPeak> mix;
  for (const PrecisionShare& share : precision_shares(*run.facts.architecture, workload)) {
    const Peak* peak = shared_peak(candidates, share.precision);
    if (peak == nullptr) {
      add_defect(
          run.defects,
          {"accelerator.no_peak", {{"name", run.accelerator}, {"precision", std::string(name(share.precision))}}},
          Severity::error);
      return std::nullopt;
    }
    seconds += share.share_ratio / peak->rate.base();
    mix.push_back({share.precision, share.share_ratio, peak->rate});
  }
  if (mix.empty()) return std::nullopt;
  run.mix = std::move(mix);
  return tflops_per_s(1e-12 / seconds);
}

bool is_mixed(const LoadedRun& run) {
  if (!run.facts.architecture) return false;
  for (const Block& block : run.facts.architecture->blocks) {
    for (const Operator& op : block.operators) {
      if (op.precision && *op.precision != run.precision) return true;
    }
  }
  return false;
}

void use_peak(LoadedRun& run, const Accelerator& accelerator, const Peak& peak) {
  run.facts.peak = peak.rate;
  run.peak_source = fmt::format("catalogue: {}", run.accelerator);
  add_input(run, "cluster.peak", human("", peak.rate.base(), "FLOP/s"), Origin::catalogue, peak.source.text);
  if (const AchievableMatmul* best = achievable_matmul(accelerator, run.precision)) {
    run.facts.achievable = best->rate;
    run.achievable_source = best->source.text;
  }
}

// The peak that the user states.
void use_stated_peak(LoadedRun& run, const Known<FlopsPerSecond>& peak) {
  run.facts.peak = peak.value;
  const auto source = run.manifest.text("cluster.peak_source");
  run.peak_source = source ? source->value : fmt::format("stated ({})", peak.detail);
  add_input(run, "cluster.peak", human("", peak.value.base(), "FLOP/s"), peak.origin, peak.detail);
}

// A precision that the part does not have (V100: no bf16) and that was only assumed gives way to 16-bit float.
void adapt_precision(LoadedRun& run, const std::vector<const Accelerator*>& candidates) {
  const auto assumed = std::find_if(run.assumptions.begin(), run.assumptions.end(),
                                    [](const Assumption& a) { return a.id == "precision.assumed"; });
  if (assumed == run.assumptions.end() || shared_peak(candidates, run.precision) != nullptr) return;
  if (shared_peak(candidates, Precision::fp16) == nullptr) return;
  run.precision = Precision::fp16;
  *assumed = {"precision.assumed", {{"precision", "fp16"}}};
}

Status resolve_named_accelerator(const Catalogue& catalogue, LoadedRun& run, const Known<std::string>& named,
                                 bool peak_stated) {
  const Result<AcceleratorMatch> match = catalogue.resolve_accelerator(named.value);
  const bool asked = named.origin == Origin::flag || named.origin == Origin::manifest;
  run.accelerator = named.value;
  if (!match.ok()) {
    if (peak_stated) return std::nullopt;
    if (asked) return match.error();
    add_defect(run.defects, {"accelerator.unknown", {{"name", named.value}}}, Severity::error);
    return std::nullopt;
  }
  const auto& candidates = match->candidates;
  run.accelerator = match->exact ? candidates.front()->sku : named.value;
  if (peak_stated) return std::nullopt;
  adapt_precision(run, candidates);
  if (const Peak* peak = shared_peak(candidates, run.precision)) {
    if (!match->exact) {
      run.assumptions.push_back(
          {"accelerator.shared_peak", {{"name", named.value}, {"candidates", join_names(candidates)}}});
    }
    use_peak(run, *candidates.front(), *peak);
    if (is_mixed(run)) {
      run.facts.peak = mixed_peak(run, candidates);
      run.facts.achievable.reset();
      run.peak_source += ", weighted by the FLOPs in each precision";
    }
    return std::nullopt;
  }
  if (match->exact) {
    add_defect(run.defects,
               {"accelerator.no_peak", {{"name", run.accelerator}, {"precision", std::string(name(run.precision))}}},
               Severity::error);
    return std::nullopt;
  }
  Error ambiguous = error(fmt::format("'{}' may be {}, whose peaks differ", named.value, join_names(candidates)),
                          "name one with --accelerator, or state the peak with --peak \"989 TFLOP/s\"");
  if (asked) return ambiguous;
  add_defect(run.defects, {"accelerator.ambiguous", {{"name", named.value}, {"candidates", join_names(candidates)}}},
             Severity::error);
  return std::nullopt;
}

}  // namespace

void add_input(LoadedRun& run, std::string key, std::string value, Origin origin, std::string detail) {
  run.inputs.push_back({std::move(key), std::move(value), origin, std::move(detail)});
}

std::optional<Known<std::string>> find_text(LoadedRun& run, const std::string& key) {
  std::optional<Known<std::string>> known = run.manifest.text(key);
  if (!known) {
    if (const LogFact* fact = log_fact(run, key))
      known = Known<std::string>{fact->value, Origin::log, place(fact->evidence)};
  }
  if (known) add_input(run, key, known->value, known->origin, known->detail);
  return known;
}

std::optional<Known<std::int64_t>> find_integer(LoadedRun& run, const std::string& key) {
  const auto text = find_text(run, key);
  const auto value = text ? parse_integer(text->value) : std::nullopt;
  if (!value || *value <= 0) return std::nullopt;
  return Known<std::int64_t>{*value, text->origin, text->detail};
}

Result<const Catalogue*> open_catalogue(const std::string& data_directory) {
  if (data_directory.empty()) return &Catalogue::embedded();
  static std::mutex mutex;
  static std::deque<Catalogue> overlays;  // their entries are pointed to as long as the program runs
  Result<Catalogue> catalogue = Catalogue::load(data_directory);
  if (!catalogue.ok()) return catalogue.error();
  const std::lock_guard lock(mutex);
  overlays.push_back(std::move(catalogue).value());
  return &overlays.back();
}

Status resolve_model(const Catalogue& catalogue, const std::optional<std::string>& config_file, LoadedRun& run) {
  if (const auto name = run.manifest.text("model.name"); name && name->origin == Origin::flag) {
    return model_from_name(catalogue, run, *name);
  }
  if (const auto config = run.manifest.text("model.config")) {
    const bool from_file =
        config->origin == Origin::manifest && !config->value.starts_with("/") && !run.manifest.folder().empty();
    return model_from_config(run, from_file ? run.manifest.folder() + "/" + config->value : config->value,
                             config->origin);
  }
  if (const std::optional<Node> in_place = run.manifest.model_in_place()) return model_in_place(run, *in_place);
  if (const auto name = run.manifest.text("model.name")) return model_from_name(catalogue, run, *name);
  if (config_file) return model_from_config(run, *config_file, Origin::config);
  return model_from_log(catalogue, run);
}

Status resolve_training(LoadedRun& run) {
  if (const auto count = find_integer(run, "cluster.count")) {
    run.facts.accelerators = count->value;
    if (Status bad = check_plan(run, *count)) return bad;
  } else {
    count_from_plan(run);
  }
  const auto seq = find_integer(run, "training.seq_len");
  if (seq) run.facts.sequence_length = seq->value;
  const auto batch = find_integer(run, "training.global_batch");
  if (seq && batch) {
    run.facts.workload = uniform_workload(batch->value, seq->value);
  } else if (const auto tokens = find_integer(run, "training.tokens_per_step");
             tokens && seq && tokens->value % seq->value == 0) {
    run.facts.workload = uniform_workload(tokens->value / seq->value, seq->value);
  }
  run.facts.batch_is_forced = (seq && seq->origin == Origin::flag) || (batch && batch->origin == Origin::flag);
  if (batch) find_text(run, "training.tokens_per_step");  // what the log's banner says of it, beside what is stated
  find_integer(run, "training.micro_batch");
  if (Status bad = resolve_precision(run)) return bad;
  resolve_recompute(run);
  return std::nullopt;
}

Status resolve_accelerator(const Catalogue& catalogue, LoadedRun& run) {
  const auto peak = run.manifest.flops_rate("cluster.peak");
  const auto named = find_text(run, "cluster.accelerator");
  if (named) {
    if (Status bad = resolve_named_accelerator(catalogue, run, *named, peak.has_value())) return bad;
  }
  if (peak) use_stated_peak(run, *peak);
  return std::nullopt;
}

}  // namespace nameplate
