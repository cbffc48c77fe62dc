#include "nameplate/api/published_step.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/api/memory.h"
#include "nameplate/api/published_shape.h"
#include "nameplate/api/published_step_notes.h"
#include "nameplate/api/step_assumption.h"
#include "nameplate/api/step_device.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Fills one setup from one row; `reason` is why it cannot.
class CaseMaker {
 public:
  CaseMaker(const PublishedRun& run, const StepKnowledge& knowledge) : run_(run), knowledge_(knowledge) {}

  std::variant<StepCase, std::string> make() {
    for (const auto step :
         {&CaseMaker::read_time, &CaseMaker::read_model, &CaseMaker::read_framework, &CaseMaker::read_device,
          &CaseMaker::read_degrees, &CaseMaker::read_batch, &CaseMaker::read_sharding, &CaseMaker::read_workload,
          &CaseMaker::read_fabric, &CaseMaker::derive_time}) {
      if (!(this->*step)()) return reason_;
    }
    return std::move(case_);
  }

 private:
  StepSetup& setup() { return case_.setup; }
  Plan& plan() { return case_.setup.plan; }
  bool fail(std::string_view reason) {
    reason_ = reason;
    return false;
  }
  void assume(std::string fact, std::string value) {
    setup().assumptions.push_back(step_assumption(std::move(fact), std::move(value)));
  }

  bool read_time() {
    if (run_.outcome == RunOutcome::out_of_memory) return fail("out_of_memory");
    const std::optional<Seconds> time = run_.measured.step_time ? run_.measured.step_time : run_.derived.step_time;
    if (!time && !run_.measured.flops_rate_per_gpu) return fail("no_step_time");
    case_.measured = time.value_or(Seconds());
    return true;
  }

  // A row that only states FLOP/s: back through the convention that its notes name; full attention where they name
  // none.
  bool derive_time() {
    if (case_.measured.base() > 0) return true;
    if (setup().task == StepTask::lora) return fail("no_step_time");
    const std::string notes = to_lower(run_.convention_notes);
    const bool causal = contains(notes, "causal halved");
    const bool hardware = contains(notes, "hardware flops incl");
    if (!causal && !hardware) assume("convention", "full attention");
    const AttentionCount count = causal ? AttentionCount::causal : AttentionCount::full;
    const Architecture& architecture = setup().architecture;
    const Workload& workload = setup().workload;
    double work = to_double(step_flops(architecture, workload, count).total());
    if (hardware) work += to_double(recompute_flops(architecture, workload, workload.recompute, count));
    case_.measured = flops(work) / (*run_.measured.flops_rate_per_gpu * static_cast<double>(*run_.accelerators));
    return true;
  }

  bool read_model() {
    std::optional<DecoderShape> shape = published_shape(run_, knowledge_.catalogue);
    if (!shape) return fail(run_.reasons.empty() ? "no_dimensions" : name(run_.reasons.front()));
    if (shape->vocab == 0) {
      constexpr std::int64_t kUsualVocabulary = 51200;  // GPT-2's, padded
      shape->vocab = kUsualVocabulary;
      assume("vocabulary", fmt::format("{}", kUsualVocabulary));
    }
    if (contains(run_.model_name, "w/o MTP")) shape->mtp_depth = 0;
    if (check(*shape)) return fail("no_dimensions");
    setup().architecture = build_decoder(*shape);
    if (run_.task == TrainingTask::lora) setup().task = StepTask::lora;
    return true;
  }

  bool read_framework() {
    setup().framework = knowledge_.frameworks.with_recipe(
        knowledge_.frameworks.find(run_.framework, run_.year, run_.overlap_notes), run_.overlap_notes);
    if (run_.framework.empty()) assume("framework", setup().framework.id);
    return true;
  }

  bool read_device() {
    const Precision precision = run_.precision.value_or(Precision::bf16);
    const Accelerator* part = step_accelerator(knowledge_.catalogue, run_.accelerator, setup().assumptions);
    if (part == nullptr) return fail("unknown_accelerator");
    auto device = step_device(knowledge_.catalogue, *part, precision, knowledge_.calibration, setup().assumptions);
    if (!device) return fail("no_peak");
    setup().device = *device;
    accelerator_ = part;
    return true;
  }

  // The devices that divide the model, where a log tells how many micro-batches a replica accumulates.
  std::optional<std::int64_t> of_accumulation(std::int64_t micro_batch, std::int64_t accumulation) {
    const Result<std::int64_t> sequences = ranks({micro_batch, accumulation});
    if (!sequences.ok()) return std::nullopt;
    const std::int64_t replicas = std::max<std::int64_t>(1, *run_.global_batch / *sequences);
    return std::max<std::int64_t>(1, *run_.accelerators / replicas / (plan().pp * plan().cp));
  }

  // tp, pp, cp, ep, dp. Where a log only tells how many micro-batches it accumulates, what is left of the devices
  // divides the model.
  bool read_degrees() {
    const PublishedPlan& p = run_.plan;
    Plan& plan = setup().plan;
    if (!run_.accelerators || !run_.global_batch) return fail("no_batch");
    const std::int64_t devices = *run_.accelerators;
    plan.pp = p.pp.value_or(1);
    plan.cp = p.cp.value_or(1);
    plan.ep = p.ep.value_or(1);
    const auto accumulation = as_count(number_behind(run_.overlap_notes, "gradient accumulation"));
    if (p.tp) {
      plan.tp = *p.tp;
    } else if (const auto share =
                   accumulation && p.micro_batch ? of_accumulation(*p.micro_batch, *accumulation) : std::nullopt) {
      plan.tp = *share;
      assume("plan.tp", fmt::format("{}", plan.tp));
    } else if (!p.dp || *p.dp != devices) {
      return fail("no_layout");
    }
    const Result<std::int64_t> others = ranks({plan.tp, plan.pp, plan.cp});
    if (!others.ok() || devices % *others != 0) return fail("layout_contradicts_devices");
    plan.dp = devices / *others;
    if (plan.pp > stages_at_most(setup().architecture)) return fail("layout_contradicts_model");
    if (setup().framework.experts_follow_tp && plan.ep > 1 && plan.dp * plan.cp % plan.ep == 0) plan.etp = plan.tp;
    if (p.dp && *p.dp != plan.dp) assume("plan.dp", fmt::format("{}", plan.dp));
    plan.virtual_pp = p.virtual_pp.value_or(1);
    if (plan.pp > 1 && !p.virtual_pp &&
        (setup().framework.interleaves || contains(run_.overlap_notes, "Interleaved"))) {
      plan.virtual_pp = setup().framework.default_virtual_pp;
      assume("plan.virtual_pp", fmt::format("{}", plan.virtual_pp));
    }
    if (plan.pp == 1) plan.virtual_pp = 1;
    // A chunk has a layer at least.
    const std::int64_t most_chunks = std::max<std::int64_t>(1, stages_at_most(setup().architecture) / plan.pp);
    plan.virtual_pp = std::min(plan.virtual_pp, most_chunks);
    if (plan.virtual_pp > 1) plan.schedule = PipelineSchedule::interleaved;
    if (contains(run_.overlap_notes, "DualPipe")) plan.schedule = PipelineSchedule::dualpipe;
    return true;
  }

  bool read_batch() {
    Plan& plan = setup().plan;
    if (!run_.seq_len) return fail("no_sequence_length");
    const std::int64_t of_rank = *run_.global_batch / plan.dp;
    constexpr std::int64_t kMostSequences = 1'000'000'000;  // of one rank and step
    if (of_rank < 1 || of_rank > kMostSequences) return fail("layout_contradicts_batch");
    // Sharded weights are gathered for every micro-batch: without a pipeline one takes it all.
    const std::int64_t usual = setup().framework.sharding == 3 && plan.pp == 1 ? of_rank : 1;
    if (!run_.plan.micro_batch) assume("plan.micro_batch", fmt::format("{}", usual));
    plan.micro_batch = run_.plan.micro_batch.value_or(usual);
    plan.micro_batch = std::min(plan.micro_batch, of_rank);
    plan.accumulation = std::max<std::int64_t>(1, of_rank / plan.micro_batch);
    if (setup().framework.pipeline_splits_batch && plan.pp > 1 && plan.micro_batch % plan.pp == 0) {
      plan.micro_batch /= plan.pp;
      plan.accumulation *= plan.pp;
    }
    return true;
  }

  // "ZeRO-3", "FSDP2 (ZeRO-3)", "distributed optimizer (ZeRO-1)", "HSDP (FSDP 128 x DP 4)"; else what the framework
  // does by itself.
  bool read_sharding() {
    Plan& plan = setup().plan;
    const std::string text = to_lower(run_.plan.sharding);
    plan.zero = setup().framework.sharding;
    if (contains(text, "fsdp") || contains(text, "fully sharded")) plan.zero = 3;
    for (int stage : {1, 2, 3}) {
      if (contains(text, fmt::format("zero-{}", stage))) plan.zero = stage;
    }
    std::optional<std::int64_t> shard = as_count(number_behind(text, "fsdp"));
    if (shard && *shard <= 2) shard = std::nullopt;  // "FSDP2" is a version
    if (!shard) shard = as_count(number_before(text, "-way fully sharded"));
    if (!shard && contains(text, "in slice")) {
      if (const auto chips = slice_chips(run_.interconnect_notes)) shard = std::max<std::int64_t>(1, *chips / plan.tp);
    }
    plan.dp_shard = plan.zero > 0 ? plan.dp : 1;
    if (plan.zero == 3 && shard && *shard < plan.dp && plan.dp % *shard == 0) plan.dp_shard = *shard;
    if (contains(text, "offload")) return fail("offload");
    plan.sp = run_.plan.sequence_parallel.value_or(setup().framework.divides_sequence && plan.tp > 1);
    plan.overlap.dp = setup().framework.overlaps_gradients;
    return true;
  }

  bool read_workload() {
    Plan& plan = setup().plan;
    Workload& workload = setup().workload;
    workload = uniform_workload(plan.dp * plan.micro_batch * plan.accumulation, *run_.seq_len);
    workload.precision = run_.precision.value_or(Precision::bf16);
    if (!run_.precision) assume("training.precision", "bf16");
    workload.recompute = run_.plan.recompute.value_or(Recompute::none);
    if (!run_.plan.recompute) assume("training.recompute", "none");
    setup().recompute = stated_recompute(run_.overlap_notes);
    return true;
  }

  bool read_fabric() {
    FabricFacts facts{.per_node = run_.accelerators_per_node, .domain = slice_chips(run_.interconnect_notes)};
    facts.network =
        stated_network(run_.interconnect_notes, static_cast<double>(run_.accelerators_per_node.value_or(8)));
    setup().fabric = step_fabric(*accelerator_, facts, setup().assumptions);
    return true;
  }

  const PublishedRun& run_;
  const StepKnowledge& knowledge_;
  StepCase case_;
  std::string reason_;
  const Accelerator* accelerator_ = nullptr;
};

}  // namespace

std::variant<StepCase, std::string> step_case(const PublishedRun& run, const StepKnowledge& knowledge) {
  return CaseMaker(run, knowledge).make();
}

}  // namespace nameplate
