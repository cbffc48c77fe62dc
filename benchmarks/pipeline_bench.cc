// The schedule of a step on 16,384 accelerators (tp 8, pp 16, dp 128), in full and with its steady periods skipped.
#include <cstdint>

#include <benchmark/benchmark.h>

#include "nameplate/analysis/steptime/pipeline.h"

namespace nameplate {
namespace {

// Stages alike but for an embedding on the first chunk and a head on the last.
PipelineInput pipeline(PipelineSchedule schedule, std::int64_t chunks, std::int64_t micro_batches) {
  constexpr std::int64_t kStages = 16;
  const ChunkTimes layer{milliseconds(10), {}, milliseconds(10), milliseconds(9)};
  PipelineInput input{.schedule = schedule,
                      .stages = kStages,
                      .chunks = chunks,
                      .micro_batches = micro_batches,
                      .times = std::vector<ChunkTimes>(static_cast<std::size_t>(kStages * chunks), layer),
                      .transfer = milliseconds(0.3)};
  input.times.front().forward = milliseconds(10.5);
  input.times.back() = {milliseconds(12), {}, milliseconds(12), milliseconds(11)};
  return input;
}

template <PipelineResult (*kRun)(const PipelineInput&)>
void schedule_benchmark(benchmark::State& state) {
  const auto schedule = static_cast<PipelineSchedule>(state.range(0));
  const PipelineInput input = pipeline(schedule, state.range(1), state.range(2));
  std::int64_t run = 0;
  for (auto _ : state) {
    const PipelineResult result = kRun(input);
    run = result.micro_batches_run;
    benchmark::DoNotOptimize(result.makespan);
  }
  state.counters["micro_batches_run"] = static_cast<double>(run);
}

void cases(benchmark::internal::Benchmark* b) {
  b->ArgNames({"schedule", "chunks", "micro_batches"});
  for (const std::int64_t micro_batches : {16, 512}) {
    b->Args({static_cast<int>(PipelineSchedule::one_f_one_b), 1, micro_batches});
    b->Args({static_cast<int>(PipelineSchedule::interleaved), 8, micro_batches});
    b->Args({static_cast<int>(PipelineSchedule::zero_bubble), 1, micro_batches});
    b->Args({static_cast<int>(PipelineSchedule::zero_bubble), 2, micro_batches});
  }
  b->Args({static_cast<int>(PipelineSchedule::dualpipe), 2, 512});
  b->Unit(benchmark::kMicrosecond);
}

void BM_Schedule(benchmark::State& state) { schedule_benchmark<run_pipeline>(state); }
void BM_ScheduleInFull(benchmark::State& state) { schedule_benchmark<run_pipeline_in_full>(state); }
BENCHMARK(BM_Schedule)->Apply(cases);
BENCHMARK(BM_ScheduleInFull)->Apply(cases);

}  // namespace
}  // namespace nameplate
