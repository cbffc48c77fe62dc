#include "nameplate/analysis/mfu/step_times.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/mfu/log_for_test.h"

namespace nameplate {
namespace {

std::vector<StepClass> classes(const StepTimes& times) {
  std::vector<StepClass> found;
  for (const TimedStep& row : times.rows) found.push_back(row.step_class);
  return found;
}

constexpr auto kWarmUp = StepClass::warm_up;
constexpr auto kSteady = StepClass::steady;
constexpr auto kRedone = StepClass::redone;
constexpr auto kInvalid = StepClass::invalid;

// --- warm-up ---

TEST(StepTimes, SlowFirstRowsAreWarmUp) {
  const StepTimes times = time_steps(printed_log({9, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), {});
  EXPECT_EQ(times.rows[0].step_class, kWarmUp);
  EXPECT_EQ(times.rows[1].step_class, kWarmUp);
  EXPECT_EQ(times.rows[2].step_class, kSteady);
  EXPECT_EQ(times.median_s, 1);
  EXPECT_EQ(times.source, DurationSource::printed);
}

TEST(StepTimes, AFastFirstRowIsWarmUpToo) {  // asynchronous dispatch: the launch is timed, not the step
  EXPECT_EQ(time_steps(printed_log({0.1, 1, 1, 1, 1, 1, 1, 1}), {}).rows[0].step_class, kWarmUp);
}

TEST(StepTimes, EvenStepsHaveNoWarmUp) {  // 1.05 is within 10 % of the median
  EXPECT_EQ(classes(time_steps(printed_log({1.05, 1, 1, 1, 1}), {})), std::vector(5, kSteady));
}

TEST(StepTimes, WarmUpIsAtMostAQuarter) {  // 8 rows: two at most, however slow the third is
  const StepTimes times = time_steps(printed_log({9, 9, 9, 1, 1, 1, 1, 1}), {});
  EXPECT_EQ(times.rows[1].step_class, kWarmUp);
  EXPECT_EQ(times.rows[2].step_class, kSteady);
}

TEST(StepTimes, WarmUpIsAtMostTwentyRows) {
  std::vector<double> durations(25, 5.0);
  durations.resize(200, 1.0);
  const StepTimes times = time_steps(printed_log(durations), {});
  EXPECT_EQ(times.rows[19].step_class, kWarmUp);
  EXPECT_EQ(times.rows[20].step_class, kSteady);
}

TEST(StepTimes, ASlowStepAfterThreeOrdinaryOnesIsNoWarmUp) {
  std::vector<double> durations(40, 1.0);
  durations[0] = 9;
  durations[6] = 5;
  const StepTimes times = time_steps(printed_log(durations), {});
  EXPECT_EQ(times.rows[0].step_class, kWarmUp);
  EXPECT_EQ(times.rows[1].step_class, kSteady);
  EXPECT_EQ(times.rows[6].step_class, kSteady);
}

// The first 20 rows are even; that the run slows down by 20 % halfway makes them no warm-up.
TEST(StepTimes, ALaterShiftOfTheLevelIsNoWarmUp) {
  std::vector<double> durations(200, 1.0);
  std::fill(durations.begin() + 90, durations.end(), 1.2);
  EXPECT_EQ(time_steps(printed_log(durations), {}).rows[0].step_class, kSteady);
}

// --- pauses ---

// nanoGPT times from before the evaluation to after the step: one of 35.4 s among steps of 1.1 s, beside "saving
// checkpoint"; the pause is 35.4 - 1.1 = 34.3 s.
TEST(StepTimes, APauseInsideThePrintedTimeIsSplitOff) {
  RunLog log = printed_log(std::vector<double>(20, 1.1));
  log.steps[10].duration_s = 35.4;
  log.events = {event_after(EventClass::evaluation, 9), event_after(EventClass::checkpoint_save, 9)};
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.rows[10].step_class, StepClass::evaluation);
  EXPECT_DOUBLE_EQ(times.rows[10].duration_s, 1.1);
  EXPECT_DOUBLE_EQ(times.rows[10].pause_s, 34.3);
}

TEST(StepTimes, APauseOutsideThePrintedTimeChangesNothing) {
  RunLog log = printed_log(std::vector<double>(20, 1.1));
  log.events = {event_after(EventClass::evaluation, 9)};
  EXPECT_EQ(classes(time_steps(log, {})), std::vector(20, kSteady));
}

TEST(StepTimes, AnAsynchronousSaveIsNoPause) {
  RunLog log = printed_log(std::vector<double>(20, 1.0));
  log.steps[10].duration_s = 5;
  log.events = {event_after(EventClass::checkpoint_save, 9)};
  log.events[0].blocking = false;
  EXPECT_EQ(time_steps(log, {}).rows[10].step_class, kSteady);
}

TEST(StepTimes, ASlowRowWithoutAnEventStaysSteady) {
  std::vector<double> durations(20, 1.0);
  durations[10] = 5;
  const StepTimes times = time_steps(printed_log(durations), {});
  EXPECT_EQ(times.rows[10].step_class, kSteady);
  EXPECT_EQ(times.rows[10].pause_s, 0);
}

// A mean over 10 steps of 1.3 s with a median of 1 s hides a pause of 10 x 0.3 = 3 s.
TEST(StepTimes, AMeanOverAnIntervalHidesItsPause) {
  RunLog log = printed_log({1, 1, 1, 1, 1, 1, 1.3, 1, 1, 1});
  log.claims.duration_is_mean = true;
  for (Step& step : log.steps) step.index = (step.index + 1) * 10;
  log.events = {event_after(EventClass::evaluation, 60)};
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.source, DurationSource::printed_mean);
  EXPECT_EQ(times.interval, 10);
  EXPECT_EQ(times.rows[6].step_class, StepClass::evaluation);
  EXPECT_NEAR(times.rows[6].pause_s, 3, 1e-12);
}

// --- attempts ---

TEST(StepTimes, RepeatedIndicesAreRedone) {
  RunLog log = clocked_log(1000, std::vector<double>(10, 1.0));
  restart(log, 7, 60, std::vector<double>(5, 1.0));  // 7, 8, 9 again; 10, 11 new
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.rows[9].step_class, kSteady);
  for (std::size_t i : {10, 11, 12}) EXPECT_EQ(times.rows[i].step_class, kRedone) << i;
  for (std::size_t i : {13, 14}) EXPECT_EQ(times.rows[i].step_class, kSteady) << i;
}

TEST(StepTimes, AClockThatGoesBackIsAnotherRun) {
  RunLog log = clocked_log(1000, std::vector<double>(10, 1.0));
  restart(log, 0, -500, std::vector<double>(5, 1.0));
  const StepTimes times = time_steps(log, {});
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(times.rows[i].step_class, kSteady) << i;
  for (std::size_t i = 10; i < 15; ++i)
    EXPECT_EQ(times.rows[i].step_class, StepClass::other_run) << i;  // the shorter one
  EXPECT_EQ(count_of(times.defects, "log.other_runs"), 1);
}

TEST(StepTimes, EachAttemptWarmsUp) {
  RunLog log = clocked_log(0, {5, 1, 1, 1, 1, 1, 1, 1});
  restart(log, 8, 60, {6, 1, 1, 1, 1, 1, 1, 1});
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.rows[0].step_class, kWarmUp);
  EXPECT_EQ(times.rows[8].step_class, kWarmUp);
}

// --- where durations come from ---

TEST(StepTimes, DurationFromTheRateOfTheJob) {  // 8192 tokens at 4096 token/s: 2 s
  RunLog log = printed_log({0, 0});
  for (Step& step : log.steps) {
    step.duration_s = {};
    step.claimed_tokens_per_s = 4096;
  }
  log.claims.tokens_per_s_scope = RateScope::job;
  const StepTimes times = time_steps(log, {.tokens = 8192, .accelerators = 4});
  EXPECT_EQ(times.source, DurationSource::rate);
  EXPECT_DOUBLE_EQ(times.median_s, 2);
  EXPECT_DOUBLE_EQ(*times.rows[0].seconds_per_token, 4 * 2.0 / 8192);
}

TEST(StepTimes, DurationFromThePerAcceleratorRate) {  // 8192 tokens on 4 at 1024 token/s each: 2 s
  RunLog log = printed_log({0, 0});
  for (Step& step : log.steps) {
    step.duration_s = {};
    step.claimed_tokens_per_s = 1024;
  }
  log.claims.tokens_per_s_scope = RateScope::per_accelerator;
  EXPECT_DOUBLE_EQ(time_steps(log, {.tokens = 8192, .accelerators = 4}).median_s, 2);
}

TEST(StepTimes, ARateAloneIsRelative) {
  RunLog log = printed_log({0, 0, 0});
  for (Step& step : log.steps) {
    step.duration_s = {};
    step.claimed_tokens_per_s = 500;
  }
  log.claims.tokens_per_s_scope = RateScope::per_accelerator;
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.source, DurationSource::relative_rate);
  EXPECT_TRUE(times.relative);
  EXPECT_DOUBLE_EQ(*times.rows[2].seconds_per_token, 1.0 / 500);
}

TEST(StepTimes, DurationFromTheClock) {  // 25 s for 10 steps
  RunLog log = clocked_log(100, {25, 25, 25});
  for (Step& step : log.steps) {
    step.duration_s = {};
    step.index *= 10;
  }
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.source, DurationSource::clock);
  EXPECT_EQ(times.rows[0].step_class, kInvalid);  // nothing before it to measure from
  EXPECT_DOUBLE_EQ(times.rows[1].duration_s, 2.5);
  EXPECT_EQ(times.rows[1].steps, 10);
}

// Rows of 10 s; one of 18 s behind an evaluation: the pause of 8 s is not a step.
TEST(StepTimes, AClockDifferenceContainsThePause) {
  RunLog log = clocked_log(100, std::vector<double>(20, 10));
  delay(log, 12, 8);
  for (Step& step : log.steps) step.duration_s = {};
  log.events = {event_after(EventClass::evaluation, 11)};
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.rows[12].step_class, StepClass::evaluation);
  EXPECT_DOUBLE_EQ(times.rows[12].duration_s, 10);
  EXPECT_DOUBLE_EQ(times.rows[12].pause_s, 8);
}

// --- impossible rows ---

// MaxText's second row: 0.319 s among steps of 5.6 s, 2,400 TFLOP/s on a part of 459. At the peak a step takes 1.7 s.
TEST(StepTimes, AStepFasterThanThePeakIsLeftOut) {
  RunLog log = printed_log({5.6, 5.6, 5.6, 5.6, 5.6, 5.6, 0.319, 5.6, 5.6, 5.6});
  const StepTimes times = time_steps(log, {.least_duration_s = 1.7});
  EXPECT_EQ(times.rows[6].step_class, kInvalid);
  EXPECT_EQ(count_of(times.defects, "log.step_faster_than_peak"), 1);
  EXPECT_DOUBLE_EQ(times.median_s, 5.6);
}

TEST(StepTimes, ARunFasterThanThePeakIsNoRowsFault) {
  const StepTimes times = time_steps(printed_log({1, 1, 1, 1}), {.least_duration_s = 1.7});
  EXPECT_EQ(classes(times), std::vector(4, kSteady));
  EXPECT_TRUE(times.defects.empty());
}

TEST(StepTimes, ZeroNegativeAndMissingDurationsAreInvalid) {
  RunLog log = printed_log({1, 0, -3, 1, 1});
  log.steps[3].duration_s = {};
  log.steps[4].step_class = kInvalid;  // the reader's verdict stays
  EXPECT_EQ(classes(time_steps(log, {})), (std::vector{kSteady, kInvalid, kInvalid, kInvalid, kInvalid}));
}

// --- shapes of logs ---

TEST(StepTimes, EmptyLog) {
  const StepTimes times = time_steps({}, {});
  EXPECT_TRUE(times.rows.empty());
  EXPECT_EQ(times.source, DurationSource::none);
  EXPECT_EQ(times.median_s, 0);
}

TEST(StepTimes, ASingleRowIsSteady) {
  const StepTimes times = time_steps(printed_log({2.5}), {});
  EXPECT_EQ(classes(times), std::vector{kSteady});
  EXPECT_EQ(times.median_s, 2.5);
}

TEST(StepTimes, NothingUsable) {
  RunLog log = printed_log({1, 1});
  for (Step& step : log.steps) step.duration_s = {};
  const StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.source, DurationSource::none);
  EXPECT_EQ(classes(times), std::vector(2, kInvalid));
}

// Rows 10, 20, 40, 50: one row is missing, so the third stands for 20 steps. The first covers 10 if its time is a mean
// and is one step if it is not.
TEST(StepTimes, RowsStandForTheStepsSinceTheRowBefore) {
  RunLog log = printed_log({1, 1, 1, 1});
  const std::int64_t indices[] = {10, 20, 40, 50};
  for (std::size_t i = 0; i < 4; ++i) log.steps[i].index = indices[i];
  StepTimes times = time_steps(log, {});
  EXPECT_EQ(times.interval, 10);
  EXPECT_EQ(times.rows[0].steps, 1);
  EXPECT_EQ(times.rows[2].steps, 10);  // of the 20 since the row before
  EXPECT_EQ(times.rows[2].unlogged_steps, 10);
  log.claims.duration_is_mean = true;
  EXPECT_EQ(time_steps(log, {}).rows[0].steps, 10);
}

TEST(StepTimes, AFirstRowOfAnEarlyIndexStandsForFewerSteps) {  // torchtitan prints step 1, then 10, 20, …
  RunLog log = printed_log({1, 1, 1, 1});
  log.claims.duration_is_mean = true;
  const std::int64_t indices[] = {1, 10, 20, 30};
  for (std::size_t i = 0; i < 4; ++i) log.steps[i].index = indices[i];
  EXPECT_EQ(time_steps(log, {}).rows[0].steps, 1);
}

TEST(StepTimes, TokensFromTheRowItsSamplesOrTheJob) {
  RunLog log = printed_log({1, 1, 1});
  log.steps[0].tokens = 100;
  log.steps[1].samples = 4;
  const StepTimes times = time_steps(log, {.tokens = 64, .tokens_per_sample = 8, .accelerators = 2});
  EXPECT_EQ(*times.rows[0].tokens, 100);
  EXPECT_EQ(*times.rows[1].tokens, 32);
  EXPECT_EQ(*times.rows[2].tokens, 64);
  EXPECT_DOUBLE_EQ(*times.rows[2].seconds_per_token, 2 * 1.0 / 64);
}

}  // namespace
}  // namespace nameplate
