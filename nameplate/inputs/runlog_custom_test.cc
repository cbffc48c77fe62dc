#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

LogReading columns(std::vector<std::pair<std::string, LogColumn>> map) {
  LogReading reading;
  reading.options.columns = std::move(map);
  return reading;
}

LogReading regex(std::string expression) {
  LogReading reading;
  reading.options.regex = std::move(expression);
  return reading;
}

TEST(RunlogCustom, ReadsPairs) {
  const LogReading map = columns({{"step", {"iter", ""}}, {"step_time", {"dt_ms", "ms"}}, {"tokens", {"tok", ""}}});
  const RunLog log = read_log(
      "2025-05-01 10:00:00 hello iter\n"
      "2025-05-01 10:00:01 iter=7 dt_ms=250.5 tok=4,096 lr=1\n"
      "2025-05-01 10:00:02 iter: 8/100, dt_ms: 251.5, tok: 4096\n"
      "2025-05-01 10:00:03 {'iter': 9, 'dt_ms': 252.5}\n"
      "2025-05-01 10:00:04 liter=99 dt_ms_mean=1\n",
      map);
  EXPECT_EQ(log.format, "custom");
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_EQ(log.steps[0].index, 7);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.2505);
  EXPECT_EQ(*log.steps[0].tokens, 4096);
  EXPECT_EQ(*log.steps[1].end_s - *log.steps[0].end_s, 1);
  EXPECT_EQ(log.steps[1].index, 8);
  EXPECT_EQ(log.steps[2].index, 9);
  EXPECT_FALSE(log.steps[2].tokens);
}

TEST(RunlogCustom, ReadsTables) {
  const LogReading map = columns({{"step", {"step", ""}}, {"step_time", {"seconds", ""}}, {"timestamp", {"when", ""}}});
  const RunLog csv = read_log("when,step,\"seconds\"\n2025-05-01 10:00:00,1,0.5\n2025-05-01 10:00:09,2,0.75\n", map);
  ASSERT_EQ(csv.steps.size(), 2u);
  EXPECT_EQ(*csv.steps[1].duration_s, 0.75);
  EXPECT_EQ(*csv.steps[1].end_s - *csv.steps[0].end_s, 9);
  const RunLog tsv = read_log("step\twhen\tseconds\n1\t100\t0.5\n2\t101.5\t0.7", map);
  ASSERT_EQ(tsv.steps.size(), 2u);
  EXPECT_EQ(*tsv.steps[1].end_s, 101.5);
  EXPECT_FALSE(tsv.steps[1].duration_s);  // the file ends in it
}

// metrics.csv of Lightning's CSVLogger: training and validation in rows of their own, empty cells between.
TEST(RunlogCustom, ReadsLightningsTable) {
  const RunLog log = read_log(
      "epoch,\"note, long\",step,train_loss,train_time,val_loss\n0,,49.0,2.5,1.25,\n0,\"a, "
      "b\",49,,,2.4\n0,,99,2.25,1.5,\n",
      columns({{"step", {"step", ""}}, {"loss", {"train_loss", ""}}, {"step_time", {"train_time", "s"}}}));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 49);
  EXPECT_EQ(log.steps[1].index, 99);
  EXPECT_EQ(*log.steps[1].loss, 2.25);
  EXPECT_EQ(*log.steps[1].duration_s, 1.5);
}

TEST(RunlogCustom, ReadsJsonLines) {
  const LogReading map = columns({{"step", {"step", ""}}, {"step_time", {"perf.dt", "ms"}}, {"mfu", {"mfu", "%"}}});
  const RunLog log = read_log(
      "{\"step\": 1, \"perf\": {\"dt\": 500}, \"mfu\": 40.5}\n{\"note\": 1}\n{broken\n{\"step\": 2, \"perf\": {\"dt\": "
      "NaN}, "
      "\"mfu\": \"41\"}\n",
      map);
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(*log.steps[0].duration_s, 0.5);
  EXPECT_DOUBLE_EQ(*log.steps[0].claimed_mfu, 0.405);
  EXPECT_FALSE(log.steps[1].duration_s);
}

TEST(RunlogCustom, ReadsARegularExpression) {
  const RunLog log = read_log("s1 took 20ms at 45%\ns2 took 21ms at 46%\nnothing\n",
                              regex(R"(s(?P<step>\d+) took (?P<step_time_ms>[\d.]+)ms at (?P<mfu>[\d.]+%))"));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.02);
  EXPECT_DOUBLE_EQ(*log.steps[1].claimed_mfu, 0.46);
}

TEST(RunlogCustom, NumbersRowsWithoutAStepColumn) {
  const RunLog log = read_log("t=1.5\nt=1.6s\nt=x\n", columns({{"step_time", {"t", ""}}}));
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_EQ(log.steps[1].index, 1);
  EXPECT_EQ(*log.steps[1].duration_s, 1.6);
  EXPECT_EQ(defects(log, "log.invalid_value"), 1);
}

TEST(RunlogCustom, NamesWhatIsWrong) {
  const auto message = [](const LogReading& reading) {
    const auto log = read_runlog(LineReader::from_memory("x=1\n", "a.log"), reading);
    return log.ok() ? std::string() : render(log.error());
  };
  EXPECT_NE(message(columns({{"step_tme", {"t", ""}}})).find("did you mean 'step_time'"), std::string::npos);
  EXPECT_NE(message(columns({{"step_time", {"t", "lightyears"}}})).find("ms"), std::string::npos);
  EXPECT_NE(message(columns({{"step", {"", ""}}})), "");
  EXPECT_NE(message(regex("(?P<step>")), "");
  EXPECT_NE(message(regex("(?P<stepp>x)")), "");
  EXPECT_NE(message(columns({{"step", {"iter", ""}}, {"loss", {"l", ""}}})).find("no training steps"),
            std::string::npos);
}

}  // namespace
}  // namespace nameplate
