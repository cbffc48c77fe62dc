#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

constexpr std::string_view kHead = "05/06/2025 07:08:09 [INFO|DP=0|PP=0|TP=0]: ";

std::string step(int index, std::string_view time, std::string_view batch = "512") {
  return std::string(kHead) + "iteration: " + std::to_string(index) +
         " / 900 | consumed_tokens: 1.05M | elapsed_time_per_iteration_ms: " + std::string(time) +
         " | tokens_per_sec: 460K | tokens_per_sec_per_gpu: 57.5K | global_batch_size: " + std::string(batch) +
         " | lm_loss: 4.25 | lr: 0.0003 | model_tflops_per_gpu: 312 | hardware_tflops_per_gpu: 390 | grad_norm: 0.5\n";
}

TEST(Nanotron, ReadsAStep) {
  const RunLog log = read_log(step(17, "2.28K"));
  EXPECT_EQ(log.format, "nanotron");
  ASSERT_EQ(log.steps.size(), 1u);
  const Step& row = log.steps[0];
  EXPECT_EQ(row.index, 17);
  EXPECT_DOUBLE_EQ(*row.duration_s, 2.28);
  EXPECT_EQ(*row.samples, 512);
  EXPECT_EQ(*row.loss, 4.25);
  EXPECT_EQ(*row.claimed_tokens_per_s, 57500);
  EXPECT_EQ(*row.claimed_tflops, 312);  // model, not hardware
  EXPECT_TRUE(row.end_s);
  EXPECT_EQ(log.claims.convention, "full");
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::per_accelerator);
  EXPECT_EQ(fact(log, "cluster.count"), "8");  // 460 / 57.5
}

TEST(Nanotron, LeavesOutWhatThreeDigitsDoNotTell) {
  std::string text = step(17, "985", "1.02K");
  text.replace(text.find("460K"), 4, "58.9M");  // 1024 accelerators, known to 1 %
  const RunLog log = read_log(text);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.985);
  EXPECT_FALSE(log.steps[0].samples);
  EXPECT_EQ(fact(log, "cluster.count"), "");
}

TEST(Nanotron, ReadsTheConfiguration) {
  const RunLog log = read_log(std::string(kHead) +
                              "Config:\nConfig(general=GeneralArgs(project='x',\n"
                              "       parallelism=ParallelismArgs(dp=4,\n   pp=1,\n   tp=2,\n"
                              "       model=ModelArgs(model_config=LlamaConfig(hidden_size=2048,\n"
                              "         num_hidden_layers=24,\n  tie_word_embeddings=True,\n  vocab_size=49152)),\n"
                              "   sequence_length=4096,\n" +
                              step(1, "1.5K"));
  EXPECT_EQ(fact(log, "plan.dp"), "4");
  EXPECT_EQ(fact(log, "plan.tp"), "2");
  EXPECT_EQ(fact(log, "model.hidden"), "2048");
  EXPECT_EQ(fact(log, "model.layers"), "24");
  EXPECT_EQ(fact(log, "model.tied_embeddings"), "true");
  EXPECT_EQ(fact(log, "model.vocab"), "49152");
  EXPECT_EQ(fact(log, "training.seq_len"), "4096");
}

TEST(Nanotron, TellsCheckpoints) {
  const RunLog log = read_log(step(1, "1.5K") + std::string(kHead) + "Saving checkpoint at /x/1\n" + step(2, "1.5K"));
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].event_class, EventClass::checkpoint_save);
  EXPECT_EQ(log.events[0].after_step, 1);
}

TEST(Nanotron, SurvivesDamage) {
  const std::string whole = step(3, "2.28K");
  const RunLog cut = read_log(step(2, "2K") + whole.substr(0, whole.find("57.5K") + 3));
  ASSERT_EQ(cut.steps.size(), 2u);
  EXPECT_DOUBLE_EQ(*cut.steps[1].duration_s, 2.28);
  EXPECT_FALSE(cut.steps[1].claimed_tokens_per_s);
  const RunLog strange = read_log(step(2, "nan") + step(-3, "2K") + step(4, "2Q"));
  EXPECT_EQ(strange.steps.size(), 2u);
  EXPECT_EQ(defects(strange, "log.invalid_value"), 3);  // nan, the index, 2Q
}

}  // namespace
}  // namespace nameplate
