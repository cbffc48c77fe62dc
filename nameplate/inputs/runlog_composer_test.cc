#include <gtest/gtest.h>

#include "nameplate/core/file_reader.h"
#include "nameplate/inputs/runlog.h"

namespace nameplate {
namespace {

RunLog read(std::string_view text) {
  auto log = read_runlog(LineReader::from_memory(text));
  EXPECT_TRUE(log) << render(log.error());
  return log ? std::move(log).value() : RunLog();
}

constexpr std::string_view kBlock =
    "[batch=12/4800]:\n"
    "\t Train time/batch: 11\n"
    "\t Train time/sample: 2816\n"
    "\t Train time/token: 5767168\n"
    "\t Train loss/train/total: 7.1250\n"
    "\t Train throughput/batches_per_sec: 0.2500\n"
    "\t Train throughput/tokens_per_sec: 131072.0000\n"
    "\t Train throughput/device/tokens_per_sec: 16384.0000\n"
    "\t Train throughput/device/flops_per_sec: 125000000000000.0000\n"
    "\t Train throughput/device/mfu: 0.4006\n";

TEST(Composer, ReadsABlock) {
  const RunLog log = read("max_seq_len: 2048\nprecision: amp_bf16\nmodel:\n  d_model: 4096\n" + std::string(kBlock));
  EXPECT_EQ(log.format, "composer");
  ASSERT_EQ(log.steps.size(), 1u);
  const Step& step = log.steps[0];
  EXPECT_EQ(step.index, 12);
  EXPECT_EQ(step.line, 5);
  EXPECT_EQ(*step.loss, 7.125);
  EXPECT_DOUBLE_EQ(*step.duration_s, 4.0);   // 1 / 0.25
  EXPECT_DOUBLE_EQ(*step.tokens, 524288.0);  // 5767168 / 11
  EXPECT_DOUBLE_EQ(*step.samples, 256.0);    // 2816 / 11
  EXPECT_EQ(*step.claimed_tokens_per_s, 131072.0);
  EXPECT_EQ(*step.claimed_tflops, 125.0);
  EXPECT_EQ(*step.claimed_mfu, 0.4006);
  EXPECT_EQ(log.claims.convention, "llm_foundry");
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::job);
}

TEST(Composer, ReadsFactsFromTheConfigurationAndTheRates) {
  const RunLog log = read("max_seq_len: 2048\nprecision: amp_bf16\nmodel:\n  d_model: 4096\n" + std::string(kBlock));
  std::vector<std::pair<std::string, std::string>> facts;
  for (const LogFact& fact : log.facts) facts.emplace_back(fact.key, fact.value);
  EXPECT_EQ(facts, (std::vector<std::pair<std::string, std::string>>{{"training.seq_len", "2048"},
                                                                     {"training.precision", "bf16"},
                                                                     {"model.hidden", "4096"},
                                                                     {"cluster.count", "8"}}));  // 131072 / 16384
}

TEST(Composer, PrefersTheFinerSourceOfTheStepTime) {
  const RunLog log = read(
      "[batch=1/9]:\n\t Train time/batch: 0\n\t Train wall_clock/train: 10.5000\n"
      "[batch=3/9]:\n\t Train time/batch: 2\n\t Train throughput/batches_per_sec: 0.2513\n\t Train wall_clock/train: "
      "18.5000\n"
      "[batch=4/9]:\n\t Train time/batch: 3\n\t Train time/secs_per_step: 4.1250\n\t Train throughput/batches_per_sec: "
      "0.2513\n");
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 4.0);  // (18.5 - 10.5) / 2
  EXPECT_DOUBLE_EQ(*log.steps[2].duration_s, 4.125);
}

TEST(Composer, CountsBatchesOfTheWholeRunWhateverTheHeaderCounts) {
  const RunLog log = read(
      "[epoch=2][batch=3/100]:\n\t Train trainer/global_step: 102\n\t Train throughput/batches_per_sec: 2.0000\n"
      "[token=4096/2000000]:\n\t Train time/batch: 107\n\t Train throughput/batches_per_sec: 2.0000\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 103);
  EXPECT_EQ(log.steps[1].index, 108);
}

TEST(Composer, TellsEvaluationApart) {
  const RunLog log = read(std::string(kBlock) +
                          "[Eval batch=1/20] Eval on eval data\n[Eval batch=11/20] Eval on eval data\n"
                          "[Eval batch=20/20] Eval on eval data:\n\t Eval metrics/eval/LanguageCrossEntropy: 6.9\n"
                          "[batch=13/4800]:\n\t Train time/batch: 12\n\t Train throughput/batches_per_sec: 0.2500\n");
  EXPECT_EQ(log.steps.size(), 2u);
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].event_class, EventClass::evaluation);
  EXPECT_EQ(log.events[0].after_step, 12);
}

TEST(Composer, SurvivesRestartColourAndCarriageReturns) {
  const std::string again =
      "\x1b[32m[batch=5/4800]:\x1b[0m\r\n\t Train time/batch: 4\r\n\t Train throughput/batches_per_sec: 0.25\r\n";
  const RunLog log = read(std::string(kBlock) + again);
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[1].index, 5);
  EXPECT_EQ(log.steps[1].attempt, 1);
}

TEST(Composer, LeavesOutTheValueThatTheEndOfTheFileCuts) {
  const RunLog log = read(
      "[batch=1/9]:\n\t Train time/batch: 0\n\t Train throughput/batches_per_sec: 0.2500\n\t Train "
      "throughput/device/mfu: 0.4");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_FALSE(log.steps[0].claimed_mfu);
}

// Epoch 1 of 100 batches: 140 in all, 60 s after the row at 100.
TEST(Composer, ReadsTheProgressBar) {
  const RunLog log = read(
      "train          Epoch   0:   100%|#########################| 100/100 [02:30<00:00,  1.50s/ba, loss/train=3.1]\n"
      "train          Epoch   1:    40%|##########               | 40/100 [01:00<01:30,  1.50s/ba, loss/train=2.9]\n");
  EXPECT_EQ(log.format, "composer");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 100);
  EXPECT_EQ(log.steps[1].index, 140);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 1.5);
}

}  // namespace
}  // namespace nameplate
