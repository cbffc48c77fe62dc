#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

TEST(RunlogNanoGpt, ReadsStepsEvaluationsAndCheckpoints) {
  const RunLog log = read_log(
      "tokens per iteration will be: 16,384\n"
      "number of parameters: 29.94M\n"
      "step 0: train loss 10.9000, val loss 10.9100\n"
      "iter 0: loss 10.9050, time 4000.50ms, mfu -100.00%\n"
      "iter 10: loss 9.5000, time 250.25ms, mfu 12.50%\n"
      "step 20: train loss 9.1000, val loss 9.2000\n"
      "saving checkpoint to out\n"
      "iter 20: loss 9.0500, time 1250.00ms, mfu 12.25%\n");
  EXPECT_EQ(log.format, "nanogpt");
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_FALSE(log.steps[0].claimed_mfu);
  EXPECT_DOUBLE_EQ(*log.steps[1].claimed_mfu, 0.125);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 0.25025);
  EXPECT_EQ(*log.steps[1].tokens, 16384);
  EXPECT_EQ(*log.steps[2].duration_s, 1.25);  // as printed, though it contains the pause
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log.events[0].event_class, EventClass::evaluation);
  EXPECT_FALSE(log.events[0].after_step);
  EXPECT_EQ(log.events[1].event_class, EventClass::evaluation);
  EXPECT_EQ(log.events[1].after_step, 10);
  EXPECT_EQ(log.events[2].event_class, EventClass::checkpoint_save);
  EXPECT_EQ(fact(log, "model.parameters"), "29940000");
  EXPECT_EQ(log.claims.convention, "nanogpt");
  EXPECT_EQ(log.claims.peak_tflops, 312);
  EXPECT_TRUE(log.claims.mfu_is_running_mean);
}

TEST(RunlogNanoGpt, ReadsLinesWithAClockAndWithoutMfu) {
  const RunLog log = read_log(
      "2025-05-01 10:00:00 iter 5: loss 3.5, time 100.00ms\n"
      "2025-05-01 10:00:01 iter 6: loss nan, time 101.00ms\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(*log.steps[1].end_s - *log.steps[0].end_s, 1);
  EXPECT_FALSE(log.steps[1].loss);
  EXPECT_TRUE(log.claims.convention.empty());
  EXPECT_TRUE(log.defects.empty());
}

TEST(RunlogNanoGpt, CountsBadTimes) {
  const RunLog log = read_log(
      "iter 1: loss 3.5, time nanms\n"
      "iter 2: loss 3.5, time -3.00ms\n"
      "iter 3: loss 3.5, time 0.00ms\n"
      "iter -4: loss 3.5, time 5.00ms\n"
      "iter 5: loss 3.5, time 50.0");
  EXPECT_EQ(log.steps.size(), 4u);
  EXPECT_EQ(defects(log, "log.invalid_value"), 4);
  EXPECT_FALSE(log.steps[3].duration_s);
}

}  // namespace
}  // namespace nameplate
