#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

TEST(Wandb, ReadsJsonLines) {
  const RunLog log = read_log(
      R"j({"_step": 0, "_timestamp": 1000.5, "_runtime": 1, "train/loss": 3.5, "train/global_step": 10, "tflops": 512}
{"_step": 1, "_timestamp": 1001.5, "_runtime": 2, "eval/loss": 3.4, "train/global_step": 10}
{"_step": 2, "_timestamp": 1021.5, "train/loss": NaN, "train/global_step": 20, "mfu(%)": 41.5, "throughput(tps)": 9}
)j");
  EXPECT_EQ(log.format, "wandb");
  ASSERT_EQ(log.steps.size(), 2u);  // an evaluation is no row
  EXPECT_EQ(log.steps[0].index, 10);
  EXPECT_EQ(*log.steps[0].loss, 3.5);
  EXPECT_EQ(*log.steps[0].claimed_tflops, 512);
  EXPECT_EQ(log.steps[1].index, 20);
  EXPECT_DOUBLE_EQ(*log.steps[1].claimed_mfu, 0.415);
  EXPECT_EQ(*log.steps[1].claimed_tokens_per_s, 9);
  EXPECT_EQ(*log.steps[1].end_s - *log.steps[0].end_s, 21);
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::per_accelerator);
}

TEST(Wandb, NumbersRowsByItsOwnStep) {
  const RunLog log =
      read_log("{\"_step\": 4, \"_runtime\": 8.5, \"loss\": 2}\n{\"_step\": 5, \"_runtime\": 9.75, \"loss\": 2}\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[1].index, 5);
  EXPECT_EQ(*log.steps[1].end_s - *log.steps[0].end_s, 1.25);
}

TEST(Wandb, ReadsTables) {
  const RunLog history =
      read_log("\"_step\",\"note\",\"_timestamp\",\"loss\"\n1,\"a, b\",100.5,2.5\n2,\"\",101.5,2.25\n3,,102.5,2.0");
  ASSERT_EQ(history.steps.size(), 2u);  // the file ends in the last loss
  EXPECT_EQ(*history.steps[0].loss, 2.5);
  EXPECT_EQ(*history.steps[1].end_s, 101.5);
  const RunLog page = read_log(
      "\"Step\",\"run-7 - train/loss\",\"run-7 - train/loss__MIN\",\"run-7 - "
      "train/loss__MAX\"\n\"100\",\"2.5\",\"2\",\"3\"\n"
      "\"200\",\"2.25\",\"2\",\"3\"\n");
  ASSERT_EQ(page.steps.size(), 2u);
  EXPECT_EQ(page.steps[1].index, 200);
  EXPECT_EQ(*page.steps[1].loss, 2.25);
}

TEST(Wandb, SurvivesDamage) {
  const RunLog log = read_log(
      "{\"_step\": 1, \"loss\": 2}\n{\"_step\": broken\n{\"_step\": 1.5, \"loss\": 2}\n{\"_step\": 1e300, \"loss\": "
      "2}\n"
      "{\"_step\": \"2\", \"loss\": 2}\n[1]\n{\"_step\": 3, \"loss\": 2, \"tflo");
  EXPECT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(defects(log, "log.unreadable_json"), 2);
  EXPECT_EQ(defects(log, "log.unreadable_step"), 3);
}

}  // namespace
}  // namespace nameplate
