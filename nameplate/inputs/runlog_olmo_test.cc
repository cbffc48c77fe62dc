#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

std::string head(int second) {
  return "2024-05-06 01:02:" + std::to_string(second) + ".500\tworker:0\tolmo.train:967\tINFO\t";
}

std::string block(int second, int step, std::string_view tokens) {
  return head(second) + "[step=" + std::to_string(step) + "/900,epoch=1]\n" +
         "    optim/total_grad_norm=0.5\n    train/CrossEntropyLoss=3.250\n    train/Perplexity=25.79\n" +
         "    throughput/total_tokens=" + std::string(tokens) + "\n    throughput/device/tokens_per_second=12,500\n" +
         "    throughput/device/batches_per_second=0.2500\n";
}

TEST(Olmo, ReadsBlocks) {
  const RunLog log = read_log(block(10, 10, "20,971,520") + block(50, 20, "41,943,040"));
  EXPECT_EQ(log.format, "olmo");
  ASSERT_EQ(log.steps.size(), 2u);
  const Step& row = log.steps[1];
  EXPECT_EQ(row.index, 20);
  EXPECT_EQ(row.line, 8);
  EXPECT_DOUBLE_EQ(*row.duration_s, 4);
  EXPECT_EQ(*row.tokens, 2097152);
  EXPECT_EQ(*row.loss, 3.25);
  EXPECT_EQ(*row.claimed_tokens_per_s, 12500);
  EXPECT_DOUBLE_EQ(*row.end_s - *log.steps[0].end_s, 40);
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::per_accelerator);
  EXPECT_EQ(log.claims.convention, "");
}

TEST(Olmo, ReadsOlmoCore) {
  const RunLog log =
      read_log(head(10) +
               "[step=5/90,epoch=1,eta=1:02:03]\n    train/CE loss=2.750\n    throughput/total tokens=1,000\n"
               "    throughput/device/TPS=9,000\n    throughput/device/BPS=0.5000\n"
               "    throughput/device/MFU=41.50\n    throughput/device/MFU (actual avg)=40.00\n");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(*log.steps[0].loss, 2.75);
  EXPECT_EQ(*log.steps[0].duration_s, 2);
  EXPECT_EQ(*log.steps[0].claimed_tokens_per_s, 9000);
  EXPECT_DOUBLE_EQ(*log.steps[0].claimed_mfu, 0.415);
  EXPECT_EQ(*log.steps[0].tokens, 200);
  EXPECT_EQ(log.claims.convention, "torchtitan");
}

TEST(Olmo, TellsEvents) {
  const RunLog log =
      read_log(head(9) + "Loading checkpoint from x...\n" + block(10, 10, "1") + head(11) + "Saving checkpoint...\n" +
               head(19) + "Checkpoint saved to x\n" + head(20) + "Running evaluation for 'all'...\n" +
               block(30, 20, "2") + head(31) + "Training complete\n");
  ASSERT_EQ(log.events.size(), 4u);
  EXPECT_EQ(log.events[0].event_class, EventClass::checkpoint_load);
  EXPECT_EQ(log.events[1].event_class, EventClass::checkpoint_save);
  EXPECT_DOUBLE_EQ(*log.events[1].end_s - *log.events[1].begin_s, 8);
  EXPECT_EQ(log.events[2].event_class, EventClass::evaluation);
  EXPECT_EQ(log.events[3].event_class, EventClass::finished);
}

TEST(Olmo, SurvivesDamage) {
  const RunLog log = read_log(head(10) + "[step=5/90]\n    throughput/device/tokens_per_second=nan\n" + head(11) +
                              "[step=x/90]\n" + head(12) +
                              "[step=6/90]\n    throughput/device/batches_per_second=0.0012\n"
                              "    throughput/device/tokens_per_second=12");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[1].duration_s);            // two digits are no step time
  EXPECT_FALSE(log.steps[1].claimed_tokens_per_s);  // the file ends in it
  EXPECT_EQ(defects(log, "log.invalid_value"), 1);
}

}  // namespace
}  // namespace nameplate
