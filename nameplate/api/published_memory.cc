#include "nameplate/api/published_memory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/api/memory.h"
#include "nameplate/api/published_shape.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string reason_without_shape(const PublishedRun& run) {
  return std::string(run.reasons.empty() ? "no_dimensions" : name(run.reasons.front()));
}

// "ZeRO-3", "FSDP2 (ZeRO-3)", "distributed optimizer (ZeRO-1)", "FSDP in slice"; else what the framework does by
// itself.
int sharding_of(const PublishedRun& run, const MemoryFacts& facts) {
  const std::string& text = run.plan.sharding;
  for (int stage : {1, 2, 3}) {
    if (contains(text, fmt::format("ZeRO-{}", stage))) return stage;
  }
  return contains(to_lower(text), "fsdp") ? 3 : facts.sharding;
}

// False: the row has no degrees or no micro-batch.
bool read_plan(const PublishedRun& run, const MemoryCase& c, const MemoryRecipe* recipe, Plan& plan) {
  const PublishedPlan& p = run.plan;
  plan.tp = p.tp.value_or(1);
  plan.pp = p.pp.value_or(1);
  plan.cp = p.cp.value_or(1);
  plan.ep = p.ep.value_or(1);
  const Result<std::int64_t> others = ranks({plan.tp, plan.pp, plan.cp});
  if (!others.ok() || plan.pp > stages_at_most(c.architecture)) return false;
  if (!p.dp && (!run.accelerators || *run.accelerators % *others != 0)) return false;
  plan.dp = p.dp.value_or(run.accelerators.value_or(*others) / *others);
  const Result<std::int64_t> devices = ranks({*others, plan.dp});
  if (!devices.ok()) return false;
  // Schedules with several stages a rank have two unless stated otherwise (torchtitan's default).
  plan.virtual_pp = p.virtual_pp.value_or(plan.pp > 1 && contains(run.overlap_notes, "Interleaved") ? 2 : 1);
  if (plan.virtual_pp > 1) plan.schedule = PipelineSchedule::interleaved;
  plan.micro_batch = *p.micro_batch;
  plan.zero = sharding_of(run, c.facts);
  plan.dp_shard = plan.zero > 0 ? plan.dp : 1;
  // Megatron Core demands sequence parallelism where experts meet tensor parallelism.
  const bool implied = c.architecture.decoder && c.architecture.decoder->moe && plan.tp > 1;
  plan.sp = p.sequence_parallel.value_or(implied || (recipe != nullptr && recipe->sequence_parallel));
  plan.accumulation =
      std::max<std::int64_t>(1, run.global_batch.value_or(plan.dp * plan.micro_batch) / (plan.dp * plan.micro_batch));
  if (c.facts.pipeline_splits_batch && plan.pp > 1 && plan.micro_batch % plan.pp == 0) {
    plan.micro_batch /= plan.pp;
    plan.accumulation *= plan.pp;
  }
  return !check(plan, *devices);
}

// "recompute modules: mlp" and "recompute modules: core_attn+layernorm" in the notes; false for a module that is not
// known.
bool read_recompute_modules(const PublishedRun& run, MemoryFacts& facts) {
  constexpr std::string_view kKey = "recompute modules: ";
  const std::size_t at = run.overlap_notes.find(kKey);
  if (at == std::string::npos) return true;
  const std::string_view list = split(std::string_view(run.overlap_notes).substr(at + kKey.size()), ';').front();
  if (trim(list) == "none") return true;
  facts.selective.clear();
  for (std::string_view word : split(trim(list), '+')) {
    const auto module = parse_recompute_module(trim(word));
    if (!module) return false;
    facts.selective.push_back(*module);
  }
  return true;
}

std::optional<Bytes> capacity_of(const PublishedRun& run, const Catalogue& catalogue) {
  const Result<AcceleratorMatch> match = catalogue.resolve_accelerator(run.accelerator);
  return match.ok() ? shared_capacity(*match) : std::nullopt;
}

std::string configuration_of(const PublishedRun& run, const MemoryCase& c) {
  const Plan& p = c.plan;
  std::string modules;
  for (RecomputeModule module : c.facts.selective) modules += fmt::format(" {}", name(module));
  return fmt::format("{}|{}|{}|{}|{}|tp{} pp{} v{} cp{} ep{} dp{} zero{} sp{} b{} m{}|{}|{}{}", run.source_id,
                     run.model_name, run.accelerator, c.facts.id, run.seq_len.value_or(0), p.tp, p.pp, p.virtual_pp,
                     p.cp, p.ep, p.dp, p.zero, p.sp, p.micro_batch, std::min(p.accumulation, p.pp),
                     name(c.workload.precision), name(c.workload.recompute), modules);
}

}  // namespace

std::variant<MemoryCase, std::string> memory_case(const PublishedRun& run, const Catalogue& catalogue,
                                                  const MemoryCalibration& calibration) {
  MemoryCase c{.facts = calibration.find(run.framework, run.year, run.overlap_notes),
               .capacity = capacity_of(run, catalogue)};
  const std::optional<DecoderShape> shape = published_shape(run, catalogue);
  if (!shape || shape->vocab == 0) return reason_without_shape(run);
  if (run.task == TrainingTask::lora) return std::string("lora");
  if (!run.seq_len) return std::string("no_sequence_length");
  if (!run.plan.micro_batch) return std::string("no_micro_batch");
  if (contains(run.plan.sharding, "offload")) return std::string("offload");
  c.architecture = build_decoder(*shape);
  const MemoryRecipe* recipe = calibration.find_recipe(c.facts, run.model_name);
  if (!read_plan(run, c, recipe, c.plan)) return std::string("no_plan");
  if (!read_recompute_modules(run, c.facts)) return std::string("unknown_recompute_module");
  c.workload = uniform_workload(c.plan.dp * c.plan.micro_batch * c.plan.accumulation, *run.seq_len);
  c.workload.precision = run.precision.value_or(Precision::bf16);
  c.workload.recompute = run.plan.recompute.value_or(Recompute::none);
  if (recipe != nullptr && recipe->optimizer_state_bytes) {
    c.workload.optimizer_state_bytes_per_parameter = *recipe->optimizer_state_bytes;
  }
  c.configuration = configuration_of(run, c);
  return c;
}

}  // namespace nameplate
