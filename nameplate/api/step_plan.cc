#include "nameplate/api/step_plan.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "nameplate/api/memory.h"
#include "nameplate/api/step_assumption.h"

namespace nameplate {
namespace {

constexpr std::pair<std::string_view, PipelineSchedule> kSchedules[] = {
    {"gpipe", PipelineSchedule::gpipe},
    {"1f1b", PipelineSchedule::one_f_one_b},
    {"interleaved", PipelineSchedule::interleaved},
    {"zero_bubble", PipelineSchedule::zero_bubble},
    {"dualpipe", PipelineSchedule::dualpipe},
};

class PlanReader {
 public:
  PlanReader(const LoadedRun& run, const StepFramework& framework, std::vector<Assumption>& assumptions)
      : run_(run), framework_(framework), assumptions_(assumptions) {}

  Result<Plan> read() {
    if (Status bad = read_degrees()) return *bad;
    read_schedule();
    if (Status bad = read_batch()) return *bad;
    if (Status bad = read_sharding()) return *bad;
    read_overlap();
    if (Status bad = check(plan_, *run_.facts.accelerators)) return *bad;
    if (Status bad = check_model()) return *bad;
    return plan_;
  }

 private:
  std::optional<std::int64_t> integer(std::string_view key) const {
    const auto known = run_.manifest.integer(key);
    return known ? std::optional(known->value) : std::nullopt;
  }
  void assume(std::string fact, std::int64_t value) { assume(std::move(fact), fmt::format("{}", value)); }
  void assume(std::string fact, std::string value) {
    assumptions_.push_back(step_assumption(std::move(fact), std::move(value)));
  }

  Status read_degrees() {
    plan_.tp = integer("plan.tp").value_or(1);
    plan_.pp = integer("plan.pp").value_or(1);
    plan_.cp = integer("plan.cp").value_or(1);
    plan_.ep = integer("plan.ep").value_or(1);
    plan_.etp = integer("plan.etp").value_or(1);
    const std::int64_t devices = *run_.facts.accelerators;
    const Int128 others = Int128{plan_.tp} * plan_.pp * plan_.cp;
    if (others > devices || devices % static_cast<std::int64_t>(others) != 0) {
      return error(fmt::format("tp x pp x cp = {} x {} x {} on {} accelerators", plan_.tp, plan_.pp, plan_.cp, devices),
                   "their product divides the number of accelerators");
    }
    plan_.dp = integer("plan.dp").value_or(devices / static_cast<std::int64_t>(others));
    plan_.stage_layers = run_.manifest.integers("plan.stage_layers");
    return std::nullopt;
  }

  void read_schedule() {
    const auto stated = run_.manifest.text("plan.schedule");
    plan_.virtual_pp = integer("plan.virtual_pp").value_or(1);
    for (const auto& [name, schedule] : kSchedules) {
      if (stated && stated->value == name) plan_.schedule = schedule;
    }
    if (!stated && plan_.virtual_pp > 1) plan_.schedule = PipelineSchedule::interleaved;
    if (!stated && plan_.virtual_pp == 1 && plan_.pp > 1) assume("plan.schedule", "1f1b");
    const bool interleaved = plan_.schedule == PipelineSchedule::interleaved;
    if (interleaved && !integer("plan.virtual_pp") && plan_.pp > 1) {
      plan_.virtual_pp = usual_chunks();
      assume("plan.virtual_pp", plan_.virtual_pp);
    }
  }

  // Whether every chunk gets as many layers. Frameworks count the embedding, the head and modules that predict further
  // tokens as layers where that makes it so (Megatron Core, account_for_embedding_in_pipeline_split and
  // account_for_loss_in_pipeline_split).
  bool divides(std::int64_t chunks) const {
    const DecoderShape& shape = *run_.facts.architecture->decoder;
    for (const std::int64_t counted : {shape.layers, shape.layers + shape.mtp_depth}) {
      for (std::int64_t ends = 0; ends <= 2; ++ends) {
        if ((counted + ends) % (plan_.pp * chunks) == 0) return true;
      }
    }
    return false;
  }

  // The framework's habit, or the nearest that divides the model: fewer chunks first.
  std::int64_t usual_chunks() const {
    const std::int64_t usual = std::max<std::int64_t>(2, framework_.default_virtual_pp);
    if (!run_.facts.architecture->decoder || plan_.pp > stages_at_most(*run_.facts.architecture)) return usual;
    for (std::int64_t fewer = usual; fewer >= 2; --fewer) {
      if (divides(fewer)) return fewer;
    }
    for (std::int64_t more = usual + 1; more <= stages_at_most(*run_.facts.architecture) / plan_.pp; ++more) {
      if (divides(more)) return more;
    }
    return usual;
  }

  Status read_batch() {
    const std::int64_t batch = sequences(*run_.facts.workload);
    plan_.micro_batch = integer("training.micro_batch").value_or(1);
    if (!integer("training.micro_batch")) assume("training.micro_batch", plan_.micro_batch);
    const Int128 at_once = Int128{plan_.dp} * plan_.micro_batch;
    if (at_once > batch || batch % static_cast<std::int64_t>(at_once) != 0) {
      return error(fmt::format("a batch of {} sequences on {} data-parallel ranks with micro-batches of {}", batch,
                               plan_.dp, plan_.micro_batch),
                   "the batch is a multiple of dp x micro-batch");
    }
    plan_.accumulation = batch / static_cast<std::int64_t>(at_once);
    return std::nullopt;
  }

  Status read_sharding() {
    const auto shard = integer("plan.fsdp.shard");
    const auto replicate = integer("plan.fsdp.replicate");
    const bool fsdp = shard || replicate;
    const auto zero = integer("plan.zero");
    plan_.zero = static_cast<int>(std::min<std::int64_t>(zero.value_or(fsdp ? 3 : framework_.sharding), 9));
    if (!zero && !fsdp && plan_.dp > 1) assume("plan.zero", plan_.zero);
    plan_.dp_shard = plan_.zero == 0 ? 1 : shard.value_or(plan_.dp / std::max<std::int64_t>(1, replicate.value_or(1)));
    if (shard && replicate && *shard * *replicate != plan_.dp) {
      return error(fmt::format("fsdp = {} replicas of {} shards", *replicate, *shard),
                   fmt::format("their product is dp = {}", plan_.dp));
    }
    return std::nullopt;
  }

  void read_overlap() {
    const Manifest& manifest = run_.manifest;
    plan_.sp = manifest.has("plan.sp") ? manifest.flag("plan.sp") : framework_.divides_sequence && plan_.tp > 1;
    if (!manifest.has("plan.sp") && plan_.tp > 1) assume("plan.sp", plan_.sp ? "true" : "false");
    plan_.overlap.dp =
        manifest.has("plan.overlap.dp") ? manifest.flag("plan.overlap.dp") : framework_.overlaps_gradients;
    plan_.overlap.tp = manifest.flag("plan.overlap.tp");
    if (const auto fraction = manifest.number("plan.overlap.fraction")) plan_.overlap.fraction = fraction->value;
    if (const auto order = manifest.text("plan.order")) plan_.order = order->value;
    if (const auto offload = manifest.text("plan.offload")) plan_.offload = offload->value;
  }

  // What the model cannot be divided into.
  Status check_model() const {
    const Architecture& model = *run_.facts.architecture;
    const std::int64_t most = stages_at_most(model);
    if (plan_.pp > most || plan_.virtual_pp > most / plan_.pp) {
      return error(fmt::format("{} pipeline stages of {} chunks", plan_.pp, plan_.virtual_pp),
                   fmt::format("the model has {} layers, embedding and head included", most));
    }
    if (!model.decoder) return std::nullopt;
    const DecoderShape& shape = *model.decoder;
    if (plan_.virtual_pp > 1 && plan_.stage_layers.empty() && !divides(plan_.virtual_pp)) {
      return error(
          fmt::format("{} layers over {} pipeline stages of {} chunks", shape.layers, plan_.pp, plan_.virtual_pp),
          "as many layers in each chunk, embedding and head counted as layers or not; or plan.stage_layers");
    }
    if (shape.heads % plan_.tp != 0)
      return error(fmt::format("tp {} does not divide {} attention heads", plan_.tp, shape.heads));
    const std::int64_t experts = shape.moe ? shape.moe->experts : 0;
    if (plan_.ep > 1 && (experts == 0 || experts % plan_.ep != 0)) {
      return error(experts == 0 ? std::string("ep on a model without experts")
                                : fmt::format("ep {} does not divide {} experts", plan_.ep, experts));
    }
    const std::int64_t placed = std::accumulate(plan_.stage_layers.begin(), plan_.stage_layers.end(), std::int64_t{0});
    if (!plan_.stage_layers.empty() && placed != shape.layers) {
      return error(fmt::format("plan.stage_layers places {} layers", placed),
                   fmt::format("the model has {}", shape.layers));
    }
    return std::nullopt;
  }

  const LoadedRun& run_;
  const StepFramework& framework_;
  std::vector<Assumption>& assumptions_;
  Plan plan_;
};

}  // namespace

Result<Plan> manifest_plan(const LoadedRun& run, const StepFramework& framework, std::vector<Assumption>& assumptions) {
  return PlanReader(run, framework, assumptions).read();
}

}  // namespace nameplate
