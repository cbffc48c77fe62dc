#include "nameplate/analysis/resilience/event_simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nameplate/analysis/resilience/closed_form_levels.h"
#include "nameplate/analysis/resilience/event_ledger.h"
#include "nameplate/analysis/resilience/event_model_for_test.h"
#include "nameplate/analysis/resilience/event_path.h"
#include "nameplate/analysis/resilience/event_replications.h"

namespace nameplate {
namespace {

Simulate job(const EventModel& model, std::uint64_t seed = 11) {
  return [&model, seed](std::uint32_t number) { return simulate_job(model, seed, number); };
}

struct Regime {
  double block, mttf, restart, interval, efficiency;
};

// Young and Daly's setting with failures during checkpoints and restarts; efficiency = tau / (M e^(R/M) (e^((tau+d)/M)
// - 1)), computed outside with SciPy at the exact optimum (Lambert W).
class ExactForm : public testing::TestWithParam<Regime> {};

TEST_P(ExactForm, LiesInThe99PercentInterval) {
  const Regime& regime = GetParam();
  SimulationInput input = single_job(regime.mttf, regime.restart, regime.block, regime.interval);
  input.length = seconds(regime.mttf * 5000);
  const EventModel model = compiled(input);
  const auto replications = replicate(job(model), 0, 100, 1);
  const FigureSpread result = distribution(replications, ettr, 0.99);
  // The table's digits end at 5e-6.
  EXPECT_GT(result.mean_interval.high + 5e-6, regime.efficiency);
  EXPECT_LT(result.mean_interval.low - 5e-6, regime.efficiency);
  EXPECT_LT(result.standard_error, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Table, ExactForm,
                         testing::Values(Regime{60, 3600, 120, 617.89, .80121},
                                         Regime{20, 11134.8, 300, 654.11, .91623},
                                         Regime{60, 11134.8, 300, 1116.28, .87583},
                                         Regime{120, 6480, 600, 1168.39, .74720}, Regime{30, 828, 120, 203.36, .65262},
                                         Regime{300, 86400, 600, 7001.40, .91261},
                                         Regime{600, 3600, 600, 1699.23, .44694},
                                         Regime{5, 11134.8, 180, 330.36, .95477}, Regime{1, 828, 60, 40.03, .88513}));

// Every booked second is a second of the clock, whatever the model.
TEST(EventSimulation, TimeIsConserved) {
  SimulationInput input = single_job(3000, 200, 20, 300);
  input.failures.checkpoints.front().total = seconds(100);
  input.failures.checkpoints.front().covers = 0.8;
  CheckpointLevel store = input.failures.checkpoints.front();
  store.every = seconds(1500);
  store.covers = 1;
  input.failures.checkpoints.push_back(store);
  FailureClass silent = input.failures.classes.front();
  silent.cause = FailureCause::silent_corruption;
  silent.detect = seconds(900);
  input.failures.classes.push_back(silent);
  input.startup = seconds(77);
  for (SimulationEnd end : {SimulationEnd::wall, SimulationEnd::work}) {
    input.end = end;
    const EventModel model = compiled(input);
    for (const Replication& replication : replicate(job(model), 0, 200, 1)) {
      EXPECT_NEAR(sum(replication.time), replication.wall, 1e-9 * replication.wall);
      EXPECT_NEAR(replication.time.productive, replication.work, 1e-9 * replication.wall);
      EXPECT_TRUE(replication.finished);
    }
  }
}

TEST(EventSimulation, SameBytesOnAnyNumberOfThreads) {
  const EventModel model = compiled(single_job(3600, 120, 60, 600));
  const auto one = replicate(job(model), 0, 64, 1);
  EXPECT_EQ(one, replicate(job(model), 0, 64, 4));
  EXPECT_EQ(one, replicate(job(model), 0, 64, ThreadExecutor(), 3));
  EXPECT_TRUE(std::ranges::equal(replicate(job(model), 7, 41, ThreadExecutor(), 2), std::span(one).subspan(7, 41)));
  // A rank that does a part of them gets the same part.
  const auto part = replicate(job(model), 40, 24, 2);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), one.begin() + 40));
  EXPECT_NE(one, replicate(job(model, 12), 0, 64, 1));
}

struct TwoLevels {
  double mttf, covers;
};

// Two levels against the exact chain of closed_form_levels.h, which shares no code with the simulation, at Llama 3's
// rate and a harsh one: the shares of the time within the simulation's own 99 % interval. Saves made again while work
// is redone are checkpoints here and lost work there, so those two are compared together.
class ExactChain : public testing::TestWithParam<TwoLevels> {};

TEST_P(ExactChain, LiesInThe99PercentInterval) {
  const TwoLevels& regime = GetParam();
  SimulationInput input = single_job(regime.mttf, 0, 1, 150);
  input.failures.classes.front().detect = seconds(20);
  input.failures.checkpoints.front().covers = regime.covers;
  input.failures.checkpoints.front().load = seconds(60);
  CheckpointLevel store;
  store.block = store.total = seconds(30);
  store.every = seconds(1200);
  store.load = seconds(600);
  input.failures.checkpoints.push_back(store);
  input.length = seconds(regime.mttf * 5000);
  const EventModel model = compiled(input);
  const auto replications = replicate(job(model), 0, 60, 1);
  const std::vector<Seconds> restart = {seconds(60), seconds(600)};
  const PerSecond rate = PerSecond::from_base(1 / regime.mttf);
  const TimeShares exact = time_shares({{rate * regime.covers, 0, seconds(20), Seconds{}, restart},
                                        {rate * (1 - regime.covers), 1, seconds(20), Seconds{}, restart}},
                                       {seconds(150), {seconds(1), seconds(30)}, {1, 8}});
  const auto compare = [&](double expected, const ReplicationFigure& share) {
    const FigureSpread result = distribution(replications, share, 0.99);
    EXPECT_GT(result.mean_interval.high, expected);
    EXPECT_LT(result.mean_interval.low, expected);
    EXPECT_LT(result.standard_error, 0.01 * expected);
  };
  compare(exact.work, ettr);
  compare(exact.detect, [](const Replication& r) { return r.time.detect / r.wall; });
  compare(exact.restart, [](const Replication& r) { return r.time.restart / r.wall; });
  compare(exact.checkpoint + exact.lost_work,
          [](const Replication& r) { return (r.time.checkpoint + r.time.lost_work) / r.wall; });
}

INSTANTIATE_TEST_SUITE_P(Regimes, ExactChain,
                         testing::Values(TwoLevels{11134.8, 0.9}, TwoLevels{11134.8, 0.5}, TwoLevels{2000, 0.9},
                                         TwoLevels{2000, 0.5}));

// The restart by hand: failures at 1000 s and 1300 s, checkpoints of 10 s every 100 s of work, restart 60 s, detection
// 40 s. Until 1000 s: a period of 110 s ends 9 times (990 s, 900 s of work), then 10 s of work: 910. Back to 900; 40 +
// 60 s; from 1100 s: 10 s redone, 90 s new, checkpoint at 1200 s; 90 s of work to 1300 s: 1090. Back to 1000; 100 s;
// from 1400 s 90 s redone and 10 s new until 1500 s: 1100.
TEST(EventSimulation, ReplayByHand) {
  SimulationInput input = single_job(1e9, 60, 10, 100);
  input.failures.classes.front().detect = seconds(40);
  input.length = seconds(1500);
  const EventModel model = compiled(input);
  const std::vector<RecordedFailure> recorded = {{1000, 0, {}}, {1300, 0, {}}};
  std::vector<PathPoint> path;
  const Replication replication = replay_job(model, recorded, 1, 0, &path);
  EXPECT_NEAR(replication.time.productive, 1100, 1e-9);
  EXPECT_NEAR(replication.time.lost_work, 100, 1e-9);
  EXPECT_NEAR(replication.time.checkpoint, 100, 1e-9);
  EXPECT_NEAR(replication.time.detect, 80, 1e-9);
  EXPECT_NEAR(replication.time.restart, 120, 1e-9);
  EXPECT_EQ(replication.failures[0], 2u);
  // The path shows it: at 1110 s the redone work ends with 910 done.
  EXPECT_NE(std::find(path.begin(), path.end(), PathPoint{1110, 910}), path.end());
  // The worst 200 s are those from 1290 s on: productive for 10 s, at the mean pace of 180 s in the 190 s since 1110 s.
  EXPECT_NEAR(sliding_ettr(path, seconds(200)).lowest, 10.0 * 180 / 190 / 200, 1e-9);
}

// A save that takes 500 s in the background: at 1000 s those begun at 880 and 990 s and four others are not there yet;
// the newest usable one is of 400 s of work, begun at 400 + 3 * 10 = 430 s, usable at 930 s.
TEST(EventSimulation, ASaveUnderWayIsLost) {
  SimulationInput input = single_job(1e9, 0, 10, 100);
  input.failures.checkpoints.front().total = seconds(500);
  input.length = seconds(1000.001);
  const EventModel model = compiled(input);
  const std::vector<RecordedFailure> recorded = {{1000, 0, {}}};
  const Replication replication = replay_job(model, recorded, 1, 0);
  EXPECT_NEAR(replication.time.productive, 910, 1e-9);
  SimulationInput longer = input;
  longer.length = seconds(1600);
  // Redone: 510 s of work and 5 checkpoints (at 500 .. 900) = 560 s; 40 s left of 1600.
  const Replication after = replay_job(compiled(longer), recorded, 1, 0);
  EXPECT_NEAR(after.time.lost_work, 510, 1e-9);
  EXPECT_NEAR(after.time.productive, 950, 1e-9);
}

// Corrupt at 550 s, noticed 300 s later; checkpoints every 100 s cost nothing. Back to 500 s of work, 60 s of restart,
// 350 s of work again, and 1500 - 850 - 60 - 350 = 240 s new.
TEST(EventSimulation, SilentCorruptionGoesBackBeforeIt) {
  SimulationInput input = single_job(1e9, 60, 0, 100);
  input.failures.classes.front().cause = FailureCause::silent_corruption;
  input.failures.classes.front().detect = seconds(300);
  input.length = seconds(1500);
  const std::vector<RecordedFailure> recorded = {{550, 0, {}}};
  const Replication replication = replay_job(compiled(input), recorded, 1, 0);
  EXPECT_NEAR(replication.time.lost_work, 350, 1e-9);
  EXPECT_NEAR(replication.time.productive, 1090, 1e-9);
  EXPECT_NEAR(replication.time.restart, 60, 1e-9);
  // Cut off before it is noticed, the work since counts for nothing.
  input.length = seconds(700);
  const Replication cut = replay_job(compiled(input), recorded, 1, 0);
  EXPECT_NEAR(cut.time.productive, 550, 1e-9);
  EXPECT_NEAR(cut.time.lost_work, 150, 1e-9);
  EXPECT_NEAR(cut.work, 550, 1e-9);
}

// Dearer restarts on the same failures: the difference is known far better than either mean.
TEST(EventSimulation, CommonRandomNumbersNarrowTheDifference) {
  const EventModel cheap = compiled(single_job(11134.8, 300, 20, 650));
  const EventModel dear = compiled(single_job(11134.8, 330, 20, 650));
  const auto a = replicate(job(cheap), 0, 50, 1);
  const auto b = replicate(job(dear), 0, 50, 1);
  const double paired = paired_difference(a, b, ettr, 0.95).standard_error;
  const double apart =
      std::hypot(distribution(a, ettr, 0.95).standard_error, distribution(b, ettr, 0.95).standard_error);
  EXPECT_LT(paired, 0.25 * apart);
}

TEST(EventSimulation, LedgerClosesAndSaysWhatItLacks) {
  const EventModel model = compiled(single_job(3600, 120, 60, 600));
  const auto replications = replicate(job(model), 0, 10, 1);
  const Ledger ledger = run_ledger(model, replications);
  const double productive = distribution(replications, ettr, 0.95).mean;
  EXPECT_NEAR(*ledger.share(LedgerRow::unattributed), productive, 1e-9);
  EXPECT_FALSE(ledger.evidence(LedgerRow::unattributed).empty());
  const Ledger step = LedgerBuilder(LedgerScope::step, 1, 1)
                          .book(LedgerRow::model_compute, 0.4)
                          .book(LedgerRow::host_bound, 0.6)
                          .close(1);
  const Ledger whole = run_ledger(model, replications, step);
  EXPECT_NEAR(*whole.share(LedgerRow::model_compute), 0.4 * productive, 1e-9);
  EXPECT_NEAR(*whole.share(LedgerRow::unattributed), 0, 1e-9);
}

TEST(EventSimulation, WrongInputIsAnError) {
  SimulationInput input = single_job(3600, 120, 60, 600);
  input.failures.classes.front().domain_share = 1.5;
  EXPECT_FALSE(compile(input).ok());
  EXPECT_NE(render(compile(input).error()).find("failure class 'any': share of its domain is 1.5"), std::string::npos);
  input = single_job(3600, 120, 60, 0);
  EXPECT_FALSE(compile(input).ok());
  input = single_job(3600, 120, 60, 600);
  input.length = seconds(0);
  EXPECT_FALSE(compile(input).ok());
}

}  // namespace
}  // namespace nameplate
