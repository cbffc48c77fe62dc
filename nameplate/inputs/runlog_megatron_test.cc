#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

TEST(RunlogMegatron, ReadsTodaysLines) {
  const RunLog log = read_log(
      " [2025-05-01 10:00:10] iteration       40/     900 | consumed samples:        10240 | elapsed time per "
      "iteration (ms): "
      "2500.0 | throughput per GPU (TFLOP/s/GPU): 410.5 | learning rate: 1.0E-05 | global batch size:   256 | lm loss: "
      "2.500000E+00 | loss scale: 1.0 | grad norm: 0.500 | number of skipped iterations:   0 |\n"
      " [2025-05-01 10:00:35] iteration       50/     900 | consumed samples:        12800 | elapsed time per "
      "iteration (ms): "
      "2512.5 | throughput per GPU (TFLOP/s/GPU): 408.5 | global batch size:   256 | lm loss: 2.250000E+00 |\n");
  EXPECT_EQ(log.format, "megatron-lm");
  ASSERT_EQ(log.steps.size(), 2u);
  const Step& step = log.steps[0];
  EXPECT_EQ(step.index, 40);
  EXPECT_EQ(step.line, 1);
  EXPECT_DOUBLE_EQ(*step.duration_s, 2.5);
  EXPECT_EQ(*step.samples, 256);
  EXPECT_EQ(*step.loss, 2.5);
  EXPECT_EQ(*step.claimed_tflops, 410.5);
  EXPECT_EQ(*step.end_s, 1746093610);  // date -u -d "2025-05-01 10:00:10" +%s
  EXPECT_FALSE(step.claimed_mfu);
  EXPECT_EQ(log.claims.convention, "megatron_lm");
  EXPECT_TRUE(log.claims.duration_is_mean);
  EXPECT_TRUE(log.defects.empty());
}

TEST(RunlogMegatron, ReadsTheForksSecondsAndTeraflops) {
  const RunLog log = read_log(
      "[default7]: iteration     5/    10 | consumed samples:    500 | elapsed time per iteration (s): 12.50 | global "
      "batch "
      "size:   100 | lm-loss: 3.0E+00 | samples per second: 8.000 | TFLOPs: 120.50 |\n");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 12.5);
  EXPECT_EQ(*log.steps[0].claimed_tflops, 120.5);
  EXPECT_EQ(*log.steps[0].loss, 3);
  EXPECT_EQ(log.ranks_seen, 1);
  EXPECT_EQ(log.claims.convention, "megatron_2021");
}

TEST(RunlogMegatron, JoinsALineCutInTwo) {
  const RunLog log = read_log(
      "[default7]: iteration 5/ 10 | consumed samples: 500 | elapsed time per iteration (s): 12.50 | learning\n"
      "iterations: 0 | samples per second: 8.0 | TFLOPs: 120.50 |\n"
      "[default7]: iteration 7/ 10 | consumed samples: 740 | elapsed time per iteration (s): 12.75 | learning\n"
      "iterations: 0 | samples per second: 9.4 | TFLOPs: 121.50 |\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(*log.steps[0].claimed_tflops, 120.5);
  EXPECT_FALSE(log.steps[0].samples);
  EXPECT_EQ(*log.steps[1].claimed_tflops, 121.5);
  EXPECT_EQ(*log.steps[1].samples, 120);  // (740 - 500) / 2 steps
}

TEST(RunlogMegatron, DropsWhatATruncatedLastLineMayHaveCut) {
  const RunLog log = read_log(
      " iteration 1/ 9 | elapsed time per iteration (ms): 1000.0 | global batch size: 8 |\n"
      " iteration 2/ 9 | elapsed time per iteration (ms): 1000.0 | global batch size: 8");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(*log.steps[1].duration_s, 1);
  EXPECT_FALSE(log.steps[1].samples);
  EXPECT_EQ(defects(log, "log.truncated_line"), 1);
}

TEST(RunlogMegatron, ReadsArguments) {
  const RunLog log = read_log(
      "using world size: 16, data-parallel size: 2, context-parallel size: 1, tensor-model-parallel size: 4, "
      "pipeline-model-parallel size: 2\n"
      "------------------------ arguments ------------------------\n"
      "  group_query_attention ........................... True\n"
      "  hidden_size ..................................... 2048\n"
      "  num_attention_heads ............................. 16\n"
      "  num_experts ..................................... None\n"
      "  num_layers ...................................... 24\n"
      "  num_query_groups ................................ 4\n"
      "  params_dtype .................................... torch.bfloat16\n"
      "  recompute_granularity ........................... None\n"
      "  seq_length ...................................... 4096\n"
      "  swiglu .......................................... True\n"
      "  untie_embeddings_and_output_weights ............. True\n"
      "-------------------- end of arguments ---------------------\n"
      " > padded vocab (size: 50000) with 176 dummy tokens (new size: 50176)\n"
      " iteration 1/ 9 | elapsed time per iteration (ms): 1000.0 |\n");
  EXPECT_EQ(fact(log, "cluster.count"), "16");
  EXPECT_EQ(fact(log, "plan.dp"), "2");
  EXPECT_EQ(fact(log, "plan.tp"), "4");
  EXPECT_EQ(fact(log, "plan.pp"), "2");
  EXPECT_EQ(fact(log, "model.layers"), "24");
  EXPECT_EQ(fact(log, "model.hidden"), "2048");
  EXPECT_EQ(fact(log, "model.heads"), "16");
  EXPECT_EQ(fact(log, "model.kv_heads"), "4");
  EXPECT_EQ(fact(log, "model.vocab"), "50176");
  EXPECT_EQ(fact(log, "model.gated_mlp"), "true");
  EXPECT_EQ(fact(log, "model.tied_embeddings"), "false");
  EXPECT_EQ(fact(log, "model.experts"), "");
  EXPECT_EQ(fact(log, "training.seq_len"), "4096");
  EXPECT_EQ(fact(log, "training.precision"), "bfloat16");
  EXPECT_EQ(fact(log, "training.recompute"), "none");
  EXPECT_EQ(log.facts.front().evidence.line, 1);
}

TEST(RunlogMegatron, FindsPauses) {
  const RunLog log = read_log(
      "[after megatron is initialized] datetime: 2025-05-01 10:00:00 \n"
      "[before the start of training step] datetime: 2025-05-01 10:01:00 \n"
      " iteration 10/ 30 | elapsed time per iteration (ms): 1000.0 |\n"
      "saving checkpoint at iteration      10 to ckpt\n"
      "  successfully saved checkpoint at iteration      10 to ckpt\n"
      "time (ms) | save-checkpoint: 4500.50\n"
      "    save-checkpoint ................................: (4400.10, 4500.50)\n"
      " iteration 20/ 30 | elapsed time per iteration (ms): 1000.0 |\n"
      " validation loss at iteration 20 | lm loss value: 2.5E+00 | lm loss PPL: 1.2E+01 |\n"
      " iteration 30/ 30 | elapsed time per iteration (ms): 1000.0 |\n"
      "[exiting program at iteration 30] datetime: 2025-05-01 10:05:00 \n");
  ASSERT_EQ(log.events.size(), 5u);
  EXPECT_EQ(log.events[0].event_class, EventClass::start);
  EXPECT_EQ(*log.events[1].end_s - *log.events[0].begin_s, 60);
  EXPECT_EQ(log.events[2].event_class, EventClass::checkpoint_save);
  EXPECT_DOUBLE_EQ(*log.events[2].duration_s, 4.5005);
  EXPECT_EQ(log.events[2].after_step, 10);
  EXPECT_EQ(log.events[3].event_class, EventClass::evaluation);
  EXPECT_EQ(log.events[3].after_step, 20);
  EXPECT_EQ(log.events[4].subject, "exit");
}

TEST(RunlogMegatron, CountsValuesThatAreNoNumbers) {
  const RunLog log = read_log(
      " iteration 1/ 9 | elapsed time per iteration (ms): nan | lm loss: nan |\n"
      " iteration 2/ 9 | elapsed time per iteration (ms): 0.0 |\n"
      " iteration 3/ 9 | elapsed time per iteration (ms): -5.0 |\n"
      " iteration -4/ 9 | elapsed time per iteration (ms): 5.0 |\n"
      " iteration 5/ 9 | elapsed time per iteration (ms): 1e308 | throughput per GPU (TFLOP/s/GPU): inf |\n"
      " iteration 99999999999999999999/ 9 | elapsed time per iteration (ms): 5.0 |\n"
      " iteration 6/ 9 | elapsed time per iteration (ms): 500.0 |\n");
  ASSERT_EQ(log.steps.size(), 5u);
  EXPECT_EQ(defects(log, "log.invalid_value"), 6);
  EXPECT_EQ(log.steps[0].step_class, StepClass::invalid);
  EXPECT_EQ(*log.steps[4].duration_s, 0.5);
}

// 21.333 samples/s x 12 s = 256.
TEST(RunlogMegatron, ReadsGptNeoX) {
  const RunLog log = read_log(
      " samples/sec: 21.333 | iteration       30/    90 | elapsed time per iteration (ms): 12000.0 | learning rate: "
      "1E-4 "
      "| approx flops per GPU: 110.5TFLOPS | lm_loss: 3.5E+00 | loss scale: 65536.0 |\n");
  EXPECT_EQ(log.format, "megatron-lm");
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(log.steps[0].index, 30);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 12.0);
  EXPECT_EQ(*log.steps[0].samples, 256);
  EXPECT_EQ(*log.steps[0].loss, 3.5);
  EXPECT_EQ(*log.steps[0].claimed_tflops, 110.5);
  EXPECT_EQ(log.claims.convention, "megatron_2021");
}

}  // namespace
}  // namespace nameplate
