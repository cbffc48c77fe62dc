#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

TEST(RunlogTorchTitan, ReadsColouredLinesOfManyRanksOnce) {
  const RunLog log = read_log(
      "1: 2025-05-01 10:00:00,500 - root - INFO - \x1b[36mstep: 10  \x1b[32mloss:  5.5000  \x1b[33mmemory: "
      "60.00GiB(75.00%)  "
      "\x1b[34mtps: 7,250  \x1b[35mmfu: 41.25%\x1b[39m\n"
      "0: 2025-05-01 10:00:00,501 - root - INFO - \x1b[36mstep: 10  \x1b[32mloss:  5.5000  \x1b[33mmemory: "
      "60.00GiB(75.00%)  "
      "\x1b[34mtps: 7,251  \x1b[35mmfu: 41.26%\x1b[39m\n"
      "0: 2025-05-01 10:00:11,500 - root - INFO - \x1b[36mstep: 20  \x1b[32mloss:  5.2500  \x1b[33mmemory: "
      "60.00GiB(75.00%)  "
      "\x1b[34mtps: 7,300  \x1b[35mmfu: 41.50%\x1b[39m\n");
  EXPECT_EQ(log.format, "torchtitan");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(*log.steps[0].claimed_tokens_per_s, 7250);
  EXPECT_DOUBLE_EQ(*log.steps[0].claimed_mfu, 0.4125);
  EXPECT_EQ(*log.steps[0].loss, 5.5);
  EXPECT_FALSE(log.steps[0].duration_s);
  EXPECT_EQ(*log.steps[1].end_s - *log.steps[0].end_s, 11);
  EXPECT_EQ(log.ranks_seen, 2);
  EXPECT_EQ(defects(log, "log.repeated_step"), 1);
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::per_accelerator);
}

TEST(RunlogTorchTitan, ReadsTeraflopsAndUnknownMfu) {
  const RunLog log = read_log(
      "[titan] 2025-05-01 10:00:00,500 - root - INFO - step:  4  loss:  7.5  grad_norm: 2.5000  memory: "
      "66.91GiB(37.51%)  tps: "
      "10,500  tflops: 300.25  mfu: N/A\n");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(*log.steps[0].claimed_tflops, 300.25);
  EXPECT_FALSE(log.steps[0].claimed_mfu);
  EXPECT_TRUE(log.defects.empty());
}

TEST(RunlogTorchTitan, TakesNoCutNumber) {
  const std::string whole = "step: 1  loss:  7.5  memory: 60.00GiB(75.00%)  tps: 10,500  tflops: 300.25  mfu: 45.50%\n";
  const std::string line = "step: 2  loss:  7.5  memory: 60.00GiB(75.00%)  tps: 10,500  tflops: 300.25  mfu: 45.50%";
  for (std::size_t length = 1; length < line.size(); ++length) {
    const RunLog log = read_log(whole + line.substr(0, length));
    if (log.steps.size() < 2) continue;  // not even the index is sure
    const Step& step = log.steps[1];
    EXPECT_EQ(step.index, 2);
    EXPECT_TRUE(!step.loss || *step.loss == 7.5) << length;
    EXPECT_TRUE(!step.claimed_tokens_per_s || *step.claimed_tokens_per_s == 10500) << length;
    EXPECT_TRUE(!step.claimed_tflops || *step.claimed_tflops == 300.25) << length;
    EXPECT_FALSE(step.claimed_mfu) << length;
  }
}

TEST(RunlogTorchTitan, ReadsFactsAndEvents) {
  const RunLog log = read_log(
      "2025-05-01 10:00:00,000 - root - INFO - Starting job: a test\n"
      "2025-05-01 10:00:01,000 - root - INFO - Building 2-D device mesh with ['dp_shard', 'tp'], [16, 2]\n"
      "2025-05-01 10:00:02,000 - root - INFO - CUDA capacity: NVIDIA A100-SXM4-80GB with 79.15GiB memory\n"
      "2025-05-01 10:00:02,100 - root - INFO - Peak FLOPS used for computing MFU: 3.120e+14\n"
      "2025-05-01 10:00:03,000 - root - INFO - Building tiny 1B with ModelArgs(dim=2048, n_layers=16, n_heads=32, "
      "n_kv_heads=8, "
      "vocab_size=32000, rope_theta=500000)\n"
      "2025-05-01 10:00:04,000 - root - INFO - Trainer is initialized with local batch size 2, global batch size 32, "
      "gradient "
      "accumulation steps 1, sequence length 4096, total steps 100 (warmup 20).\n"
      "2025-05-01 10:00:05,000 - root - INFO - Training starts at step 1.\n"
      "2025-05-01 10:00:09,000 - root - INFO - step: 10  loss:  5.5  memory: 60.00GiB(75.00%)  tps: 7,250  mfu: "
      "41.25%\n"
      "2025-05-01 10:00:10,000 - root - INFO - Saving the checkpoint (or staging if async is enabled).\n"
      "2025-05-01 10:00:13,500 - root - INFO - Finished saving the checkpoint (or staging if async is enabled)in 3.50 "
      "seconds.\n");
  EXPECT_EQ(fact(log, "cluster.accelerator"), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(fact(log, "cluster.count"), "32");
  EXPECT_EQ(fact(log, "plan.dp"), "16");
  EXPECT_EQ(fact(log, "plan.tp"), "2");
  EXPECT_EQ(fact(log, "model.name"), "tiny 1B");
  EXPECT_EQ(fact(log, "model.hidden"), "2048");
  EXPECT_EQ(fact(log, "model.layers"), "16");
  EXPECT_EQ(fact(log, "model.kv_heads"), "8");
  EXPECT_EQ(fact(log, "model.vocab"), "32000");
  EXPECT_EQ(fact(log, "training.micro_batch"), "2");
  EXPECT_EQ(fact(log, "training.global_batch"), "32");
  EXPECT_EQ(fact(log, "training.seq_len"), "4096");
  EXPECT_DOUBLE_EQ(*log.claims.peak_tflops, 312);
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log.events[2].event_class, EventClass::checkpoint_save);
  EXPECT_EQ(*log.events[2].duration_s, 3.5);
  EXPECT_EQ(*log.events[2].end_s - *log.events[2].begin_s, 3.5);
  EXPECT_EQ(log.events[2].after_step, 10);
}

}  // namespace
}  // namespace nameplate
