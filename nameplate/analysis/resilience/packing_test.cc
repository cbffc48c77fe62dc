#include "nameplate/analysis/resilience/packing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nameplate {
namespace {

constexpr double kHour = 3600;

// 45 -> 58 %: a gain of 13/45 = 28.9 %. An outage of 12 h that only the fuller cluster has erases it when one comes in
// less than 12 / (1 - 45/58) = 53.5 h, 41.5 h of them computing.
TEST(Packing, TheArticlesOutage) {
  PackingModel model{0.45, seconds(1e9 * kHour), 0};
  model.exponent = std::log(1e9 / 41.538) / std::log(58.0 / 45.0);  // from never to every 41.5 h
  EXPECT_NEAR(time_between_outages(model, 0.58).base() / kHour, 41.538, 1e-3);
  ASSERT_TRUE(erasing_outage(model, 0.58));
  EXPECT_NEAR(erasing_outage(model, 0.58)->base() / kHour, 12, 0.01);
}

// At k = 2 from 100 h between outages at 40 %: at 50 % 64 h. 50 * 64 / (64 + D) = 40 * 100 / (100 + D) gives D = 80 h:
// both deliver 22.2 %.
TEST(Packing, BreakEvenByHand) {
  const PackingModel model{0.4, seconds(100 * kHour), 2};
  const Seconds outage = *erasing_outage(model, 0.5);
  EXPECT_NEAR(outage.base() / kHour, 80, 1e-9);
  EXPECT_NEAR(delivered_mfu(model, 0.5, outage), 0.4 * 100 / 180, 1e-12);
  EXPECT_NEAR(delivered_mfu(model, 0.4, outage), 0.4 * 100 / 180, 1e-12);
  // The best at an outage of 25 h: (2 - 1) (25 / 100) (m / 0.4)^2 = 1, m = 0.8; capped where the hardware ends.
  EXPECT_NEAR(best_mfu(model, seconds(25 * kHour), 1), 0.8, 1e-12);
  EXPECT_EQ(best_mfu(model, seconds(25 * kHour), 0.6), 0.6);
}

TEST(Packing, LoadThatDoesNotMatterNeverErasesAGain) {
  EXPECT_FALSE(erasing_outage(PackingModel{0.45, seconds(100 * kHour), 0}, 0.58));
  EXPECT_FALSE(erasing_outage(PackingModel{0.45, seconds(100 * kHour), 1}, 0.58));
  EXPECT_EQ(best_mfu(PackingModel{0.45, seconds(100 * kHour), 1}, seconds(kHour), 0.6), 0.6);
}

}  // namespace
}  // namespace nameplate
