#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

constexpr std::string_view kInfo = "                    INFO     colossalai - colossalai - INFO: ";

std::string step(std::string_view seconds) { return std::string(kInfo) + "Step time: " + std::string(seconds) + "\n"; }

TEST(ColossalAi, NumbersSteps) {
  const RunLog log =
      read_log("[08/30/23 07:07:34] INFO     colossalai - colossalai - INFO: /x/benchmark.py:218 main\n" +
               step("12.5") + "Step:  50%|#####     | 1/2 [00:12<00:12, 12.50s/it]\n" + step("9.25"));
  EXPECT_EQ(log.format, "colossalai");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 1);
  EXPECT_EQ(log.steps[1].index, 2);
  EXPECT_EQ(*log.steps[1].duration_s, 9.25);
  EXPECT_EQ(log.claims.convention, "");
}

TEST(ColossalAi, ReadsTheSummary) {
  const RunLog log =
      read_log(step("10") + step("10") +
               "Throughput: 6.40 samples/sec, TFLOPS per GPU by Megatron: 150.25, TFLOPS per GPU: 141.5\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[0].claimed_tflops);
  EXPECT_EQ(*log.steps[1].claimed_tflops, 150.25);
  EXPECT_EQ(log.claims.convention, "megatron_2021");
}

TEST(ColossalAi, SurvivesDamage) {
  const RunLog log = read_log(step("10") + step("x") + std::string(kInfo) + "Step time: 1");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[1].duration_s);
  EXPECT_EQ(defects(log, "log.invalid_value"), 1);
}

}  // namespace
}  // namespace nameplate
