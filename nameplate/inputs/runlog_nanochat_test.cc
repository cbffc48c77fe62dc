#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

std::string step(int index, std::string_view mfu = "mfu: 48.50") {
  return "step 000" + std::to_string(index) +
         "/00900 (1.11%) | loss: 4.125000 | lrm: 1.00 | dt: 250.00ms | tok/sec: " + "1,048,576 | " + std::string(mfu) +
         " | total time: 0.10m\n";
}

TEST(Nanochat, ReadsAStep) {
  const RunLog log = read_log(step(12));
  EXPECT_EQ(log.format, "nanochat");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(log.steps[0].index, 12);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.25);
  EXPECT_EQ(*log.steps[0].loss, 4.125);
  EXPECT_EQ(*log.steps[0].claimed_tokens_per_s, 1048576);
  EXPECT_DOUBLE_EQ(*log.steps[0].claimed_mfu, 0.485);
  EXPECT_EQ(log.claims.peak_tflops, 989);
  EXPECT_EQ(log.claims.convention, "torchtitan");
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::job);
}

TEST(Nanochat, KnowsTheVersionThatLooksThePeakUp) {
  const RunLog log = read_log(step(12, "bf16_mfu: 51.25"));
  EXPECT_DOUBLE_EQ(*log.steps[0].claimed_mfu, 0.5125);
  EXPECT_FALSE(log.claims.peak_tflops);
}

TEST(Nanochat, ReadsTheBanner) {
  const RunLog log = read_log(
      "GPU: NVIDIA H100 80GB HBM3 | Peak FLOPS (BF16): 9.89e+14\nVocab size: 65,536\nnum_layers: 12\nmodel_dim: 768\n"
      "num_heads: 6\nnum_kv_heads: 6\nTokens / micro-batch / rank: 32 x 2048 = 65,536\n"
      "Total batch size 262,144 => gradient accumulation steps: 2\nNumber of parameters: 185,597,952\n" +
      step(1));
  EXPECT_EQ(fact(log, "cluster.accelerator"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(fact(log, "model.vocab"), "65536");
  EXPECT_EQ(fact(log, "model.layers"), "12");
  EXPECT_EQ(fact(log, "model.hidden"), "768");
  EXPECT_EQ(fact(log, "training.micro_batch"), "32");
  EXPECT_EQ(fact(log, "training.seq_len"), "2048");
  EXPECT_EQ(fact(log, "training.tokens_per_step"), "262144");
  EXPECT_EQ(fact(log, "model.parameters"), "185597952");
  EXPECT_EQ(*log.steps[0].tokens, 262144);
}

TEST(Nanochat, TellsEvaluationsAndCheckpoints) {
  const RunLog log =
      read_log(step(1) + "Step 00001 | Validation bpb: 1.2000\nSaved model parameters to: x.pt\n" + step(2));
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[0].event_class, EventClass::evaluation);
  EXPECT_EQ(log.events[1].event_class, EventClass::checkpoint_save);
}

TEST(Nanochat, SurvivesDamage) {
  const std::string whole = step(3);
  const RunLog log =
      read_log(step(1) + "step x (1%) | dt: 1ms | tok/sec: 1 |\n" + whole.substr(0, whole.find("50 |") + 1));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[1].claimed_mfu);
  EXPECT_EQ(defects(log, "log.unreadable_step"), 1);
}

}  // namespace
}  // namespace nameplate
