#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

std::string iteration(int iter, int step, double ms, bool steps) {
  return "Epoch 2 | iter " + std::to_string(iter) + " step " + std::to_string(step) +
         " | loss train: 2.500, val: n/a | iter time: " + std::to_string(ms) + " ms" + (steps ? " (step)\n" : "\n");
}

TEST(LitGpt, SumsMicroSteps) {
  const RunLog log = read_log(iteration(1, 0, 100, false) + iteration(2, 0, 110, false) + iteration(3, 1, 140, true) +
                              iteration(4, 1, 100, false) + iteration(5, 1, 100, false) + iteration(6, 2, 150, true));
  EXPECT_EQ(log.format, "litgpt");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 1);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.35);
  EXPECT_EQ(*log.steps[0].loss, 2.5);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 0.35);
  EXPECT_FALSE(log.claims.duration_is_mean);
}

// Every fourth iteration printed, two iterations a step: 8 iterations over 4 steps, 0.2 s an iteration on the mean.
TEST(LitGpt, EstimatesWhereIterationsAreNotPrinted) {
  const RunLog log = read_log(iteration(4, 2, 190, true) + iteration(8, 4, 190, true) + iteration(12, 6, 210, true));
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 0.38);
  EXPECT_DOUBLE_EQ(*log.steps[2].duration_s, 0.42);
  EXPECT_TRUE(log.claims.duration_is_mean);
}

TEST(LitGpt, ReadsFactsAndEvents) {
  const RunLog log = read_log("Number of trainable parameters: 1,234,567\n" + iteration(1, 1, 100, true) +
                              "iter 1: val loss 1.9000, val time: 2500.00 ms\nSaving checkpoint to out/final\n" +
                              "Training time: 12.50s\n");
  EXPECT_EQ(fact(log, "training.trainable_parameters"), "1234567");
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log.events[0].event_class, EventClass::evaluation);
  EXPECT_DOUBLE_EQ(*log.events[0].duration_s, 2.5);
  EXPECT_EQ(log.events[1].event_class, EventClass::checkpoint_save);
  EXPECT_EQ(log.events[2].event_class, EventClass::finished);
  EXPECT_DOUBLE_EQ(*log.events[2].duration_s, 12.5);
}

TEST(LitGpt, SurvivesDamage) {
  const RunLog log =
      read_log(iteration(1, 1, 100, true) + "Epoch 2 | iter x step 1 | loss train: 1, | iter time: 1 ms\n" +
               "Epoch 2 | iter 3 step 2 | loss train: nan, val: n/a | iter time: inf ms (step)\n" +
               "Epoch 2 | iter 4 step 3 | loss train: 2.1, val: n/a | iter time: 43");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[1].duration_s);
  EXPECT_EQ(defects(log, "log.unreadable_step"), 1);
  EXPECT_EQ(defects(log, "log.invalid_value"), 1);
}

}  // namespace
}  // namespace nameplate
