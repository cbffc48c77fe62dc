#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

std::string entry(int seconds, std::string_view key, std::string_view value, std::string_view metadata = "") {
  return R"(:::MLLOG {"namespace": "", "time_ms": )" + std::to_string(seconds) + R"(000, "event_type": "X", "key": ")" +
         std::string(key) + R"(", "value": )" + std::string(value) + R"(, "metadata": {)" + std::string(metadata) +
         "}}\n";
}

TEST(Mlperf, ReadsPrintedStepTimes) {
  const RunLog log = read_log(
      entry(10, "init_start", "null") + entry(11, "init_start", "null") + entry(12, "global_batch_size", "32") +
      entry(12, "max_sequence_length", "4096") + entry(20, "init_stop", "null") + entry(20, "run_start", "null") +
      entry(20, "block_start", "null", R"("samples_count": 0)") +
      entry(25, "tracked_stats", R"({"train_step_time": 5.25, "reduced_train_loss": 7.5})", R"("step": 32.0)") +
      entry(30, "tracked_stats", R"({"train_step_time": 5.0})", R"("step": 64.0)"));
  EXPECT_EQ(log.format, "mlperf");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 1);  // 32 samples of 32
  EXPECT_EQ(log.steps[1].index, 2);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 5.25);
  EXPECT_EQ(*log.steps[0].loss, 7.5);
  EXPECT_EQ(*log.steps[0].samples, 32);
  EXPECT_EQ(*log.steps[0].end_s, 25);
  EXPECT_EQ(fact(log, "training.global_batch"), "32");
  EXPECT_EQ(fact(log, "training.seq_len"), "4096");
  ASSERT_EQ(log.events.size(), 2u);  // both ranks' start is one
  EXPECT_EQ(log.events[0].event_class, EventClass::start);
  EXPECT_EQ(log.events[1].event_class, EventClass::initialisation_done);
}

// 8 samples a step. Block from 100 s; 16 samples by 108 s: 4 s a step. Evaluation 108 to 120; 8 more by 125: 5 s.
TEST(Mlperf, TimesRowsWithinBlocks) {
  const RunLog log = read_log(entry(90, "global_batch_size", "8") + entry(90, "max_sequence_length", "1024") +
                              entry(100, "block_start", "null", R"("samples_count": 0)") +
                              entry(108, "train_loss", "2.5", R"("samples_count": 16)") +
                              entry(108, "eval_start", "null", R"("samples_count": 16)") +
                              entry(120, "eval_stop", "null", R"("samples_count": 16)") +
                              entry(120, "block_start", "null", R"("samples_count": 16)") +
                              entry(125, "tracked_stats", R"({"throughput": 1.5})", R"("step": 24)") +
                              entry(126, "run_stop", "0.9", R"("samples_count": 24, "status": "success")"));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 2);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 4);
  EXPECT_EQ(*log.steps[0].loss, 2.5);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 5);
  EXPECT_EQ(*log.steps[1].claimed_tokens_per_s, 1536);  // 1.5 x 1024
  EXPECT_TRUE(log.claims.duration_is_mean);
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[0].event_class, EventClass::evaluation);
  EXPECT_DOUBLE_EQ(*log.events[0].end_s - *log.events[0].begin_s, 12);
  EXPECT_EQ(log.events[1].event_class, EventClass::finished);
}

TEST(Mlperf, ReadsTheSystem) {
  const RunLog log = read_log(
      R"(:::SYSJSON {"number_of_nodes":"3","accelerators_per_node":"8","accelerator_model_name":"NVIDIA H100"})"
      "\n" +
      entry(1, "train_loss", "2", R"("samples_count": 8)"));
  EXPECT_EQ(fact(log, "cluster.accelerator"), "NVIDIA H100");
  EXPECT_EQ(fact(log, "cluster.count"), "24");
}

TEST(Mlperf, SurvivesDamage) {
  const std::string whole = entry(9, "train_loss", "2", R"("samples_count": 16)");
  const RunLog log = read_log(entry(1, "train_loss", "2", R"("samples_count": 8)") +
                              entry(2, "train_loss", "2", R"("samples_count": -8)") + entry(3, "train_loss", "2") +
                              ":::MLLOG {broken\n:::MLLOG []\n" + entry(4, "run_stop", "0", R"("status": "aborted")") +
                              whole.substr(0, whole.size() - 4));
  EXPECT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(defects(log, "log.unreadable_step"), 2);
  EXPECT_EQ(defects(log, "log.unreadable_json"), 2);
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].event_class, EventClass::failure);
}

}  // namespace
}  // namespace nameplate
