#include "nameplate/facts/plan.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// Llama 3.1 405B, 8192-token phase (Llama Team 2024, table 4): 16384 GPUs as tp 8, pp 16, cp 1, dp 128.
Plan llama() {
  Plan plan;
  plan.tp = 8;
  plan.pp = 16;
  plan.dp = 128;
  plan.virtual_pp = 8;
  return plan;
}

// DeepSeek-V3 (2024, section 3.2): 2048 GPUs as pp 16, ep 64, dp 128, no tensor parallelism.
Plan deepseek() {
  Plan plan;
  plan.pp = 16;
  plan.dp = 128;
  plan.ep = 64;
  plan.zero = 1;
  return plan;
}

TEST(CheckPlan, PublishedPlansHold) {
  EXPECT_FALSE(check(llama(), 16384));
  EXPECT_FALSE(check(deepseek(), 2048));
}

TEST(CheckPlan, DegreesMultiplyToTheAccelerators) {
  Error error = *check(llama(), 16000);
  EXPECT_EQ(error.found, "tp * pp * cp * dp = 8 * 16 * 1 * 128 = 16384");
  EXPECT_EQ(error.expected, "the number of accelerators, 16000");
  EXPECT_EQ(error.place.path, "plan.dp");
  Plan overflowing = llama();
  overflowing.dp = INT64_MAX;
  EXPECT_TRUE(check(overflowing, 16384));
}

TEST(CheckPlan, EveryRuleNamesItsKey) {
  struct Case {
    const char* path;
    void (*breaks)(Plan&);
  };
  for (const Case& c : {Case{"plan.tp", [](Plan& p) { p.tp = 0; }},
                        {"plan.pp", [](Plan& p) { p.pp = -1; }},
                        {"plan.ep", [](Plan& p) { p.ep = 3; }},
                        {"plan.dp_shard", [](Plan& p) { p.dp_shard = 3; }},
                        {"plan.zero", [](Plan& p) { p.zero = 4; }},
                        {"plan.micro_batch", [](Plan& p) { p.micro_batch = 0; }},
                        {"plan.virtual_pp",
                         [](Plan& p) {
                           p.pp = 1;
                           p.dp = 2048;
                         }},
                        {"plan.stage_layers", [](Plan& p) {
                           p.stage_layers = {1, 2, 3};
                         }}}) {
    Plan plan = llama();
    c.breaks(plan);
    Status problem = check(plan, 16384);
    ASSERT_TRUE(problem) << c.path;
    EXPECT_EQ(problem->place.path, c.path);
  }
}

TEST(CheckPlan, ExpertsMaySpreadOverTensorRanks) {
  Plan plan;
  plan.tp = 8;
  plan.dp = 2;
  plan.ep = 16;  // divides dp * tp = 16, not dp
  EXPECT_FALSE(check(plan, 16));
  plan.etp = 8;
  EXPECT_TRUE(check(plan, 16));
}

}  // namespace
}  // namespace nameplate
