// How long one prediction takes: Llama 3.1 405B on 16,384 H100, interleaved, as `predict_step` does it, and the bare
// evaluation that a fit repeats. The aim: a prediction in less than 200 us.
#include <benchmark/benchmark.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/steptime/step.h"
#include "nameplate/analysis/steptime/times.h"
#include "nameplate/api/step_device.h"
#include "nameplate/inputs/catalogue.h"
#include "nameplate/inputs/step_calibration.h"

namespace nameplate {
namespace {

StepSetup large_setup() {
  const Catalogue& catalogue = Catalogue::embedded();
  StepSetup setup;
  setup.architecture = build_decoder((*catalogue.find_model("llama-3.1-405b"))->shape);
  setup.plan.tp = 8;
  setup.plan.pp = 16;
  setup.plan.virtual_pp = 8;
  setup.plan.schedule = PipelineSchedule::interleaved;
  setup.plan.dp = setup.plan.dp_shard = 128;
  setup.plan.zero = 1;
  setup.plan.sp = true;
  setup.plan.accumulation = 16;
  setup.workload = uniform_workload(2048, 8192);
  const Accelerator* part = step_accelerator(catalogue, "H100 SXM", setup.assumptions);
  setup.device = *step_device(catalogue, *part, Precision::bf16, embedded_step_calibration(), setup.assumptions);
  setup.fabric = step_fabric(*part, {}, setup.assumptions);
  setup.framework = *StepFrameworks::embedded().find_by_id("nemo");
  return setup;
}

void BM_PredictStep(benchmark::State& state) {
  const StepSetup setup = large_setup();
  for (auto _ : state) benchmark::DoNotOptimize(predict_step(setup, embedded_step_calibration()).step_time);
}
BENCHMARK(BM_PredictStep)->Unit(benchmark::kMicrosecond);

void BM_StepSeconds(benchmark::State& state) {
  const StepSetup setup = large_setup();
  const CompiledStep work = step_work(setup, embedded_step_calibration());
  const StepValues values = step_values(work, embedded_step_calibration());
  for (auto _ : state) benchmark::DoNotOptimize(step_seconds(setup, work, values).total);
}
BENCHMARK(BM_StepSeconds)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace nameplate
