#include "nameplate/analysis/resilience/observed.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/mfu/log_for_test.h"

namespace nameplate {
namespace {

ObservedRun observe(const RunLog& log) { return observe(log, time_steps(log, {})).value_or(ObservedRun{}); }

const std::vector<double> kTwentySteps(20, 1.0);

TEST(Observed, ARunWithoutFailuresIsExposure) {
  const ObservedRun run = observe(clocked_log(1000, kTwentySteps));
  EXPECT_TRUE(run.failures.empty());
  EXPECT_DOUBLE_EQ(run.exposure.base(), 20);
}

// 20 steps, 100 s of standing still of which 30 s passed before the log told, then steps 15 to 34: 5 done again.
TEST(Observed, ARestartIsAFailureWithItsParts) {
  RunLog log = clocked_log(1000, kTwentySteps);
  restart(log, 15, 100, kTwentySteps);
  log.events.push_back(event_after(EventClass::failure, 19, 1050));
  const ObservedRun run = observe(log);
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_DOUBLE_EQ(run.failures[0].pause_s, 100);
  EXPECT_DOUBLE_EQ(*run.failures[0].detect_s, 30);
  EXPECT_DOUBLE_EQ(*run.failures[0].restart_s, 70);
  EXPECT_EQ(run.failures[0].redone_steps, 5);
  EXPECT_DOUBLE_EQ(run.exposure.base(), 40);
}

TEST(Observed, TheClusterTellsTheCauseAndTheNode) {
  RunLog log = clocked_log(1000, kTwentySteps);
  restart(log, 20, 100, kTwentySteps);
  Event xid = event_after(EventClass::device_error, 19, 1019.5);
  xid.scope = EventScope::node;
  xid.subject = "node017";
  log.events.push_back(xid);
  const ObservedRun run = observe(log);
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].cause, FailureCause::hardware);
  EXPECT_EQ(run.failures[0].subject, "node017");
  EXPECT_FALSE(run.failures[0].detect_s);
}

TEST(Observed, ARunThatEndsInAFailureHasOneMore) {
  RunLog log = clocked_log(1000, kTwentySteps);
  log.events.push_back(event_after(EventClass::failure, 19, 1500));
  const ObservedRun run = observe(log);
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_DOUBLE_EQ(*run.failures[0].detect_s, 480);
  EXPECT_FALSE(run.failures[0].restart_s);
}

TEST(Observed, Checkpoints) {
  RunLog log = clocked_log(0, std::vector<double>(40, 2.0));
  for (const std::int64_t step : {9, 19, 29}) {
    Event save = event_after(EventClass::checkpoint_save, step);
    save.duration_s = 3;
    log.events.push_back(save);
  }
  log.events.back().blocking = false;
  const ObservedRun run = observe(log);
  EXPECT_DOUBLE_EQ(*run.checkpoint_interval_s, 20);
  EXPECT_EQ(run.blocking_s, std::vector<double>(2, 3.0));
}

TEST(Observed, WithoutAClockNothing) {
  const RunLog log = printed_log(kTwentySteps);
  EXPECT_FALSE(observe(log, time_steps(log, {})));
}

}  // namespace
}  // namespace nameplate
