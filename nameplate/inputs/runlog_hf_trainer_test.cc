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

std::string fact(const RunLog& log, std::string_view key) {
  for (const LogFact& f : log.facts) {
    if (f.key == key) return f.value;
  }
  return {};
}

constexpr std::string_view kBanner =
    "[INFO|trainer.py:1706] 2025-01-02 03:04:05,678 >> ***** Running training *****\n"
    "[INFO|trainer.py:1707] 2025-01-02 03:04:05,678 >>   Num examples = 51,200\n"
    "[INFO|trainer.py:1708] 2025-01-02 03:04:05,678 >>   Num Epochs = 1\n"
    "[INFO|trainer.py:1709] 2025-01-02 03:04:05,678 >>   Instantaneous batch size per device = 8\n"
    "[INFO|trainer.py:1712] 2025-01-02 03:04:05,678 >>   Total train batch size (w. parallel, distributed & "
    "accumulation) = "
    "1,024\n"
    "[INFO|trainer.py:1713] 2025-01-02 03:04:05,678 >>   Gradient Accumulation steps = 4\n"
    "[INFO|trainer.py:1714] 2025-01-02 03:04:05,678 >>   Total optimization steps = 50\n";

TEST(HfTrainer, ReadsTheBanner) {
  const RunLog log = read(std::string(kBanner) +
                          " 20%|##        | 10/50 [00:40<02:40,  4.00s/it]\n"
                          "{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'epoch': 0.2}\n");
  EXPECT_EQ(log.format, "hf-trainer");
  EXPECT_EQ(fact(log, "training.micro_batch"), "8");
  EXPECT_EQ(fact(log, "training.global_batch"), "1024");
  ASSERT_FALSE(log.facts.empty());
  EXPECT_EQ(log.facts[0].evidence.line, 4);
  ASSERT_FALSE(log.events.empty());
  EXPECT_EQ(log.events[0].event_class, EventClass::start);
}

// Rows 20 and 40 are 80 s apart by the bar's clock: 4 s a step. The first row has only the printed rate.
TEST(HfTrainer, TakesStepAndTimeFromTheBarBeforeTheDict) {
  const RunLog log = read(
      "Loading checkpoint shards: 100%|##########| 2/2 [00:01<00:00,  1.33it/s]\n"
      " 40%|####      | 20/50 [01:35<02:06,  4.20s/it]\n"
      "{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'epoch': 0.4}\n"
      " 80%|########  | 40/50 [02:55<00:40,  4.02s/it]\n"
      "{'loss': 2.25, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.8, 'num_tokens': 655360.0}\n"
      "100%|##########| 50/50 [03:35<00:00,  4.00s/it]\n"
      "{'train_runtime': 216.0, 'train_samples_per_second': 236.0, 'train_steps_per_second': 0.231, 'epoch': 1.0}\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 20);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 4.2);
  EXPECT_EQ(log.steps[1].index, 40);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 4.0);
  EXPECT_EQ(*log.steps[1].end_s - *log.steps[0].end_s, 80);
  EXPECT_EQ(*log.steps[1].loss, 2.25);
  EXPECT_EQ(*log.steps[1].tokens, 16384);  // 655360 / 40
}

// A terminal's log: the bar, blanks and the dict share one line.
TEST(HfTrainer, FindsTheBarThatCarriageReturnsHid) {
  const RunLog log = read(
      "\r 10%|#         | 5/50 [00:10<01:30,  2.00s/it]\r                       \r{'loss': 3.5, 'epoch': 0.1}\n"
      "\r 12%|#2        | 6/50 [00:12<01:28,  2.00s/it]\r 20%|##        | 10/50 [00:20<01:20,  2.00s/it]\r      "
      "\r{'loss': 3.25, 'epoch': 0.2}\r\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 5);
  EXPECT_EQ(log.steps[1].index, 10);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 2.0);
}

TEST(HfTrainer, ReadsEvaluationsAndSaves) {
  const RunLog log = read(
      " 20%|##        | 10/50 [00:40<02:40,  4.00s/it]\n"
      "{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.2}\n"
      "100%|##########| 13/13 [00:05<00:00,  2.40it/s]\n"
      "{'eval_loss': 2.4, 'eval_runtime': 5.75, 'eval_samples_per_second': 17.4, 'epoch': 0.2}\n"
      "Saving model checkpoint to out/checkpoint-10\n"
      " 40%|####      | 20/50 [02:00<02:00,  4.20s/it]\n"
      "{'loss': 2.25, 'learning_rate': 1e-05, 'epoch': 0.4}\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[1].index, 20);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 7.425);  // (80 - 5.75) / 10: the evaluation is not part of it
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[0].event_class, EventClass::evaluation);
  EXPECT_EQ(*log.events[0].duration_s, 5.75);
  EXPECT_EQ(log.events[0].after_step, 10);
  EXPECT_EQ(log.events[1].event_class, EventClass::checkpoint_save);
}

// ms-swift: 1/0.5 = 2 s after one step, 6/0.6 = 10 s after six, so 8 s for five steps.
TEST(HfTrainer, ReadsMsSwift) {
  const RunLog log = read(
      "{'loss': 1.5, 'epoch': 0.01, 'global_step/max_steps': '1/90', 'elapsed_time': '2s', 'train_speed(iter/s)': "
      "0.5}\n"
      "{'loss': 1.25, 'epoch': 0.05, 'global_step/max_steps': '6/90', 'elapsed_time': '10s', 'train_speed(iter/s)': "
      "0.6}\n"
      "{'loss': 1.0, 'epoch': 0.5, 'global_step/max_steps': '46/90', 'elapsed_time': '1m 30s', 'train_speed(iter/s)': "
      "0.7}\n");
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 2.0);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 1.6);
  EXPECT_DOUBLE_EQ(*log.steps[2].duration_s, 2.0);  // 46/0.7 = 66 s is not the printed 90 s: (90 - 10) / 40
}

// 200 s at 0.02 steps/s are 4 steps of 50 s, 40 samples each at 0.8 samples/s. Every process prints it.
TEST(HfTrainer, MakesTheSummaryTheRowWhereItIsAll) {
  const std::string line =
      "{'train_runtime': 200.0, 'train_samples_per_second': 0.8, 'train_steps_per_second': 0.02, 'epoch': 1.0}\n";
  const RunLog log = read(line + line + line);
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(log.steps[0].index, 4);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 50);
  EXPECT_DOUBLE_EQ(*log.steps[0].samples, 40);
  EXPECT_TRUE(log.claims.duration_is_mean);
  ASSERT_EQ(log.defects.size(), 1u);
  EXPECT_EQ(log.defects[0].message.id, "log.repeated_step");
  EXPECT_EQ(log.defects[0].count, 2);
}

TEST(HfTrainer, NumbersRowsWithoutAStepAndGivesTheLastTheMean) {
  const RunLog log = read(
      "{'loss': 1.5, 'epoch': 0.5}\n"
      "{'loss': 1.25, 'epoch': 1.0}\n"
      "{'train_runtime': 8.0, 'train_samples_per_second': 4.0, 'train_steps_per_second': 0.25, 'epoch': 1.0}\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[1].index, 2);
  EXPECT_FALSE(log.steps[0].duration_s);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 4.0);
  ASSERT_EQ(log.defects.size(), 1u);
  EXPECT_EQ(log.defects[0].message.id, "log.step_not_printed");
  EXPECT_EQ(log.defects[0].count, 2);
}

TEST(HfTrainer, TakesTheDeepSpeedConfigurationThatRan) {
  const auto configuration = [](const char* batch, const char* micro) {
    return std::string("[2025-01-02 03:04:05,678] [INFO] [config.py:752:print]   train_batch_size ............. ") +
           batch + "\n[2025-01-02 03:04:05,678] [INFO] [config.py:752:print]   train_micro_batch_size_per_gpu  " +
           micro +
           "\n[2025-01-02 03:04:05,678] [INFO] [config.py:752:print]   bfloat16_enabled ............. True"
           "\n[2025-01-02 03:04:05,678] [INFO] [config.py:752:print]   world_size ................... 16\n";
  };
  const RunLog log =
      read(configuration("512", "32") + "RuntimeError: CUDA out of memory. Tried to allocate 2.0 GiB\n" +
           configuration("256", "16") +
           "{'train_runtime': 200.0, 'train_samples_per_second': 0.8, 'train_steps_per_second': 0.02}\n");
  EXPECT_EQ(fact(log, "training.global_batch"), "256");
  EXPECT_EQ(fact(log, "training.micro_batch"), "16");
  EXPECT_EQ(fact(log, "cluster.count"), "16");
  EXPECT_EQ(fact(log, "training.precision"), "bf16");
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].event_class, EventClass::failure);
}

TEST(HfTrainer, BeginsAnAttemptWhereTheRunIsStartedAnew) {
  const std::string row = " 20%|##        | 10/50 [00:40<02:40,  4.00s/it]\n{'loss': 2.5, 'epoch': 0.2}\n";
  const RunLog log = read(std::string(kBanner) + row + std::string(kBanner) + row);
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[1].attempt, 1);
}

TEST(HfTrainer, KeepsADictThatTheEndOfTheFileCutsOut) {
  const RunLog log = read("{'loss': 1.5, 'epoch': 0.5}\n{'loss': 1.25, 'epo");
  EXPECT_EQ(log.steps.size(), 1u);
}

}  // namespace
}  // namespace nameplate
