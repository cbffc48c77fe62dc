#include "nameplate/report/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nameplate/report/axis.h"

namespace nameplate {
namespace {

TEST(Series, GapsAndRestartsEndALine) {
  Table table;
  table.columns = {{"step", "1"}, {"loss", "1"}};
  table.rows = {{Int128{1}, 3.0}, {Int128{2}, std::monostate{}},
                {Int128{3}, 2.0}, {Int128{4}, std::nan("")},
                {Int128{5}, 1.0}, {Int128{2}, 1.5}};
  const auto lines = polylines(table, 0, 1);
  const std::vector<std::vector<Point>> expected = {{{1, 3}}, {{3, 2}}, {{5, 1}}, {{2, 1.5}}};
  EXPECT_EQ(lines, expected);
}

// M4: each stretch keeps its first, lowest, highest and last point, so no extreme is lost.
TEST(Series, DecimationKeepsTheExtremes) {
  std::vector<Point> points;
  for (int i = 0; i < 100000; ++i) points.push_back({double(i), double((i * 7919) % 1000)});
  points[54321].y = 5000;
  points[12345].y = -5000;
  const std::vector<Point> kept = decimated(points, 2400);
  EXPECT_LE(kept.size(), 2400u);
  EXPECT_EQ(kept.front(), points.front());
  EXPECT_EQ(kept.back(), points.back());
  EXPECT_NE(std::find(kept.begin(), kept.end(), points[54321]), kept.end());
  EXPECT_NE(std::find(kept.begin(), kept.end(), points[12345]), kept.end());
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](const Point& a, const Point& b) { return a.x < b.x; }));
}

TEST(Series, PointsAboveOneAnotherAreOneStretch) {
  const std::vector<Point> points(1000, Point{3, 4});
  EXPECT_LE(decimated(points, 100).size(), 4u);
}

TEST(Axis, TicksAreRoundInTheUnitShown) {
  const Axis axis = make_axis({"mfu_ratio", "1"}, 0.2112, 0.3911, 5);
  ASSERT_EQ(axis.ticks.size(), 5u);  // 20, 25, 30, 35, 40 %
  EXPECT_EQ(axis.text(axis.ticks.front()), "20");
  EXPECT_EQ(axis.text(axis.ticks.back()), "40");
  EXPECT_EQ(axis.scale.unit, "%");
  EXPECT_NEAR(axis.position(0.3), 0.5, 1e-12);
}

TEST(Axis, EveryRangeGivesAnAxis) {
  const double values[] = {0, 1, -5, 1e-300, 1e300, 0.1 + 0.2};
  for (const double value : values) {
    const Axis axis = make_axis({"x", "s"}, value, value, 5);
    EXPECT_LT(axis.low, axis.high) << value;
    EXPECT_LE(axis.ticks.size(), 8u) << value;
    EXPECT_TRUE(axis.position(value) >= 0 && axis.position(value) <= 1) << value;
  }
  EXPECT_LE(make_axis({"x", "1"}, -1e300, 1e300, 5).ticks.size(), 8u);
}

}  // namespace
}  // namespace nameplate
