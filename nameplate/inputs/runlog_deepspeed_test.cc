#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

std::string engine(int second, int step) {
  const std::string time = "[2024-05-06 01:02:" + std::to_string(second) + ",500] [INFO] ";
  const std::string at = std::to_string(step);
  return time + "[logging.py:69:log_dist] [Rank 0] step=" + at + ", skipped=0, lr=[1e-05], mom=[[0.9, 0.999]]\n" +
         time + "[timer.py:189:stop] 0/" + std::to_string(2 * step) + ", SamplesPerSec=64.5, MemAllocated=1.0GB\n";
}

TEST(DeepSpeed, ReadsTheEngine) {
  const RunLog log = read_log(
      "[2024-05-06 01:00:00,000] [INFO] [config.py:9:print]   train_batch_size ............ 640\n"
      "[2024-05-06 01:00:00,000] [INFO] [config.py:9:print]   bfloat16_enabled ............ True\n" +
      engine(10, 10) + engine(30, 20));
  EXPECT_EQ(log.format, "deepspeed");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 10);
  EXPECT_EQ(log.steps[1].index, 20);
  EXPECT_FALSE(log.steps[1].duration_s);  // SamplesPerSec is a mean since the start: the clock times it
  EXPECT_DOUBLE_EQ(*log.steps[1].end_s - *log.steps[0].end_s, 20);
  EXPECT_EQ(*log.steps[1].samples, 640);
  EXPECT_EQ(fact(log, "training.precision"), "bf16");
}

TEST(DeepSpeed, ReadsTheTimerAlone) {
  const RunLog log = read_log(
      "[2024-05-06 01:02:10,000] [INFO] [timer.py:2:stop] epoch=0/micro_step=80/global_step=20, "
      "RunningAvgSamplesPerSec=9.1, CurrSamplesPerSec=9.0\n[2024-05-06 01:02:20,000] [INFO] [timer.py:2:stop] 0/30, "
      "SamplesPerSec=9.1\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 20);
  EXPECT_EQ(log.steps[1].index, 30);
}

constexpr std::string_view kMicro =
    "[2024-05-06 01:02:10,000] [INFO] [Rank 0] rank=0 time (ms) | forward_microstep: 100.00 | backward_microstep: "
    "250.00 "
    "| backward_inner_microstep: 200.00 | backward_allreduce_microstep: 50.00 | step_microstep: 10.00\n";
constexpr std::string_view kWhole =
    "[2024-05-06 01:02:10,000] [INFO] [Rank 0] rank=0 time (ms) | forward: 200.00 | backward: 500.00 | backward_inner: "
    "400.00 | backward_allreduce: 100.00 | step: 25.00\n";

TEST(DeepSpeed, CountsMicroStepsWhereNothingElseIsPrinted) {
  const RunLog log = read_log(std::string(kMicro) + std::string(kMicro));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.36);  // forward + backward + step
  EXPECT_EQ(log.steps[1].index, 1);
  EXPECT_EQ(defects(log, "log.micro_steps"), 2);
}

TEST(DeepSpeed, TakesWholeStepsWhereTheyAre) {
  const RunLog log = read_log(std::string(kMicro) + std::string(kMicro) + std::string(kWhole) + std::string(kMicro) +
                              std::string(kMicro) + std::string(kWhole));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.725);
  EXPECT_EQ(defects(log, "log.micro_steps"), 0);
  EXPECT_EQ(defects(log, "log.step_not_printed"), 2);
}

constexpr std::string_view kProfile =
    "Profile Summary at step 7:\nworld size:                 4\ndata parallel size:         2\n"
    "model parallel size:        2\nbatch size per GPU:         16\nparams per gpu:             1.50 M\n"
    "params of model = params per GPU * mp_size:   3.00 M\nfwd MACs per GPU:           2.50 G\n"
    "fwd flops per GPU = 2 * fwd MACs per GPU:     5.00 G\niter latency:               250.00 ms\n";

TEST(DeepSpeed, ReadsTheFlopsProfiler) {
  const RunLog log = read_log(kProfile);
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(log.steps[0].index, 7);
  EXPECT_EQ(*log.steps[0].samples, 32);  // 16 x data parallel 2
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 0.25);
  EXPECT_EQ(fact(log, "cluster.count"), "4");
  EXPECT_EQ(fact(log, "plan.tp"), "2");
  EXPECT_EQ(fact(log, "model.parameters"), "3000000");
  EXPECT_EQ(fact(log, "profiler.forward_macs"), "2500000000");
  EXPECT_EQ(fact(log, "profiler.forward_flops"), "5000000000");
}

TEST(DeepSpeed, LeavesTheFileToTheProgramThatUsesIt) {
  const std::string program = "iter 1: loss 3.5, time 100.00ms\n";
  EXPECT_EQ(read_log(engine(10, 10) + program).format, "nanogpt");
  EXPECT_EQ(detect_runlog_format(engine(10, 10) + program), "nanogpt");
  EXPECT_EQ(detect_runlog_format(engine(10, 10)), "deepspeed");
}

TEST(DeepSpeed, SurvivesDamage) {
  const std::string whole(kMicro);
  const RunLog log = read_log(whole + "time (ms) | forward_microstep: x | backward_microstep: 1\n" +
                              whole.substr(0, whole.size() - 3));
  EXPECT_EQ(log.steps.size(), 1u);
  EXPECT_FALSE(read_runlog(LineReader::from_memory("step=99999999999999999999, skipped=1\n")).ok());
}

}  // namespace
}  // namespace nameplate
