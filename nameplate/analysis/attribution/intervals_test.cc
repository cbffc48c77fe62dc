#include "nameplate/analysis/attribution/intervals.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Intervals, UniteSortsJoinsWhatTouchesAndDropsTheEmpty) {
  EXPECT_EQ(unite({{5, 7}, {0, 2}, {2, 3}, {6, 9}, {4, 4}}), (Stretches{{0, 3}, {5, 9}}));
}

TEST(Intervals, IntersectAndSubtract) {
  const Stretches a = {{0, 10}, {20, 30}};
  const Stretches b = {{5, 22}, {25, 26}, {29, 40}};
  EXPECT_EQ(intersect(a, b), (Stretches{{5, 10}, {20, 22}, {25, 26}, {29, 30}}));
  EXPECT_EQ(subtract(a, b), (Stretches{{0, 5}, {22, 25}, {26, 29}}));
  EXPECT_EQ(total_ns(a), total_ns(intersect(a, b)) + total_ns(subtract(a, b)));
}

TEST(Intervals, ClipKeepsWhatIsInside) {
  EXPECT_EQ(clip({{0, 10}, {20, 30}, {40, 50}}, {5, 40}), (Stretches{{5, 10}, {20, 30}}));
  EXPECT_EQ(clip({{0, 10}}, {10, 20}), Stretches{});
}

}  // namespace
}  // namespace nameplate
