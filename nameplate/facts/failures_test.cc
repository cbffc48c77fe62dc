#include "nameplate/facts/failures.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Failures, DurationGrowsWithEachDoubling) {
  const ScaledDuration fit{seconds(-277), seconds(103.2), {}};
  EXPECT_NEAR(at_scale(fit, 1024).base(), 755, 1e-9);  // -277 + 103.2 x 10
  EXPECT_EQ(at_scale(fit, 1).base(), 0);               // never below zero
}

// ByteRobust (arXiv 2509.16293): time to requeue at four scales. 181 nodes lie log2(181/128) = 0.49985 of the way.
TEST(Failures, DurationIsInterpolatedOverTheLogarithmOfTheScale) {
  const ScaledDuration requeue{
      {}, {}, {{128, seconds(454)}, {256, seconds(545)}, {512, seconds(635)}, {1024, seconds(768)}}};
  EXPECT_EQ(at_scale(requeue, 128).base(), 454);
  EXPECT_EQ(at_scale(requeue, 512).base(), 635);
  EXPECT_EQ(at_scale(requeue, 1024).base(), 768);
  EXPECT_NEAR(at_scale(requeue, 181).base(), 454 + 0.49985 * 91, 1e-2);
  EXPECT_NEAR(at_scale(requeue, 2048).base(), 768 + 133, 1e-9);  // the last line goes on
  EXPECT_NEAR(at_scale(requeue, 64).base(), 454 - 91, 1e-9);
}

TEST(Failures, SparesOfAllPoolsCount) {
  FailureModel model;
  model.spares = {{SpareKind::hot, 3, {}, 1}, {SpareKind::borrowed, 20, seconds(300), 1}};
  EXPECT_EQ(spare_nodes(model), 23);
}

}  // namespace
}  // namespace nameplate
