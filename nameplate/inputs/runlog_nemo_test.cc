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

std::vector<Event> of_class(const RunLog& log, EventClass event_class) {
  std::vector<Event> found;
  for (const Event& event : log.events) {
    if (event.event_class == event_class) found.push_back(event);
  }
  return found;
}

constexpr std::string_view kTwoSteps =
    "[default0]:All tensor model parallel group ranks: [[0, 1], [2, 3]]\n"
    "[default0]:Training epoch 0, iteration 6/9 | lr: 1e-06 | global_batch_size: 256 | global_step: 6 | "
    "reduced_train_loss: 9.25 | train_step_timing in s: 4.125 | consumed_samples: 1792\n"
    "[default0]:Training epoch 0, iteration 7/9 | lr: 1e-06 | global_batch_size: 256 | global_step: 7 | "
    "reduced_train_loss: nan | TFLOPS_per_GPU: 412.5 | train_step_timing in s: 4.25 | consumed_samples: 2048\n";

TEST(Nemo, ReadsPrintedSteps) {
  const RunLog log = read(kTwoSteps);
  EXPECT_EQ(log.format, "nemo");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 6);
  EXPECT_EQ(*log.steps[0].duration_s, 4.125);
  EXPECT_EQ(*log.steps[0].samples, 256);
  EXPECT_EQ(*log.steps[0].loss, 9.25);
  EXPECT_FALSE(log.steps[0].claimed_tflops);
  EXPECT_FALSE(log.steps[1].loss);
  EXPECT_EQ(*log.steps[1].claimed_tflops, 412.5);
  EXPECT_EQ(log.ranks_seen, 1);
  ASSERT_EQ(log.facts.size(), 2u);
  EXPECT_EQ(log.facts[0].key, "plan.tp");
  EXPECT_EQ(log.facts[0].value, "2");
  EXPECT_EQ(log.facts[1].key, "training.global_batch");
  EXPECT_EQ(log.claims.convention, "");
}

TEST(Nemo, CountsEpochsWhereNoGlobalStepIsPrinted) {
  const RunLog log =
      read("Training epoch 2, iteration 3/40 | lr: 1e-06 | reduced_train_loss: 9 | train_step_timing in s: 2\n");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(log.steps[0].index, 83);  // 2 x 40 + 3
}

TEST(Nemo, ReadsTheProgressBar) {
  const RunLog log = read(
      "Epoch 0: :   1%|          | 5/900 [00:20<59:40, v_num=, reduced_train_loss=10.40, global_step=4.000, "
      "consumed_samples=640.0, train_step_timing in s=3.750]\n"
      "Epoch 0: :   2%|1         | 15/900 [01:00<59:00, 4.00s/it, v_num=, reduced_train_loss=nan.0, global_step=14.00, "
      "consumed_samples=1920.0]\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 4);
  EXPECT_EQ(*log.steps[0].duration_s, 3.75);
  EXPECT_EQ(log.steps[1].index, 14);
  EXPECT_EQ(*log.steps[1].duration_s, 4);
  EXPECT_EQ(*log.steps[1].samples, 128);  // (1920 - 640) / 10
  EXPECT_FALSE(log.steps[1].loss);
}

// "9e+3" may be any of 8950 to 9049: the bar's count says 9000 steps are done, so the last index is 8999.
TEST(Nemo, TakesTheBarsCountWhereTheStepIsRounded) {
  const RunLog log = read(
      "Epoch 0: :   3%|3         | 9000/301500 [1:42:42<55:37:46, v_num=0-56, reduced_train_loss=2.5, "
      "global_step=9e+3, "
      "consumed_samples=6.3e+5, train_step_timing in s=0.615]\n");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(log.steps[0].index, 8999);
  EXPECT_FALSE(log.steps[0].samples);
}

TEST(Nemo, PairsAsynchronousSavesWithTheirEnd) {
  const std::string text =
      std::string(kTwoSteps) +
      "[default0]:[NeMo I 2025-01-02 03:04:00 model_checkpoint:497] Scheduled async checkpoint save for "
      "/ckpt/step=7.ckpt\n"
      "[default0]:Training epoch 0, iteration 8/9 | global_step: 8 | train_step_timing in s: 4.5\n"
      "[default0]:[NeMo I 2025-01-02 03:04:09 model_checkpoint:522] Async checkpoint save for step 8 "
      "(/ckpt/step=7.ckpt) finalized successfully.\n";
  const auto saves = of_class(read(text), EventClass::checkpoint_save);
  ASSERT_EQ(saves.size(), 1u);
  EXPECT_EQ(saves[0].after_step, 7);
  EXPECT_FALSE(saves[0].blocking);
  EXPECT_EQ(*saves[0].end_s - *saves[0].begin_s, 9);
}

TEST(Nemo, ReadsWhatASaveBlocks) {
  const std::string text =
      std::string(kTwoSteps) +
      "[NeMo I 2025-01-02 03:04:10 nemo_logging:393] Global Checkpoint Save : Rank: 0 : Iteration: 7 : "
      "Start time: 1735787045.500s : Save duration: 4.500s\n"
      "[NeMo I 2025-01-02 03:04:10 nemo_logging:393] Global Checkpoint Save : Rank: 1 : Iteration: 7 : "
      "Start time: 1735787045.500s : Save duration: 4.501s\n";
  const auto saves = of_class(read(text), EventClass::checkpoint_save);
  ASSERT_EQ(saves.size(), 1u);
  EXPECT_TRUE(saves[0].blocking);
  EXPECT_EQ(*saves[0].duration_s, 4.5);
  EXPECT_EQ(*saves[0].end_s - *saves[0].begin_s, 4.5);
  EXPECT_EQ(saves[0].row, LedgerRow::checkpoint);
}

TEST(Nemo, ReadsAnInJobRestart) {
  const std::string text =
      "[2025-01-02 03:00:00,500] [INFO] [ft_launcher@node1] [default] Rendezvous complete for workers. Result:\n"
      "  restart_count=0\n" +
      std::string(kTwoSteps) +
      "[default3]:[rank3]: Exception: Simulating a crash at step 8!\n"
      "[default1]:[rank1]: Exception: Simulating a crash at step 8!\n"
      "[2025-01-02 03:01:00,000] [ERROR] [ft_launcher@node1] failed (exitcode: 1) local_rank: 3 (pid: 17) of binary: "
      "python\n"
      "[2025-01-02 03:01:00,001] [INFO] [ft_launcher@node1] [default] Worker group FAILED. 3/3 attempts left; will "
      "restart\n"
      "[2025-01-02 03:01:02,000] [INFO] [ft_launcher@node1] [default] Rendezvous complete for workers. Result:\n"
      "  restart_count=1\n"
      "[default0]:Restoring states from the checkpoint path at /ckpt/step=3\n"
      "[default0]:Training epoch 0, iteration 4/9 | global_step: 4 | train_step_timing in s: 6.5\n";
  const RunLog log = read(text);
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_EQ(log.steps[2].attempt, 1);
  EXPECT_EQ(of_class(log, EventClass::start).size(), 1u);
  EXPECT_EQ(of_class(log, EventClass::checkpoint_load).size(), 1u);
  const auto failures = of_class(log, EventClass::failure);
  const auto restarts = of_class(log, EventClass::restart);
  ASSERT_EQ(failures.size(), 1u);
  ASSERT_EQ(restarts.size(), 1u);
  EXPECT_EQ(failures[0].after_step, 7);
  EXPECT_EQ(*restarts[0].begin_s - *failures[0].begin_s, 2);
}

TEST(Nemo, ReadsStragglersAndPreemption) {
  const std::string text =
      std::string(kTwoSteps) +
      "[default0]:[NeMo W 2025-01-02 03:05:00 straggler_det_callback:106] STRAGGLER DETECTION WARNING: Some GPUs have "
      "worse "
      "relative performance. Affected ranks: {StragglerId(rank=5, node='a'), StragglerId(rank=12, node='b')}\n"
      "[default0]:[NeMo I 2025-01-02 03:06:00 preemption:87] Received signal 15, initiating graceful stop\n";
  const RunLog log = read(text);
  const auto stragglers = of_class(log, EventClass::straggler);
  ASSERT_EQ(stragglers.size(), 2u);
  EXPECT_EQ(stragglers[1].subject, "rank 12");
  EXPECT_EQ(stragglers[1].scope, EventScope::rank);
  EXPECT_EQ(of_class(log, EventClass::failure).size(), 1u);
}

TEST(Nemo, LeavesOutTheFieldThatTheEndOfTheFileCuts) {
  const RunLog log = read(std::string(kTwoSteps) +
                          "[default0]:Training epoch 0, iteration 8/9 | global_step: 8 | train_step_timing in s: 4.3");
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_EQ(log.steps[2].index, 8);
  EXPECT_FALSE(log.steps[2].duration_s);
}

TEST(Nemo, CountsWhatItCannotRead) {
  const RunLog log =
      read(std::string(kTwoSteps) + "Training epoch 0, iteration x/9 | lr: 1e-06 | train_step_timing in s: 4\n");
  EXPECT_EQ(log.steps.size(), 2u);
  ASSERT_EQ(log.defects.size(), 1u);
  EXPECT_EQ(log.defects[0].message.id, "log.unreadable_step");
}

}  // namespace
}  // namespace nameplate
