#include "nameplate/analysis/records/join.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// Steps 0 to 9 of one second each, ending at 1001 to 1010, and an evaluation after step 4.
RunLog ten_steps() {
  RunLog log;
  for (int i = 0; i < 10; ++i) {
    Step step;
    step.index = i;
    step.end_s = 1001 + i;
    log.steps.push_back(step);
  }
  log.first_time_s = 1000;
  log.last_time_s = 1010;
  Event evaluation;
  evaluation.event_class = EventClass::evaluation;
  evaluation.after_step = 4;
  log.events = {evaluation};
  return log;
}

Event event_at(EventClass event_class, std::string subject, Maybe begin_s, Maybe end_s = {}) {
  Event event;
  event.event_class = event_class;
  event.subject = std::move(subject);
  event.begin_s = begin_s;
  event.end_s = end_s;
  return event;
}

ClusterRecords records_of(std::string kind, std::vector<Event> events, double first, double last) {
  ClusterRecords records;
  records.file = kind + ".txt";
  records.kind = std::move(kind);
  records.events = std::move(events);
  records.first_s = first;
  records.last_s = last;
  return records;
}

TEST(JoinRecords, PutsEventsBehindTheStepBeforeThem) {
  const auto joined = join_records(
      ten_steps(), {records_of("kernel-log", {event_at(EventClass::device_error, "d", 1003.5)}, 1003.5, 1003.5)});
  ASSERT_EQ(joined.log.events.size(), 2u);
  EXPECT_EQ(joined.log.events[0].event_class, EventClass::device_error);  // before the evaluation after step 4
  EXPECT_EQ(joined.log.events[0].after_step, 2);                          // ended at 1003
  EXPECT_EQ(joined.events_joined, 1);
  ASSERT_EQ(joined.assumptions.size(), 1u);
  EXPECT_EQ(joined.assumptions[0].id, "records.same_clock");
}

TEST(JoinRecords, LeavesOtherTimesOut) {
  const auto joined = join_records(
      ten_steps(), {records_of("kernel-log", {event_at(EventClass::device_error, "d", 9000)}, 9000, 9000)});
  EXPECT_EQ(joined.log.events.size(), 1u);
  EXPECT_TRUE(joined.assumptions.empty());
}

// Job 7 ran from 900 to 1100, around the log; job 8 from 1005 to 2000 shares less.
TEST(JoinRecords, TakesTheJobThatSharesTheMostTime) {
  const auto joined = join_records(
      ten_steps(),
      {records_of("slurm-sacct",
                  {event_at(EventClass::queue, "job 7", 100, 900), event_at(EventClass::start, "job 7", 900),
                   event_at(EventClass::finished, "job 7", 1100), event_at(EventClass::start, "job 8", 1005),
                   event_at(EventClass::failure, "job 8", 2000)},
                  100, 2000)});
  EXPECT_EQ(joined.events_joined, 3);
  EXPECT_EQ(joined.log.events[0].event_class, EventClass::queue);
  EXPECT_FALSE(joined.log.events[0].after_step.has_value());
  ASSERT_EQ(joined.assumptions.size(), 2u);
  EXPECT_EQ(std::get<std::string>(joined.assumptions[1].args[1].second), "job 7");
}

TEST(JoinRecords, NeedsAClock) {
  RunLog log = ten_steps();
  for (Step& step : log.steps) step.end_s = {};
  log.first_time_s = {};
  const auto joined =
      join_records(log, {records_of("kernel-log", {event_at(EventClass::device_error, "d", 1003)}, 1003, 1003)});
  EXPECT_EQ(joined.events_joined, 0);
}

TEST(StuckEvents, NameTheRank) {
  StuckCollective stuck;
  stuck.description = "tp";
  stuck.operation = "all_reduce";
  stuck.sequence = 7;
  stuck.input_sizes = "8";
  stuck.ranks = {3, 5};
  stuck.since_s = 12;
  const auto events = stuck_events({stuck}, "rank0.json");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].subject, "rank 3, 5");
  EXPECT_EQ(events[0].evidence.quote, "tp all_reduce #7 8 waits for rank 3, 5");
}

}  // namespace
}  // namespace nameplate
