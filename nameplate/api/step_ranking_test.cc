#include "nameplate/api/step_ranking.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(StepRanking, TauCountsPairsThatDifferAndRegretTheChoice) {
  // Measured 1.00, 1.01, 1.2, 1.5; the pair of 1 % is dropped, so 5 pairs. Predicted puts the last before the third: 4
  // agree, 1 does not. The model prefers the second plan, 1 % over the best.
  const std::vector<RankedPlan> rows = {
      {"job", "a", 1.00, 1.1}, {"job", "b", 1.01, 1.0}, {"job", "c", 1.2, 1.6}, {"job", "d", 1.5, 1.4}};
  const std::vector<JobRanking> rankings = rank_plans(rows);
  ASSERT_EQ(rankings.size(), 1u);
  EXPECT_EQ(rankings[0].plans, 4);
  EXPECT_NEAR(rankings[0].tau, 3.0 / 5, 1e-12);
  EXPECT_NEAR(rankings[0].regret, 0.01, 1e-12);
}

TEST(StepRanking, FewerThanFourPlansSayNothing) {
  EXPECT_TRUE(rank_plans({{"job", "a", 1, 1}, {"job", "b", 2, 2}, {"job", "c", 3, 3}, {"job", "c", 3, 3}}).empty());
}

TEST(StepRanking, RepeatsAgainstTheirMedian) {
  const std::vector<double> errors =
      repeat_errors({{"j", "a", 1.0, 0}, {"j", "a", 1.1, 0}, {"j", "a", 1.21, 0}, {"j", "b", 7, 0}});
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_NEAR(errors[0], 1 - 1 / 1.1, 1e-12);
  EXPECT_NEAR(errors[1], 0, 1e-12);
  EXPECT_NEAR(errors[2], 0.1, 1e-12);
}

}  // namespace
}  // namespace nameplate
