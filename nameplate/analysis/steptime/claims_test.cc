#include "nameplate/analysis/steptime/claims.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// 0.55 / 0.18 = 3.0556.
TEST(Claims, MoreOverlapExposesAtMostThisMuchLess) { EXPECT_NEAR(exposed_ratio(0.45, 0.82), 3.0556, 5e-5); }

// 3.8 x 0.38 / 0.35 = 4.1257.
TEST(Claims, EffectiveComputeAtALowerMfuNeedsMoreElsewhere) {
  EXPECT_NEAR(unseen_factor(3.8, 0.38, 0.35), 4.1257, 5e-5);
}

// By hand: s = 1 / 0.72 - 1 = 0.38889. All of it bandwidth: 1 / (1 + 0.038889) = 96.26 %. For 92 %: 1 / 0.92 - 1 =
// 0.086957; b = (0.38889 - 0.086957) / 0.9 = 0.33548, 86.27 % of s; the rest, 13.73 %, was never bandwidth.
TEST(Claims, TenTimesTheBandwidthOnACeilingOf72Percent) {
  EXPECT_NEAR(ceiling_with_bandwidth({0.72, 1.0}, 10).in_turns, 0.96257, 5e-6);
  EXPECT_NEAR(ceiling_with_bandwidth({0.72, 1.0}, 10).overlapped, 1.0, 1e-12);
  EXPECT_NEAR(1 - *implied_share(0.72, 0.92, 10), 0.13734, 5e-5);
  EXPECT_NEAR(ceiling_with_bandwidth({0.72, 0.86266}, 10).in_turns, 0.92, 5e-5);
}

// Where half the stall is bandwidth, 0.19444 of compute time stays whatever the bandwidth: 1 / (1 + 0.019444 + 0.19444)
// = 82.38 % in turns, 83.72 % at most with full overlap. 92 % is out of reach.
TEST(Claims, AStallThatIsHalfBandwidthCannotReach92Percent) {
  const CeilingBracket half = ceiling_with_bandwidth({0.72, 0.5}, 10);
  EXPECT_NEAR(half.in_turns, 0.82380, 5e-6);
  EXPECT_NEAR(half.overlapped, 0.83721, 5e-6);
  EXPECT_LT(ceiling_with_bandwidth({0.72, 0.5}, 1e12).in_turns, 0.92);
  EXPECT_EQ(implied_share(0.72, 0.98, 10), std::nullopt);  // above 96.26 %
  EXPECT_EQ(implied_share(0.72, 0.70, 10), std::nullopt);
}

}  // namespace
}  // namespace nameplate
