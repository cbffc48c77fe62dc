#include "nameplate/analysis/steptime/step_schedule.h"

#include <algorithm>
#include <cmath>

namespace nameplate {
namespace {

constexpr double kWeightShare = 0.5;  // of a backward pass

// Shards are gathered for both passes and scattered after the second; the host's launches stretch both alike.
ChunkTimes chunk_of(const StagePass& s, double share) {
  const Seconds forward = s.forward.device() + s.sharding / 3;
  const Seconds backward = s.backward.device() + s.sharding * (2.0 / 3);
  const Seconds device = forward + backward;
  const double stretch = device > Seconds() ? s.micro_batch / device * share : share;
  return {forward * stretch, {}, backward * (stretch * (1 - kWeightShare)), backward * (stretch * kWeightShare)};
}

}  // namespace

PipelineInput plan_pipeline(const Plan& plan) {
  const bool alone = plan.pp == 1;
  const bool dual = !alone && plan.schedule == PipelineSchedule::dualpipe;
  PipelineInput input{.schedule = alone ? PipelineSchedule::one_f_one_b : plan.schedule,
                      .stages = plan.pp,
                      .chunks = dual    ? 2
                                : alone ? 1
                                        : plan.virtual_pp,
                      .micro_batches = plan.accumulation};
  if (input.chunks > 1 && plan.schedule == PipelineSchedule::one_f_one_b)
    input.schedule = PipelineSchedule::interleaved;
  return input;
}

PipelineInput step_pipeline(const StepSetup& setup, const CompiledStep& work, const StepSeconds& times) {
  const Plan& plan = setup.plan;
  const bool dual = plan.pp > 1 && plan.schedule == PipelineSchedule::dualpipe;
  PipelineInput input = plan_pipeline(plan);
  input.micro_batches = std::llround(work.micro_batches);
  // A stage inside sends each micro-batch of each chunk once forward and once back.
  const double sends = 2 * work.micro_batches * static_cast<double>(dual ? 1 : input.chunks);
  input.transfer = times.pp / sends;
  input.transfer_blocks = true;
  const double share = dual ? 1.0 : 1.0 / static_cast<double>(input.chunks);
  for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
    for (std::int64_t chunk = 0; chunk < input.chunks; ++chunk) {
      const std::int64_t part = dual && chunk == 1 ? plan.pp - 1 - stage : stage;
      input.times.push_back(chunk_of(times.stages[static_cast<std::size_t>(part)], share));
    }
  }
  return input;
}

void use_schedule(const PipelineResult& schedule, StepSeconds& times) {
  if (schedule.stages.size() == 1) return;  // no more than its work, which picoseconds would round
  const Seconds without = times.total - times.straggler;
  const double spread = without > Seconds() ? times.straggler / without : 0;
  const Seconds rest = without - times.pipeline;
  times.pipeline = schedule.makespan;
  times.pp = schedule.stages[times.slowest].sending;
  times.bubble = schedule.stages[times.slowest].idle;
  times.straggler = (times.pipeline + rest) * spread;
  times.total = times.pipeline + rest + times.straggler;
}

}  // namespace nameplate
