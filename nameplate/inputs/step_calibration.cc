#include "nameplate/inputs/step_calibration.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/embedded_data.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

std::string_view embedded_text(std::string_view path) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return file.text;
  }
  NAMEPLATE_CHECK(false);
}

template <class T>
T checked(Result<T> read) {
  if (!read.ok()) std::fprintf(stderr, "%s\n", render(read.error()).c_str());
  NAMEPLATE_CHECK(read.ok());
  return std::move(read).value();
}

// The entry's facts on top of those of the entry that it is like.
Result<StepFrameworkEntry> read_entry(const Node& node, const std::string& file, const StepFrameworks& before) {
  TableReader reader(node, file, "framework");
  StepFrameworkEntry entry{.names = reader.texts("names"), .when = reader.texts("when")};
  entry.from_year = reader.count("from_year").value_or(0);
  entry.from_release = reader.positive("from_release").value_or(0);
  StepFramework& f = entry.facts;
  if (const auto like = reader.text("like")) {
    const StepFramework* base = before.find_by_id(*like);
    if (base == nullptr) reader.fail("like", fmt::format("'{:.80}'", *like), "the id of an entry above");
    if (base != nullptr) f = *base;
  }
  f.id = reader.required_text("id");
  f.measured = reader.flag("measured", true);  // of this entry alone
  f.fused_attention = reader.flag("fused_attention", f.fused_attention);
  f.selective.projections = reader.positive("selective_projections").value_or(f.selective.projections);
  f.selective.core = reader.positive("selective_core").value_or(f.selective.core);
  f.selective.feed_forward = reader.positive("selective_feed_forward").value_or(f.selective.feed_forward);
  f.selective.elementwise = reader.positive("selective_elementwise").value_or(f.selective.elementwise);
  f.gradient_bytes = reader.positive("gradient_bytes").value_or(f.gradient_bytes);
  f.logit_bytes = reader.positive("logit_bytes").value_or(f.logit_bytes);
  f.optimizer_bytes = reader.positive("optimizer_bytes").value_or(f.optimizer_bytes);
  f.sharding = static_cast<int>(reader.count("sharding", 0).value_or(f.sharding));
  f.pipeline_gathers_once = reader.flag("pipeline_gathers_once", f.pipeline_gathers_once);
  f.pipeline_splits_batch = reader.flag("pipeline_splits_batch", f.pipeline_splits_batch);
  f.overlaps_gradients = reader.flag("overlaps_gradients", f.overlaps_gradients);
  f.divides_sequence = reader.flag("divides_sequence", f.divides_sequence);
  f.experts_overlap = reader.flag("experts_overlap", f.experts_overlap);
  f.sends_once_per_node = reader.flag("sends_once_per_node", f.sends_once_per_node);
  f.experts_follow_tp = reader.flag("experts_follow_tp", f.experts_follow_tp);
  f.interleaves = reader.flag("interleaves", f.interleaves);
  f.default_virtual_pp = reader.count("default_virtual_pp").value_or(f.default_virtual_pp);
  f.attention = reader.text("attention").value_or(f.attention);
  f.passes = reader.text("passes").value_or(f.passes);
  f.host = reader.text("host").value_or(f.host);
  f.fixed = reader.text("fixed").value_or(f.fixed);
  f.tp_exposed = reader.text("tp_exposed").value_or(f.tp_exposed);
  f.casts = reader.text("casts").value_or(f.casts);
  f.permute = reader.text("permute").value_or(f.permute);
  f.per_expert_host = reader.text("per_expert_host").value_or(f.per_expert_host);
  f.expert_host = reader.text("expert_host").value_or(f.expert_host);
  f.shard_slowdown = reader.text("shard_slowdown").value_or(f.shard_slowdown);
  f.source = reader.required_text("source");
  if (Status bad = reader.finish()) return *bad;
  return entry;
}

// 26.04 of "release 26.04.01; …"; 0 where the notes name none.
double release_of(std::string_view notes) {
  constexpr std::string_view kWord = "release ";
  const std::size_t at = notes.find(kWord);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = notes.substr(at + kWord.size());
  return parse_number(rest.substr(0, std::min<std::size_t>(5, rest.size()))).value_or(0);
}

bool any_of_words(const std::vector<std::string>& words, std::string_view notes) {
  if (words.empty()) return true;
  for (const std::string& word : words) {
    if (notes.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Result<StepFrameworks> StepFrameworks::read(std::string_view text, const std::string& file) {
  NAMEPLATE_TRY(const Node root, parse_toml(text, file));
  TableReader top(root, file, "");
  StepFrameworks frameworks;
  for (const Node& node : top.array("framework")) {
    NAMEPLATE_TRY(StepFrameworkEntry entry, read_entry(node, file, frameworks));
    frameworks.entries_.push_back(std::move(entry));
  }
  for (const Node& node : top.array("recipe")) {
    TableReader reader(node, file, "recipe");
    frameworks.recipes_.push_back({reader.texts("words"), reader.required_text("casts")});
    reader.required_text("source");
    if (Status bad = reader.finish()) return *bad;
  }
  if (frameworks.entries_.empty()) top.fail("framework", "no framework", "at least one, the first for any name");
  if (Status bad = top.finish()) return *bad;
  return frameworks;
}

const StepFrameworks& StepFrameworks::embedded() {
  constexpr std::string_view kFile = "calibration/frameworks.toml";
  static const StepFrameworks kFrameworks = checked(read(embedded_text(kFile), fmt::format("data/{}", kFile)));
  return kFrameworks;
}

const StepFramework& StepFrameworks::find(std::string_view framework, std::optional<std::int64_t> year,
                                          std::string_view notes) const {
  const StepFramework* found = &entries_.front().facts;
  const std::string wanted = to_lower(framework);
  const double release = release_of(notes);
  for (const StepFrameworkEntry& entry : entries_) {
    if (year.value_or(entry.from_year) < entry.from_year) continue;
    if (release < entry.from_release || !any_of_words(entry.when, notes)) continue;
    for (const std::string& beginning : entry.names) {
      if (wanted.starts_with(to_lower(beginning))) found = &entry.facts;
    }
  }
  return *found;
}

StepFramework StepFrameworks::with_recipe(StepFramework facts, std::string_view notes) const {
  for (const NarrowRecipe& recipe : recipes_) {
    if (any_of_words(recipe.words, notes)) facts.casts = recipe.casts;
  }
  return facts;
}

const StepFramework* StepFrameworks::find_by_id(std::string_view id) const {
  for (const StepFrameworkEntry& entry : entries_) {
    if (entry.facts.id == id) return &entry.facts;
  }
  return nullptr;
}

Result<StepCalibration> read_step_calibration(std::string_view text, const std::string& file) {
  NAMEPLATE_TRY(const Node root, parse_toml(text, file));
  TableReader top(root, file, "");
  StepCalibration calibration;
  for (const Node& node : top.array("value")) {
    TableReader reader(node, file, "value");
    CalibratedValue value{.id = reader.required_text("id")};
    value.prior = reader.positive("prior").value_or(0);
    if (value.prior <= 0) reader.fail("prior", "no prior", "a positive number");
    value.sigma = reader.positive("sigma").value_or(0);
    value.value = reader.positive("value").value_or(value.prior);
    value.unit = reader.text("unit").value_or("1");
    value.source = reader.required_text("source");
    if (Status bad = reader.finish()) return *bad;
    calibration.values.push_back(std::move(value));
  }
  for (const Node& node : top.array("family")) {
    TableReader reader(node, file, "family");
    calibration.families.push_back({reader.required_text("id"), reader.texts("devices")});
    if (Status bad = reader.finish()) return *bad;
  }
  for (const Node& node : top.array("band")) {
    TableReader reader(node, file, "band");
    ErrorBand band{.regime = reader.required_text("regime")};
    band.low = reader.positive("low").value_or(1);
    band.high = reader.positive("high").value_or(1);
    band.rows = static_cast<std::size_t>(reader.count("rows", 0).value_or(0));
    if (Status bad = reader.finish()) return *bad;
    calibration.bands.push_back(std::move(band));
  }
  if (Status bad = top.finish()) return *bad;
  return calibration;
}

Result<std::vector<StepFold>> read_step_folds(std::string_view text, const std::string& file,
                                              const StepCalibration& whole) {
  NAMEPLATE_TRY(const Node root, parse_toml(text, file));
  TableReader top(root, file, "");
  std::vector<StepFold> folds;
  for (const Node& node : top.array("fold")) {
    TableReader reader(node, file, "fold");
    StepFold fold{.id = reader.required_text("id"), .sources = reader.texts("sources"), .calibration = whole};
    for (CalibratedValue& value : fold.calibration.values) value.value = value.prior;
    if (const Node* table = reader.table("values")) {
      TableReader values(*table, file, fmt::format("fold '{}'", fold.id));
      for (CalibratedValue& value : fold.calibration.values) {
        value.value = values.positive(value.id).value_or(value.prior);
      }
      // Ids that are gone since the file was written stay unread: it is written anew by the program that reads it.
    }
    if (Status bad = reader.finish()) return *bad;
    folds.push_back(std::move(fold));
  }
  if (Status bad = top.finish()) return *bad;
  return folds;
}

const std::vector<StepFold>& embedded_step_folds() {
  constexpr std::string_view kFile = "calibration/steptime_folds.toml";
  static const std::vector<StepFold> kFolds =
      checked(read_step_folds(embedded_text(kFile), fmt::format("data/{}", kFile), embedded_step_calibration()));
  return kFolds;
}

const StepCalibration& embedded_step_calibration() {
  constexpr std::string_view kFile = "calibration/steptime.toml";
  static const StepCalibration kCalibration =
      checked(read_step_calibration(embedded_text(kFile), fmt::format("data/{}", kFile)));
  return kCalibration;
}

}  // namespace nameplate
