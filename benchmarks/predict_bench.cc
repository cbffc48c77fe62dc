// A full prediction of Llama 3.1 405B on 16,384 accelerators, from the facts on: step, schedule, ledger, memory.
#include <benchmark/benchmark.h>

#include "nameplate/api/load.h"
#include "nameplate/api/predict_run.h"
#include "nameplate/inputs/step_calibration.h"

namespace nameplate {
namespace {

Result<LoadedRun> llama(std::string_view virtual_pp) {
  return load({.settings = {{"model.name", "llama-3.1-405b"},
                            {"training.seq_len", "8192"},
                            {"training.global_batch", "2048"},
                            {"training.micro_batch", "1"},
                            {"training.framework", "megatron-core"},
                            {"cluster.accelerator", "H100 SXM"},
                            {"cluster.count", "16384"},
                            {"plan.tp", "8"},
                            {"plan.pp", "16"},
                            {"plan.sp", "true"},
                            {"plan.schedule", virtual_pp == "1" ? "1f1b" : "interleaved"},
                            {"plan.virtual_pp", std::string(virtual_pp)}}});
}

void BM_PredictStep(benchmark::State& state) {
  const LoadedRun run = llama(state.range(0) == 1 ? "1" : "8").value();
  const StepCalibration& calibration = embedded_step_calibration();
  const RunSetup setup = run_setup(run, Catalogue::embedded(), calibration).value();
  for (auto _ : state) {
    const StepPrediction step = predict_step(setup.step, calibration);
    benchmark::DoNotOptimize(step_ledger(setup.step, step).total());
  }
}
BENCHMARK(BM_PredictStep)->ArgName("chunks")->Arg(1)->Arg(8)->Unit(benchmark::kMicrosecond);

void BM_PredictRun(benchmark::State& state) {
  const LoadedRun run = llama(state.range(0) == 1 ? "1" : "8").value();
  for (auto _ : state) {
    const Result<Prediction> prediction = predict_run(run, Catalogue::embedded());
    benchmark::DoNotOptimize(prediction->step_time);
  }
}
BENCHMARK(BM_PredictRun)->ArgName("chunks")->Arg(1)->Arg(8)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace nameplate
