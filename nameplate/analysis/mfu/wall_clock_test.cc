#include "nameplate/analysis/mfu/wall_clock.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nameplate/analysis/mfu/log_for_test.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

WallClock account(const RunLog& log) {
  const auto clock = account_wall_clock(log, time_steps(log, {}));
  EXPECT_TRUE(clock.has_value());
  return clock.value_or(WallClock{});
}

double booked(const WallClock& clock, LedgerRow row) {
  const auto found = clock.other_s.find(row);
  return found == clock.other_s.end() ? 0 : found->second;
}

double unattributed(const WallClock& clock) {
  double rest = clock.wall_s - clock.productive_s;
  for (const auto& [row, seconds] : clock.other_s) rest -= seconds;
  return rest;
}

const std::vector<double> kTenSteps(10, 1.0);

TEST(WallClock, StepsThatFillTheTimeAreAllProductive) {
  const WallClock clock = account(clocked_log(1000, kTenSteps));
  EXPECT_DOUBLE_EQ(clock.wall_s, 10);
  EXPECT_DOUBLE_EQ(clock.productive_s, 10);
  EXPECT_TRUE(clock.other_s.empty());
  EXPECT_EQ(clock.attempts, 1);
}

TEST(WallClock, NoClockNoAccount) {
  const RunLog log = printed_log(kTenSteps);
  EXPECT_FALSE(account_wall_clock(log, time_steps(log, {})));
  EXPECT_FALSE(account_wall_clock({}, time_steps({}, {})));
}

TEST(WallClock, RelativeDurationsGiveNoAccount) {
  RunLog log = clocked_log(0, kTenSteps);
  StepTimes times = time_steps(log, {});
  times.relative = true;
  EXPECT_FALSE(account_wall_clock(log, times));
}

// The first line 30 s before the first step begins, a first step of 5 s that is warm-up: 35 s of start-up.
TEST(WallClock, StartupIsTheTimeBeforeTheFirstStepAndTheWarmUp) {
  RunLog log = clocked_log(1000, {5, 1, 1, 1, 1, 1, 1, 1});
  log.first_time_s = 970;
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 30 + 12);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::startup), 35);
  EXPECT_DOUBLE_EQ(clock.productive_s, 7);
}

// Evaluations during start-up: 10 s where the beginning is told; not where only the end is, since the rest of the
// start-up came before.
TEST(WallClock, AnEvaluationInTheStartupCountsWhereItsBeginningIsTold) {
  RunLog log = clocked_log(1000, kTenSteps);
  log.first_time_s = 970;
  log.events = {event_after(EventClass::evaluation, 0, {}, 1000)};
  log.events[0].after_step = {};
  EXPECT_DOUBLE_EQ(booked(account(log), LedgerRow::startup), 30);
  log.events[0].duration_s = 10;
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::startup), 20);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::evaluation), 10);
}

// Row 4 ends at 1005, the evaluation's line comes at 1012, the next row at 1013: 7 s.
TEST(WallClock, AnEvaluationLineIsWrittenWhenItEnds) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 5, 8);
  log.events = {event_after(EventClass::evaluation, 4, {}, 1012)};
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 18);
  EXPECT_DOUBLE_EQ(clock.productive_s, 10);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::evaluation), 7);
  EXPECT_DOUBLE_EQ(unattributed(clock), 1);
  EXPECT_EQ(clock.evidence.at(LedgerRow::evaluation), "train.log:7: quoted");
}

// Row 4 ends at 1005, the checkpoint's line comes at 1006, the next step begins at 1013: 7 s, and one before it.
TEST(WallClock, ACheckpointLineIsWrittenWhenItBegins) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 5, 8);
  log.events = {event_after(EventClass::checkpoint_save, 4, 1006)};
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::checkpoint), 7);
  EXPECT_DOUBLE_EQ(unattributed(clock), 1);
}

// 8 s: the evaluation ends 3 s after the row, the checkpoint begins 4 s after it and ends with the pause.
TEST(WallClock, BothInOneGap) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 5, 8);
  log.events = {event_after(EventClass::evaluation, 4, {}, 1008), event_after(EventClass::checkpoint_save, 4, 1009)};
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::evaluation), 3);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::checkpoint), 4);
  EXPECT_DOUBLE_EQ(unattributed(clock), 1);
}

TEST(WallClock, EventsWithoutTimesClaimInOrder) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 5, 8);
  log.events = {event_after(EventClass::checkpoint_save, 4)};
  EXPECT_DOUBLE_EQ(booked(account(log), LedgerRow::checkpoint), 8);
  log.events[0].duration_s = 6;
  EXPECT_DOUBLE_EQ(booked(account(log), LedgerRow::checkpoint), 6);
  EXPECT_DOUBLE_EQ(unattributed(account(log)), 2);
}

TEST(WallClock, APauseWithoutAnEventIsUnattributed) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 5, 8);
  const WallClock clock = account(log);
  EXPECT_TRUE(clock.other_s.empty());
  EXPECT_DOUBLE_EQ(unattributed(clock), 8);
}

TEST(WallClock, AnAsynchronousSaveClaimsNothing) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 5, 8);
  log.events = {event_after(EventClass::checkpoint_save, 4, 1006)};
  log.events[0].blocking = false;
  EXPECT_TRUE(account(log).other_s.empty());
}

// The checkpoint after row 4 found no time; the pause after row 7 is not its.
TEST(WallClock, AnEventClaimsItsOwnGapOnly) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 8, 5);
  log.events = {event_after(EventClass::checkpoint_save, 4)};
  const WallClock clock = account(log);
  EXPECT_EQ(booked(clock, LedgerRow::checkpoint), 0);
  EXPECT_DOUBLE_EQ(unattributed(clock), 5);
}

// nanoGPT's printed time contains the pause: a row of 9 s among rows of 1 s.
TEST(WallClock, APauseInsideThePrintedTimeIsBookedOnce) {
  std::vector<double> durations(10, 1.0);
  durations[5] = 9;
  RunLog log = clocked_log(1000, durations);
  log.events = {event_after(EventClass::evaluation, 4)};
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 18);
  EXPECT_DOUBLE_EQ(clock.productive_s, 10);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::evaluation), 8);
}

// --- restarts ---

// Rows 0..9 end at 1010. The failure's line comes at 1040, the first step of the new attempt begins at 1070: 30 s
// unnoticed, 30 s of restart. Steps 7, 8, 9 are done again: 3 s.
TEST(WallClock, ARestartWithAFailureLine) {
  RunLog log = clocked_log(1000, kTenSteps);
  restart(log, 7, 60, std::vector<double>(5, 1.0));
  log.events = {event_after(EventClass::failure, 9, 1040)};
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 10 + 60 + 5);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_detect), 30);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_restart), 30);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_lost_work), 3);
  EXPECT_DOUBLE_EQ(clock.productive_s, 12);
  EXPECT_EQ(clock.attempts, 2);
  EXPECT_EQ(clock.redone_steps, 3);
  EXPECT_NEAR(unattributed(clock), 0, 1e-9);
}

TEST(WallClock, ARestartWithoutALineIsAllRestart) {
  RunLog log = clocked_log(1000, kTenSteps);
  restart(log, 10, 60, std::vector<double>(5, 1.0));
  const WallClock clock = account(log);
  EXPECT_EQ(booked(clock, LedgerRow::fault_detect), 0);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_restart), 60);
  EXPECT_EQ(booked(clock, LedgerRow::fault_lost_work), 0);
}

// The checkpoint at the end of the first attempt has gone down with it: a pause of the second attempt is not its.
TEST(WallClock, EventsOfALostAttemptClaimNothingInTheNext) {
  RunLog log = clocked_log(1000, kTenSteps);
  restart(log, 10, 60, std::vector<double>(5, 1.0));
  delay(log, 12, 4);
  log.events = {event_after(EventClass::checkpoint_save, 9, 1010)};
  const WallClock clock = account(log);
  EXPECT_EQ(booked(clock, LedgerRow::checkpoint), 0);
  EXPECT_DOUBLE_EQ(unattributed(clock), 4);
}

// Megatron prints means over 10 steps: the first row of an attempt is 10 steps, too. 3 rows of 10 s, 60 s of restart,
// rows 20 and 30 again: 20 s lost.
TEST(WallClock, TheFirstRowOfAnAttemptCoversItsInterval) {
  RunLog log = printed_log({1, 1, 1, 1, 1});
  log.claims.duration_is_mean = true;
  const std::int64_t indices[] = {10, 20, 30, 20, 30};
  const double ends[] = {1010, 1020, 1030, 1100, 1110};
  for (std::size_t i = 0; i < 5; ++i) {
    log.steps[i].index = indices[i];
    log.steps[i].end_s = ends[i];
    log.steps[i].attempt = i < 3 ? 0 : 1;
  }
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 110);
  EXPECT_DOUBLE_EQ(clock.productive_s, 30);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_restart), 60);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_lost_work), 20);
  EXPECT_EQ(clock.redone_steps, 20);
}

TEST(WallClock, AnotherRunInTheFileIsLeftOut) {
  RunLog log = clocked_log(1000, kTenSteps);
  restart(log, 0, -500, std::vector<double>(5, 1.0));
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 10);
  EXPECT_DOUBLE_EQ(clock.productive_s, 10);
  EXPECT_EQ(clock.attempts, 1);
}

// --- what is not printed ---

// Rows 4..7 are missing: row 8 stands for 5 steps, 4 beyond the usual one, at the median of 1 s; 6 s passed.
TEST(WallClock, UnloggedStepsAreTakenAtTheMedian) {
  RunLog log = clocked_log(1000, kTenSteps);
  delay(log, 8, 1);
  log.steps.erase(log.steps.begin() + 4, log.steps.begin() + 8);
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 11);
  EXPECT_DOUBLE_EQ(clock.productive_s, 10);
  EXPECT_EQ(clock.unlogged_steps, 4);
  EXPECT_DOUBLE_EQ(unattributed(clock), 1);
}

// After the last row: a checkpoint from 1010 to the end of training at 1014, then 6 s of nothing.
TEST(WallClock, TheTail) {
  RunLog log = clocked_log(1000, kTenSteps);
  log.last_time_s = 1020;
  log.events = {event_after(EventClass::checkpoint_save, 9, 1010), event_after(EventClass::finished, 9, 1014)};
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 20);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::checkpoint), 4);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::idle), 6);
  EXPECT_NEAR(unattributed(clock), 0, 1e-12);
}

// The last step ends at 1010; the line that tells of the failure is of 1310.
TEST(WallClock, ALogThatEndsInAFailure) {
  RunLog log = clocked_log(1000, kTenSteps);
  log.last_time_s = 1320;
  log.events = {event_after(EventClass::failure, 9, 1310)};
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 320);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_detect), 300);
  EXPECT_NEAR(unattributed(clock), 10, 1e-9);
}

// Steps of 0.75 s under timestamps of whole seconds: 1000, 1000, 1001, 1002, 1003, 1003, … The sum is that of the
// clock.
TEST(WallClock, TimestampsOfOneSecondStillClose) {
  RunLog log = clocked_log(1000, std::vector<double>(40, 0.75));
  for (Step& step : log.steps) step.end_s = std::floor(*step.end_s);
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(clock.wall_s, 30.75);  // 1030 - (1000 - 0.75)
  EXPECT_LE(clock.productive_s, 30);
  EXPECT_GE(unattributed(clock), 0);
}

// --- the law: every second once ---

Maybe sometimes(RandomStream& random, double value) { return random.next_below(2) == 0 ? Maybe(value) : Maybe(); }

// A run that never contradicts itself: steps, pauses with their events told in one way or another, restarts, rows left
// out.
RunLog random_log(std::uint64_t seed) {
  RandomStream random(seed, 0);
  RunLog log;
  log.files = {"random.log"};
  double now = 1e9;
  log.first_time_s = now;
  now += 50 * random.next_uniform();
  std::int32_t attempt = 0;
  std::int64_t index = 0;
  const std::uint64_t rows = 1 + random.next_below(60);
  while (log.steps.size() < rows) {
    const double duration = 1 + 0.2 * random.next_uniform() + (random.next_below(20) == 0 ? 5 : 0);
    now += duration;
    Step step;
    step.attempt = attempt;
    step.index = index;
    step.end_s = now;
    step.duration_s = random.next_below(30) == 0 ? Maybe() : Maybe(duration);
    if (random.next_below(15) != 0) log.steps.push_back(step);
    const std::uint64_t what = random.next_below(12);
    if (what < 3) {
      const double pause = 10 * random.next_uniform();
      const EventClass kind = what == 0 ? EventClass::checkpoint_save : EventClass::evaluation;
      Event event = event_after(kind, index, sometimes(random, now), sometimes(random, now + pause));
      event.attempt = attempt;
      event.duration_s = sometimes(random, pause);
      log.events.push_back(event);
      now += pause;
    } else if (what == 3 && !log.steps.empty()) {
      Event failure = event_after(EventClass::failure, index, sometimes(random, now + 1));
      failure.attempt = attempt++;
      log.events.push_back(failure);
      now += 20 + 30 * random.next_uniform();
      index -= std::min<std::int64_t>(index, 5);
      continue;
    }
    ++index;
  }
  log.last_time_s = now;
  return log;
}

TEST(WallClock, EverySecondIsBookedOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RunLog log = random_log(seed);
    const auto clock = account_wall_clock(log, time_steps(log, {}));
    if (!clock) continue;  // no row with a duration
    EXPECT_GE(clock->productive_s, 0) << seed;
    for (const auto& [row, seconds] : clock->other_s) EXPECT_GE(seconds, 0) << seed << ' ' << name(row);
    EXPECT_GE(unattributed(*clock), -1e-5) << seed;  // 2^-22 s: the resolution of a double near 1e9 s, some rows of it
    const double span = *log.last_time_s - *log.first_time_s;
    EXPECT_NEAR(clock->wall_s, span, 1e-5) << seed;
  }
}

// The job waits from 400 to 900, starts, and the log's first line is at 1000.
TEST(WallClock, TheSchedulersQueueComesBeforeTheLog) {
  RunLog log = clocked_log(1000, kTenSteps);
  log.events = {event_after(EventClass::queue, 0, 400, 900), event_after(EventClass::start, 0, 900)};
  for (Event& event : log.events) event.after_step = {};
  log.events[0].evidence.quote = "7|2025";
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::queue), 500);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::startup), 100);
  EXPECT_DOUBLE_EQ(clock.wall_s, 610);
  EXPECT_NE(clock.evidence.at(LedgerRow::queue).find("7|2025"), std::string::npos);
}

// Steps end at 1010; an Xid at 1020, the job fails at 1050, is requeued and waits from 1060 to 1080; the next attempt's
// first step begins at 1110: 40 s to notice, 20 s in the queue, 40 s to restart.
TEST(WallClock, ARequeueIsDetectedQueuedAndRestarted) {
  RunLog log = clocked_log(1000, kTenSteps);
  log.events = {event_after(EventClass::device_error, 9, 1020), event_after(EventClass::failure, 9, 1050),
                event_after(EventClass::queue, 9, 1060, 1080), event_after(EventClass::restart, 9, 1080)};
  log.events[0].evidence.quote = "NVRM: Xid";
  log.events[3].evidence.quote = "restarted";
  restart(log, 10, 100, kTenSteps);
  const WallClock clock = account(log);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_detect), 40);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::queue), 20);
  EXPECT_DOUBLE_EQ(booked(clock, LedgerRow::fault_restart), 40);
  EXPECT_NE(clock.evidence.at(LedgerRow::fault_detect).find("NVRM: Xid"), std::string::npos);
  EXPECT_NE(clock.evidence.at(LedgerRow::fault_restart).find("restarted"), std::string::npos);
  EXPECT_DOUBLE_EQ(unattributed(clock), 0);
}

}  // namespace
}  // namespace nameplate
