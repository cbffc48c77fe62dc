#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

constexpr std::string_view kSmi =
    "| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
    "|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n"
    "| N/A   38C    P0             125W / 400W |   7084MiB / 81920MiB |      0%      Default |\n"
    "|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0F:00.0 Off |                    0 |\n";

TEST(ModdedNanoGpt, TakesDifferencesOfTheRunningTime) {
  const RunLog log = read_log(
      "step:0/90 val_loss:10.8 train_time:0ms step_avg:nanms\nstep:1/90 train_time:5000ms step_avg:nanms\n"
      "step:2/90 train_time:5200ms step_avg:nanms\nstep:5/90 train_time:5500ms step_avg:nanms\n"
      "step:6/90 train_time:110ms step_avg:nanms\nstep:7/90 train_time:230ms step_avg:115.00ms\n");
  EXPECT_EQ(log.format, "modded-nanogpt");
  ASSERT_EQ(log.steps.size(), 5u);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 5.0);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 0.2);
  EXPECT_DOUBLE_EQ(*log.steps[2].duration_s, 0.1);   // 300 ms over three steps
  EXPECT_DOUBLE_EQ(*log.steps[3].duration_s, 0.11);  // the time was set to 0
  EXPECT_DOUBLE_EQ(*log.steps[4].duration_s, 0.12);
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].event_class, EventClass::evaluation);
}

TEST(ModdedNanoGpt, HasNoTimeForTheFirstLineOfAnExcerpt) {
  const RunLog log =
      read_log("step:40/90 train_time:4000ms step_avg:100.00ms\nstep:41/90 train_time:4100ms step_avg:1ms\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[0].duration_s);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 0.1);
}

TEST(ModdedNanoGpt, ReadsTheDeviceTable) {
  const RunLog log = read_log(std::string(kSmi) + std::string(kSmi) + "step:1/9 train_time:100ms step_avg:nanms\n");
  EXPECT_EQ(fact(log, "cluster.accelerator"), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(fact(log, "cluster.count"), "2");
}

TEST(ModdedNanoGpt, SurvivesDamage) {
  const RunLog log = read_log(
      "        print0(f\"step:{step+1}/{train_steps} train_time:{x:.0f}ms\")\nstep:1/9 train_time:100ms "
      "step_avg:nanms\n"
      "step:2/9 train_time:nanms step_avg:nanms\nstep:99999999999999999999/9 train_time:1ms\nstep:3/9 train_time:30");
  ASSERT_EQ(log.steps.size(), 3u);
  EXPECT_FALSE(log.steps[1].duration_s);
  EXPECT_FALSE(log.steps[2].duration_s);
  EXPECT_EQ(defects(log, "log.invalid_value"), 2);
}

}  // namespace
}  // namespace nameplate
