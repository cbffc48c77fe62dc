// How fast are failures simulated? One job with an aggregate rate; a fleet with a state for every node, repair and
// spares; and a large run a thousand times.
#include <benchmark/benchmark.h>

#include "nameplate/analysis/resilience/event_fleet.h"
#include "nameplate/analysis/resilience/event_replications.h"
#include "nameplate/analysis/resilience/event_run.h"

namespace nameplate {
namespace {

constexpr double kDay = 86400;

FailureClass failing(double per_day, RateUnit unit, double restart_s) {
  FailureClass failure;
  failure.rate.rate = PerSecond::from_base(per_day / kDay);
  failure.rate.unit = unit;
  failure.restart.at_one_node = seconds(restart_s);
  return failure;
}

CheckpointLevel saving(double block_s, double every_s) {
  CheckpointLevel level;
  level.block = level.total = seconds(block_s);
  level.every = seconds(every_s);
  return level;
}

EventModel compiled(benchmark::State& state, const SimulationInput& input) {
  Result<EventModel> model = compile(input);
  if (!model) state.SkipWithError(render(model.error()).c_str());
  return model ? *model : EventModel{};
}

// Llama 3's mean time between failures, 11,135 s, two levels of checkpoints.
void simulate_single_job(benchmark::State& state) {
  SimulationInput input;
  input.failures.classes = {failing(kDay / 11134.8, RateUnit::job, 300)};
  input.failures.checkpoints = {saving(1, 150), saving(30, 1200)};
  input.failures.checkpoints.front().covers = 0.9;
  input.length = seconds(11134.8 * 10000);
  const EventModel model = compiled(state, input);
  std::uint64_t count = 0;
  std::uint32_t number = 0;
  for (auto _ : state) count += failures(simulate_job(model, 1, number++));
  state.counters["failures"] = benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
}
BENCHMARK(simulate_single_job)->Unit(benchmark::kMillisecond);

// AIReSim's default case: 4,096 servers, 256 days of work, 15 % lemons, two stages of repair, 264 spares.
void simulate_fleet_with_repair(benchmark::State& state) {
  SimulationInput input;
  input.failures.classes = {failing(0.01, RateUnit::node, 1200)};
  input.failures.checkpoints = {CheckpointLevel{}};
  input.failures.lemon_share = 0.15;
  input.failures.lemon_factor = 6;
  input.failures.repair = {RepairStage{"automatic", seconds(7200), 0.2, 0.4, 0},
                           RepairStage{"manual", seconds(2 * kDay), 1, 0.2, 0}};
  input.failures.spares = {SparePool{SpareKind::warm, 64, seconds(0), 0},
                           SparePool{SpareKind::borrowed, 200, seconds(23 * 60), 0}};
  input.nodes = 4096;
  input.fails_while_stopped = false;
  input.end = SimulationEnd::work;
  input.length = seconds(256 * kDay);
  const EventModel model = compiled(state, input);
  std::uint64_t count = 0;
  std::uint32_t number = 0;
  for (auto _ : state) count += failures(simulate_fleet(model, 1, number++));
  state.counters["failures"] = benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
}
BENCHMARK(simulate_fleet_with_repair)->Unit(benchmark::kMillisecond);

// 16,384 accelerators for 54 days, a thousand times on two threads: aggregate (0) or node by node (1), with hot spares
// and repair.
void simulate_llama_3_a_thousand_times(benchmark::State& state) {
  SimulationInput input;
  input.failures.classes = {failing(3.79e-3, RateUnit::node, 300)};
  input.failures.checkpoints = {saving(20, 654)};
  input.nodes = 2048;
  input.devices_per_node = 8;
  input.length = seconds(54 * kDay);
  if (state.range(0) == 1) {
    input.failures.repair = {RepairStage{"shop", seconds(kDay), 1, 0, 0}};
    input.failures.spares = {SparePool{SpareKind::hot, 32, seconds(0), 1}};
  }
  const EventModel model = compiled(state, input);
  for (auto _ : state) {
    const auto replications = replicate([&](std::uint32_t i) { return simulate(model, 1, i); }, 0, 1000, 2);
    benchmark::DoNotOptimize(replications.data());
  }
}
BENCHMARK(simulate_llama_3_a_thousand_times)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace nameplate
