#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

std::string step(int index, std::string_view seconds, std::string_view loss = "9.250\n") {
  return "completed step: " + std::to_string(index) + ", seconds: " + std::string(seconds) +
         ", TFLOP/s/device: 210.500, Tokens/s/device: 4096.250, total_weights: 65536, loss: " + std::string(loss);
}

TEST(MaxText, ReadsAStep) {
  const RunLog log = read_log(step(5, "2.000"));
  EXPECT_EQ(log.format, "maxtext");
  ASSERT_EQ(log.steps.size(), 1u);
  const Step& row = log.steps[0];
  EXPECT_EQ(row.index, 5);
  EXPECT_DOUBLE_EQ(*row.duration_s, 2.0);
  EXPECT_EQ(*row.tokens, 65536);
  EXPECT_EQ(*row.loss, 9.25);
  EXPECT_EQ(*row.claimed_tflops, 210.5);
  EXPECT_EQ(*row.claimed_tokens_per_s, 4096.25);
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::per_accelerator);
  EXPECT_EQ(log.claims.convention, "nameplate");
}

TEST(MaxText, ReadsParameters) {
  const RunLog log = read_log(
      "Config param base_emb_dim: 4096\nConfig param per_device_batch_size: 12.0\nConfig param num_experts: 1\n"
      "Config param dtype: bfloat16\nConfig param model_name: default\nConfig param remat_policy: full\n"
      "Config param logits_via_embedding: False\nNum_devices: 16, shape (1, 16)\n" +
      step(0, "9.000"));
  EXPECT_EQ(fact(log, "model.hidden"), "4096");
  EXPECT_EQ(fact(log, "training.micro_batch"), "12");
  EXPECT_EQ(fact(log, "model.experts"), "");
  EXPECT_EQ(fact(log, "training.precision"), "bf16");
  EXPECT_EQ(fact(log, "model.name"), "");
  EXPECT_EQ(fact(log, "training.recompute"), "full");
  EXPECT_EQ(fact(log, "model.tied_embeddings"), "false");
  EXPECT_EQ(fact(log, "cluster.count"), "16");
}

TEST(MaxText, TellsCheckpointsAndEvaluations) {
  const RunLog log = read_log(step(3, "2.0") + "saved a checkpoint at step 3\neval metrics after step: 3, loss=9.1\n" +
                              step(4, "2.0"));
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[0].event_class, EventClass::checkpoint_save);
  EXPECT_FALSE(log.events[0].blocking);
  EXPECT_EQ(log.events[1].event_class, EventClass::evaluation);
}

TEST(MaxText, SurvivesDamage) {
  const RunLog log = read_log(step(1, "nan") + "completed step: x, seconds: 1, \n" + step(2, "2.5", "9.2"));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[0].duration_s);
  EXPECT_FALSE(log.steps[1].loss);  // the file ends in it
  EXPECT_EQ(defects(log, "log.unreadable_step"), 1);
  EXPECT_EQ(defects(log, "log.invalid_value"), 1);
}

}  // namespace
}  // namespace nameplate
