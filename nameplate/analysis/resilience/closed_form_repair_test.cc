#include "nameplate/analysis/resilience/closed_form_repair.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

RepairShop shop_of(std::int64_t crews) {
  return {.nodes = 1000,
          .spares = 20,
          .failure_rate = PerSecond::from_base(6.5e-3 / 86400),
          .repair = seconds(86400),
          .crews = crews};
}

TEST(ClosedFormRepair, CrewsAreACliff) {
  EXPECT_NEAR(shortfall(shop_of(8)), .0346, 5e-5);
  EXPECT_NEAR(mean(nodes_down(shop_of(8))), 8.8, .05);
  EXPECT_NEAR(shortfall(shop_of(4)), 1, 1e-9);
  EXPECT_NEAR(mean(nodes_down(shop_of(4))), 405, .5);
  EXPECT_NEAR(stability_margin(shop_of(8)), 8 / 6.5, 1e-12);
  EXPECT_LT(stability_margin(shop_of(4)), 1);
  EXPECT_EQ(stability_margin(shop_of(0)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(least_crews(shop_of(0)), 7);
}

// With unlimited crews each of the hot nodes is down on its own: binomial with a = 0.0065/1.0065.
TEST(ClosedFormRepair, UnlimitedCrewsAreBinomial) {
  const double up = 1 / 1.0065;
  EXPECT_NEAR(shortfall(shop_of(0)), 1 - at_least(1000, 1020, up), 1e-10);
}

// One node, one cold spare, one crew, failures as fast as repairs: the three states are equally likely.
TEST(ClosedFormRepair, SmallChainByHand) {
  const RepairShop shop{1, 1, PerSecond::from_base(1), seconds(1), 1, 0};
  const std::vector<double> down = nodes_down(shop).probability;
  ASSERT_EQ(down.size(), 3u);
  for (double p : down) EXPECT_NEAR(p, 1.0 / 3, 1e-12);
  // Hot: 2 nodes fail at twice the rate: 1 : 2 : 2.
  EXPECT_NEAR(nodes_down({1, 1, PerSecond::from_base(1), seconds(1), 1, 1}).probability[2], .4, 1e-12);
}

// 1,152 nodes, 6.5 singles per 1000 node-days and 64 racks of 18 that fail once a year, repaired in 24 h each by
// itself, 20 spares that do not fail: the number down is the sum of a Poisson of 7.488 and, from the generating
// function of M^X/M/inf, of groups of j = 1 .. 18 that come 64 / 365.25 / j on average: P(at most 20) = 0.9165 (own
// recursion).
TEST(ClosedFormRepair, RacksAreRepairedNodeByNode) {
  const double singles = 1152 * 6.5e-3, racks = 64 / 365.25;  // a day
  RepairShop shop{.nodes = 1152,
                  .spares = 20,
                  .failure_rate = PerSecond::from_base((singles + racks) / 1152 / 86400),
                  .repair = seconds(86400),
                  .spares_fail = 0,
                  .sizes = {{1, singles / (singles + racks)}, {18, racks / (singles + racks)}}};
  EXPECT_NEAR(shortfall(shop), 1 - .9165, 3e-3);
  EXPECT_NEAR(mean(nodes_down(shop)), singles + 18 * racks, .05);
  shop.crews = 11;  // of which 10.6 are busy: 20 spares are nowhere near enough
  EXPECT_GT(shortfall(shop), .6);
}

TEST(ClosedFormRepair, PairsByHand) {
  // Events of two nodes, one crew. Borders: p1 = p0 up(0), p2 = p0 up(0) + p1 up(1), with up(0) = 2 and up(1) = 1 a
  // second: 1 : 2 : 4.
  const RepairShop shop{2, 0, PerSecond::from_base(1), seconds(1), 1, 0, {{2, 1.0}}};
  const std::vector<double> down = nodes_down(shop).probability;
  ASSERT_EQ(down.size(), 3u);
  EXPECT_NEAR(down[0], 1.0 / 7, 1e-12);
  EXPECT_NEAR(down[1], 2.0 / 7, 1e-12);
  EXPECT_NEAR(down[2], 4.0 / 7, 1e-12);
}

TEST(ClosedFormRepair, RackOfTrays) {
  const double kRacks[][3] = {{.97, .9843, .205}, {.98, .9948, .593}, {.99, .99927, .930}, {.995, .99990, .990}};
  for (const auto& [tray, rack, hundred] : kRacks) {
    const double a = group_availability(16, 18, tray);
    EXPECT_NEAR(a, rack, tray < .985 ? 5.1e-5 : 5.1e-6) << tray;
    EXPECT_NEAR(all_groups(a, 100), hundred, 5.1e-4) << tray;
  }
}

}  // namespace
}  // namespace nameplate
