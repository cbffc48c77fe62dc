// The rules that the builder owns, through a small format of the test's own: "RANK@TIME INDEX DURATION", "start",
// "save".
#include "nameplate/inputs/runlog_builder.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace nameplate {
namespace {

struct Row {
  const char* rank;  // nullptr: none
  Maybe time;
  std::int64_t index;
  Maybe duration;
};

void add(RunLogBuilder& builder, const Row& row, std::int64_t number = 1) {
  LogLine line;
  if (row.rank != nullptr) line.rank = row.rank;
  line.timestamp_s = row.time;
  line.number = number;
  builder.begin_line(line);
  StepLine step;
  step.index = row.index;
  step.duration_s = row.duration;
  builder.add_step(step);
}

// "attempt.index" of every row.
std::string keys(const RunLog& log) {
  std::string text;
  for (const Step& step : log.steps) {
    text += (text.empty() ? "" : " ") + std::to_string(step.attempt) + "." + std::to_string(step.index);
  }
  return text;
}

std::int64_t count_of(const RunLog& log, std::string_view id) {
  std::int64_t count = 0;
  for (const Defect& defect : log.defects) count += defect.message.id == id ? defect.count : 0;
  return count;
}

RunLog build(std::initializer_list<Row> rows) {
  RunLogBuilder builder;
  builder.begin_file("a.log");
  for (const Row& row : rows) add(builder, row);
  return builder.finish();
}

const Maybe kNone;

TEST(RunLogBuilder, CountsAStepOfManyRanksOnce) {
  const RunLog log =
      build({{"0", kNone, 1, 1}, {"1", kNone, 1, 1}, {"1", kNone, 2, 1}, {"0", kNone, 2, 1}, {"2", kNone, 1, 1}});
  EXPECT_EQ(keys(log), "0.1 0.2");
  EXPECT_EQ(log.ranks_seen, 3);
  EXPECT_EQ(count_of(log, "log.repeated_step"), 3);
}

TEST(RunLogBuilder, BeginsAnAttemptWhereARankGoesBack) {
  EXPECT_EQ(keys(build({{"0", kNone, 8, 1}, {"0", kNone, 9, 1}, {"0", kNone, 8, 1}, {"0", kNone, 9, 1}})),
            "0.8 0.9 1.8 1.9");
  EXPECT_EQ(keys(build({{nullptr, kNone, 1, 1},
                        {nullptr, kNone, 2, 1},
                        {nullptr, kNone, 3, 1},
                        {nullptr, kNone, 4, 1},
                        {nullptr, kNone, 1, 1}})),
            "0.1 0.2 0.3 0.4 1.1");
}

TEST(RunLogBuilder, TakesASmallStepBackWithoutRankForInterleaving) {
  const RunLog log = build({{nullptr, kNone, 10, 1},
                            {nullptr, kNone, 20, 1},
                            {nullptr, kNone, 30, 1},
                            {nullptr, kNone, 20, 1},
                            {nullptr, kNone, 40, 1}});
  EXPECT_EQ(keys(log), "0.10 0.20 0.30 0.40");
  EXPECT_EQ(count_of(log, "log.repeated_step"), 1);
}

TEST(RunLogBuilder, TellsRestartFromRepetitionByTheClock) {
  // The same index again: 61 s later is a restart, half a second later another process.
  EXPECT_EQ(keys(build({{"0", 100, 5, 1}, {"0", 161, 5, 1}})), "0.5 1.5");
  EXPECT_EQ(keys(build({{"0", 100, 5, 1}, {"0", 100.5, 5, 1}})), "0.5");
  EXPECT_EQ(keys(build({{"0", 900, 5, 1}, {"0", 100, 5, 1}})), "0.5 1.5");  // two excerpts in the wrong order
  // Steps of 100 s: 150 s is less than two steps' time.
  EXPECT_EQ(keys(build({{"0", 100, 5, 100}, {"0", 250, 5, 100}})), "0.5");
  // A step back of one row, three seconds and six steps' time later.
  EXPECT_EQ(keys(build({{nullptr, 100, 5, 0.5}, {nullptr, 100.5, 6, 0.5}, {nullptr, 103.5, 5, 0.5}})), "0.5 0.6 1.5");
  EXPECT_EQ(keys(build({{nullptr, 100, 5, 0.5}, {nullptr, 100.5, 6, 0.5}, {nullptr, 100.6, 5, 0.5}})), "0.5 0.6");
}

TEST(RunLogBuilder, JoinsFilesInTheOrderOfTime) {
  RunLogBuilder next;
  next.begin_file("a.log");
  add(next, {nullptr, kNone, 1, 1});
  add(next, {nullptr, kNone, 2, 1});
  next.begin_file("b.log");
  add(next, {nullptr, kNone, 2, 1});  // resumed from step 1
  add(next, {nullptr, kNone, 3, 1});
  EXPECT_EQ(keys(next.finish()), "0.1 0.2 1.2 1.3");

  RunLogBuilder ranks;  // a file a rank, of the same minutes
  ranks.begin_file("rank0.log");
  add(ranks, {nullptr, 100, 1, 1});
  add(ranks, {nullptr, 101, 2, 1});
  ranks.begin_file("rank1.log");
  add(ranks, {nullptr, 100, 1, 1});
  add(ranks, {nullptr, 101, 2, 1});
  EXPECT_EQ(keys(ranks.finish()), "0.1 0.2");
}

TEST(RunLogBuilder, SortsLateRowsIn) {
  const RunLog log =
      build({{"0", kNone, 1, 1}, {"0", kNone, 3, 1}, {"1", kNone, 2, 1}, {"0", kNone, 4, 1}, {"2", kNone, 2, 1}});
  EXPECT_EQ(keys(log), "0.1 0.2 0.3 0.4");
}

TEST(RunLogBuilder, DropsWhatCannotBe) {
  const RunLog log = build({{nullptr, kNone, -1, 1},
                            {nullptr, kNone, 1, -2},
                            {nullptr, kNone, 2, 0},
                            {nullptr, kNone, 3, 10 * 86400.0 + 1},
                            {nullptr, 50, 4, 0},
                            {nullptr, kNone, 5, 2}});
  EXPECT_EQ(keys(log), "0.1 0.2 0.3 0.4 0.5");
  EXPECT_EQ(count_of(log, "log.invalid_value"), 5);
  EXPECT_EQ(log.steps[0].step_class, StepClass::invalid);
  EXPECT_EQ(log.steps[3].step_class, StepClass::unclassified);  // the clock still times it
  EXPECT_FALSE(log.steps[3].duration_s);
  EXPECT_EQ(*log.steps[4].duration_s, 2);
}

TEST(RunLogBuilder, MakesOneEventOfItsLines) {
  RunLogBuilder builder;
  builder.begin_file("a.log");
  add(builder, {nullptr, 100, 7, 1});
  Event save;
  save.event_class = EventClass::checkpoint_save;
  save.begin_s = 101;
  builder.add_event(save);
  save.begin_s = kNone;
  save.end_s = 109;
  builder.add_event(save);
  add(builder, {nullptr, 110, 8, 1});
  builder.add_event(save);
  const RunLog log = builder.finish();
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(*log.events[0].begin_s, 101);
  EXPECT_EQ(*log.events[0].end_s, 109);
  EXPECT_EQ(log.events[0].after_step, 7);
  EXPECT_EQ(log.events[1].after_step, 8);
}

TEST(RunLogBuilder, GivesAStartToTheAttemptItBegins) {
  RunLogBuilder builder;
  builder.begin_file("a.log");
  add(builder, {nullptr, kNone, 7, 1});
  add(builder, {nullptr, kNone, 8, 1});
  Event start;
  start.event_class = EventClass::start;
  builder.add_event(start);
  add(builder, {nullptr, kNone, 8, 1});
  const RunLog log = builder.finish();
  EXPECT_EQ(keys(log), "0.7 0.8 1.8");
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].attempt, 1);
  EXPECT_FALSE(log.events[0].after_step);
}

TEST(RunLogBuilder, KeepsTheFirstMentionOfAFact) {
  RunLogBuilder builder;
  builder.begin_file("a.log");
  builder.add_fact("plan.tp", "4");
  builder.add_fact("plan.tp", "4");
  builder.add_fact("plan.tp", "8");
  const RunLog log = builder.finish();
  ASSERT_EQ(log.facts.size(), 1u);
  EXPECT_EQ(log.facts[0].value, "4");
  EXPECT_EQ(count_of(log, "log.fact_changed"), 1);
}

}  // namespace
}  // namespace nameplate
