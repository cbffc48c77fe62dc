#include "nameplate/inputs/memory_calibration.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/embedded_data.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

constexpr std::string_view kFile = "calibration/memory.toml";

Bytes gigabytes_at(TableReader& reader, std::string_view key) { return gigabytes(reader.positive(key).value_or(0)); }

std::vector<RecomputeModule> modules_at(TableReader& reader, std::string_view key,
                                        std::vector<RecomputeModule> otherwise) {
  if (!reader.has(key)) return otherwise;
  std::vector<RecomputeModule> modules;
  for (const std::string& text : reader.texts(key)) {
    const auto module = parse_recompute_module(text);
    if (!module)
      reader.fail(key, fmt::format("'{:.80}'", text), "modules as Megatron names them: \"core_attn\", \"mlp\", …");
    if (module) modules.push_back(*module);
  }
  return modules;
}

Result<MemoryFramework> read_framework(const Node& node, const std::string& file) {
  TableReader reader(node, file, "framework");
  MemoryFramework framework{.names = reader.texts("names"), .when = reader.text("when").value_or("")};
  framework.from_year = reader.count("from_year").value_or(0);
  MemoryFacts& f = framework.facts;
  f.id = reader.required_text("id");
  f.weight_bytes = reader.positive("weight_bytes").value_or(f.weight_bytes);
  f.gradient_bytes = reader.positive("gradient_bytes").value_or(f.gradient_bytes);
  f.weights_are_master = reader.flag("weights_are_master", false);
  f.sharding = static_cast<int>(reader.count("sharding", 0).value_or(0));
  f.gathered_units = reader.positive("gathered_units").value_or(f.gathered_units);
  f.unit_gradient_bytes = reader.positive("unit_gradient_bytes").value_or(0);
  f.root_stays_gathered = reader.flag("root_stays_gathered", false);
  f.pipeline_stays_gathered = reader.flag("pipeline_stays_gathered", false);
  f.bucket = gigabytes_at(reader, "bucket_gb");
  f.fused_attention = reader.flag("fused_attention", true);
  f.dropout = reader.flag("dropout", false);
  f.fp8_saved_inputs = reader.flag("fp8_saved_inputs", false);
  f.keeps_gathered_inputs = reader.flag("keeps_gathered_inputs", false);
  f.context_parallel_copy = reader.flag("context_parallel_copy", false);
  f.weight_gradient_dummies = reader.flag("weight_gradient_dummies", false);
  f.compiled = reader.flag("compiled", true);
  f.pipeline_splits_batch = reader.flag("pipeline_splits_batch", false);
  f.selective = modules_at(reader, "selective", f.selective);
  f.bytes_per_logit = reader.positive("bytes_per_logit").value_or(0);
  f.constant = gigabytes_at(reader, "constant_gb");
  f.segments_add_up = reader.flag("segments_add_up", false);
  f.fragmentation_ratio = reader.positive("fragmentation_ratio").value_or(0);
  f.prints_reserved = reader.flag("prints_reserved", false);
  f.source = reader.required_text("source");
  if (Status bad = reader.finish()) return *bad;
  return framework;
}

Result<MemoryRecipe> read_recipe(const Node& node, const std::string& file) {
  TableReader reader(node, file, "recipe");
  MemoryRecipe recipe{.framework = reader.required_text("framework"), .model = reader.required_text("model")};
  recipe.optimizer_state_bytes = reader.positive("optimizer_state_bytes");
  recipe.sequence_parallel = reader.flag("sequence_parallel", false);
  recipe.source = reader.required_text("source");
  if (Status bad = reader.finish()) return *bad;
  return recipe;
}

}  // namespace

Result<MemoryCalibration> read_memory_calibration(std::string_view text, const std::string& file) {
  NAMEPLATE_TRY(const Node root, parse_toml(text, file));
  TableReader top(root, file, "");
  MemoryCalibration calibration;
  for (const Node& node : top.array("framework")) {
    NAMEPLATE_TRY(MemoryFramework framework, read_framework(node, file));
    calibration.frameworks.push_back(std::move(framework));
  }
  for (const Node& node : top.array("recipe")) {
    NAMEPLATE_TRY(MemoryRecipe recipe, read_recipe(node, file));
    calibration.recipes.push_back(std::move(recipe));
  }
  if (const Node* node = top.table("risk")) {
    TableReader risk(*node, file, "risk");
    calibration.risk_sigma_ratio = risk.positive("sigma_ratio").value_or(0);
    calibration.outside_allocator = gigabytes_at(risk, "outside_gb");
    calibration.risk_source = risk.required_text("source");
    if (Status bad = risk.finish()) return *bad;
  }
  if (calibration.frameworks.empty()) top.fail("framework", "no framework", "at least one, the first for any name");
  if (Status bad = top.finish()) return *bad;
  return calibration;
}

const MemoryCalibration& MemoryCalibration::embedded() {
  static const MemoryCalibration kCalibration = [] {
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.path != kFile) continue;
      Result<MemoryCalibration> read = read_memory_calibration(file.text, fmt::format("data/{}", kFile));
      if (!read.ok()) std::fprintf(stderr, "%s\n", render(read.error()).c_str());
      NAMEPLATE_CHECK(read.ok());
      return std::move(read).value();
    }
    NAMEPLATE_CHECK(false);
  }();
  return kCalibration;
}

const MemoryFacts& MemoryCalibration::find(std::string_view framework, std::optional<std::int64_t> year,
                                           std::string_view notes) const {
  const MemoryFacts* found = &frameworks.front().facts;
  const std::string wanted = to_lower(framework);
  for (const MemoryFramework& candidate : frameworks) {
    if (year.value_or(candidate.from_year) < candidate.from_year) continue;
    if (!candidate.when.empty() && notes.find(candidate.when) == std::string_view::npos) continue;
    for (const std::string& beginning : candidate.names) {
      if (wanted.starts_with(to_lower(beginning))) found = &candidate.facts;
    }
  }
  return *found;
}

const MemoryFacts* MemoryCalibration::find_by_id(std::string_view id) const {
  for (const MemoryFramework& candidate : frameworks) {
    if (candidate.facts.id == to_lower(id)) return &candidate.facts;
  }
  return nullptr;
}

const MemoryRecipe* MemoryCalibration::find_recipe(const MemoryFacts& facts, std::string_view model) const {
  for (const MemoryRecipe& recipe : recipes) {
    if (recipe.framework == facts.id && to_lower(model).starts_with(recipe.model)) return &recipe;
  }
  return nullptr;
}

}  // namespace nameplate
