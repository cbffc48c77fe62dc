// The event simulation against what others published or computed. Each case names its source and its tolerance; what
// the sources leave open is stated as an assumption. The table is in docs/models/resilience-simulation.md.
#include <gtest/gtest.h>

#include <cstdio>

#include "nameplate/analysis/resilience/event_fleet.h"
#include "nameplate/analysis/resilience/event_ledger.h"
#include "nameplate/analysis/resilience/event_replications.h"
#include "nameplate/analysis/resilience/event_run.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

constexpr double kDay = 86400;

FailureClass failing(double per_day, RateUnit unit, double restart_s) {
  FailureClass failure;
  failure.name = "any";
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

EventModel compiled(const SimulationInput& input) {
  Result<EventModel> model = compile(input);
  EXPECT_TRUE(model.ok());
  return *model;
}

std::vector<Replication> simulated(const EventModel& model, std::uint32_t count) {
  return replicate([&](std::uint32_t i) { return simulate(model, 2026, i); }, 0, count, 2);
}

double count_of(const Replication& replication) { return static_cast<double>(failures(replication)); }

// AIReSim (arXiv 2603.07041, its default parameters): 11,145.6 failures and 62.28 % effective training time, which it
// takes 30 replications and minutes for. Its servers fail only while the job computes and nothing is lost; a repaired
// bad server is good. Its 16 standbys and 48 further idle servers are one pool here; a preempted server costs 20 min
// and 3 min of host selection.
TEST(ResilienceSimulation, AiresimDefaultCase) {
  SimulationInput input;
  input.failures.classes = {failing(0.01, RateUnit::node, 20 * 60)};
  input.failures.checkpoints = {CheckpointLevel{}};
  input.failures.lemon_share = 0.15;
  input.failures.lemon_factor = 6;  // random failures, and five times as many systematic ones
  input.failures.repair = {RepairStage{"automatic", seconds(7200), 0.2, 0.4, 0},
                           RepairStage{"manual", seconds(2 * kDay), 1, 0.2, 0}};
  input.failures.spares = {SparePool{SpareKind::warm, 64, seconds(0), 0},
                           SparePool{SpareKind::borrowed, 200, seconds(23 * 60), 0}};
  input.nodes = 4096;
  input.fails_while_stopped = false;
  input.end = SimulationEnd::work;
  input.length = seconds(256 * kDay);
  const EventModel model = compiled(input);
  const auto replications = simulated(model, 30);
  EXPECT_NEAR(distribution(replications, count_of, 0.95).mean, 11145, 0.01 * 11145);
  EXPECT_NEAR(distribution(replications, ettr, 0.95).mean, 0.623, 0.01);
}

struct Young {
  double shape, in_54_days, week_factor;
};

// A new fleet of 2,048 nodes at Llama 3's mean life, 263.9 node-days: failures in 54 days by a renewal Monte Carlo
// outside, and how many times the mean rate the first week sees. That has noise of its own: 1.5 %, 5 % for a week.
TEST(ResilienceSimulation, YoungFleets) {
  for (const Young& expected : {Young{1, 419.1, 1}, Young{0.7, 849, 3.5}, Young{0.5, 1565, 9}, Young{1.5, 159, 0}}) {
    SimulationInput input;
    input.failures.classes = {failing(3.79e-3, RateUnit::node, 0)};
    input.failures.classes.front().shape = expected.shape;
    input.failures.checkpoints = {CheckpointLevel{}};
    input.nodes = 2048;
    input.length = seconds(54 * kDay);
    const FigureSpread all = distribution(simulated(compiled(input), 200), count_of, 0.99);
    EXPECT_NEAR(all.mean, expected.in_54_days, 0.015 * expected.in_54_days) << expected.shape;
    input.length = seconds(7 * kDay);
    const FigureSpread week = distribution(simulated(compiled(input), 200), count_of, 0.99);
    const double factor = week.mean / (2048 * 3.79e-3 * 7);
    if (expected.week_factor > 0) { EXPECT_NEAR(factor, expected.week_factor, 0.05 * expected.week_factor); }
  }
}

// Burnt in for half a year, the fleet of shape 0.7 has two fifths fewer failures in its 54 days, and still more than in
// the long run.
TEST(ResilienceSimulation, BurnInIsWorthMostOfTheFirstMonths) {
  SimulationInput input;
  input.failures.classes = {failing(3.79e-3, RateUnit::node, 0)};
  input.failures.classes.front().shape = 0.7;
  input.failures.checkpoints = {CheckpointLevel{}};
  input.nodes = 2048;
  input.length = seconds(54 * kDay);
  const double young = distribution(simulated(compiled(input), 100), count_of, 0.95).mean;
  input.failures.fleet_age = seconds(180 * kDay);
  const double aged = distribution(simulated(compiled(input), 100), count_of, 0.95).mean;
  EXPECT_LT(aged, 0.65 * young);
  EXPECT_GT(aged, 419);
}

// Llama 3 (arXiv 2407.21783, table 5): 419 unexpected interruptions in 54 days at 16,384 GPUs. At its own mean rate,
// 3.79 per 1,000 node-days, 90 % of runs lie between the Poisson quantiles 386 and 453 (SciPy); 419 lies inside.
TEST(ResilienceSimulation, Llama3Interruptions) {
  SimulationInput input;
  input.failures.classes = {failing(3.79e-3, RateUnit::node, 300)};
  input.failures.checkpoints = {saving(20, 654)};
  input.nodes = 2048;
  input.length = seconds(54 * kDay);
  const FigureSpread count = distribution(simulated(compiled(input), 2000), count_of, 0.95);
  EXPECT_NEAR(count.p05, 386, 4);
  EXPECT_NEAR(count.p95, 453, 4);
  EXPECT_LT(count.p05, 419);
  EXPECT_GT(count.p95, 419);
}

// Its model card: 30.84 M GPU-hours. 3.79e25 FLOPs at 41 % of 989 TFLOP/s are 25.97 M at full speed. At the frontier
// where ETTR is just its stated 0.90 (5 s blocking, 838 s of detection and restart, the exact optimum 330 s) the
// simulated run must take within 7 % of it.
TEST(ResilienceSimulation, Llama3GpuHours) {
  SimulationInput input;
  input.failures.classes = {failing(kDay / 11134.8, RateUnit::job, 838)};
  input.failures.checkpoints = {saving(5, 330.36)};
  input.nodes = 2048;
  input.devices_per_node = 8;
  input.end = SimulationEnd::work;
  input.length = seconds(25.97e6 / 16384 * 3600);
  const EventModel model = compiled(input);
  const auto replications = simulated(model, 200);
  EXPECT_NEAR(distribution(replications, ettr, 0.99).mean, 0.90, 0.002);
  EXPECT_NEAR(accelerator_hours(model, replications), 30.84e6, 0.07 * 30.84e6);
}

// Meta's RSC-1 (arXiv 2410.21680): 6.50 failures per 1,000 node-days; projected mean time between failures 1.80 h at
// 16,384 GPUs and 0.23 h at 131,072; expected ETTR 0.93 there with 5 min checkpoints and 5 min to come back (exact form
// 0.9329).
TEST(ResilienceSimulation, Rsc1) {
  SimulationInput input;
  input.failures.classes = {failing(6.5e-3, RateUnit::node, 300)};
  input.failures.checkpoints = {saving(0, 300)};
  input.nodes = 2048;
  input.length = seconds(100 * kDay);
  const auto replications = simulated(compiled(input), 100);
  EXPECT_NEAR(distribution(replications, ettr, 0.99).mean, 0.9329, 0.001);
  EXPECT_NEAR(100 * 24 / distribution(replications, count_of, 0.99).mean, 1.803, 0.02);
  input.nodes = 16384;
  EXPECT_NEAR(100 * 24 / distribution(simulated(compiled(input), 100), count_of, 0.99).mean, 0.2254, 0.003);
}

// Fault injection on 64 H200, Llama 4 Scout, 3,000 steps, a checkpoint every 100 steps, a failure every 2,700 to 4,500
// s (clockwork.io, "Keeping Distributed Training Running Through Failures"): 405 min when the failed GPU's state moves
// to a spare, 818 min with restarts from the checkpoint, 930 min with torchft.
class FaultInjection : public testing::Test {
 protected:
  static constexpr double kStep = 7.8;  // s: half an interval of 50 steps is about 390 s (derived from the same page)

  // Mean minutes over 200 draws of the injection times.
  static double minutes(const SimulationInput& input) {
    const EventModel model = compiled(input);
    double total = 0;
    for (std::uint32_t number = 0; number < 200; ++number) {
      RandomStream random(7, number);
      std::vector<RecordedFailure> injected;
      double at = 0;
      for (int i = 0; i < 100; ++i) {
        at += 2700 + 1800 * random.next_uniform();
        injected.push_back({at, 0, std::nullopt});
      }
      total += replay_job(model, injected, 7, number).wall / 60;
    }
    return total / 200;
  }

  static SimulationInput three_thousand_steps(double restart_s, double every_s) {
    SimulationInput input;
    input.failures.classes = {failing(1, RateUnit::job, restart_s)};
    input.failures.checkpoints = {saving(0, every_s)};
    input.end = SimulationEnd::work;
    input.length = seconds(3000 * kStep);
    return input;
  }
};

// Fitted: the restart time that gives 818 min; by hand, with 13.6 failures and 50 lost steps each, 24 to 26 min.
TEST_F(FaultInjection, RestartTimeFromTheCheckpointRun) {
  double low = 0;
  double high = 2400;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (minutes(three_thousand_steps(middle, 100 * kStep)) < 818 ? low : high) = middle;
  }
  std::printf("fault injection: 818 min mean a restart of %.1f min\n", low / 60);
  EXPECT_GT(low / 60, 23);
  EXPECT_LT(low / 60, 27);
}

// Predicted, nothing fitted: no work lost; 10 s until a lost GPU is seen and 46 s to put the job on its new node, both
// as ByteRobust publishes them (arXiv 2509.16293, 128 machines).
TEST_F(FaultInjection, MigrationToASpareIsPredicted) {
  const double predicted = minutes(three_thousand_steps(56, 0));
  std::printf("fault injection: migration predicted %.0f min, measured 405 (%+.1f %%)\n", predicted,
              100 * (predicted / 405 - 1));
  EXPECT_NEAR(predicted, 405, 0.05 * 405);
}

// The same cost for torchft's regrouping, and one step is lost: the failures alone do not explain 930 min. What is
// missing is not a cost of failures, as the page says too: torchft's exchange between groups slows every step.
TEST_F(FaultInjection, TorchftIsMissedByItsStepOverhead) {
  const double predicted = minutes(three_thousand_steps(56 + kStep, 0));
  std::printf("fault injection: torchft predicted %.0f min, measured 930 (%+.1f %%)\n", predicted,
              100 * (predicted / 930 - 1));
  EXPECT_LT(predicted, 0.5 * 930);
  EXPECT_GT(predicted, 3000 * kStep / 60);
}

}  // namespace
}  // namespace nameplate
