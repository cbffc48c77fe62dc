#include "nameplate/analysis/resilience/closed_form_checkpoint.h"

#include <cmath>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// Computed with scipy.special.lambertw, in double; regimes from one failure in 14 minutes to one a day.
struct Case {
  double block, mttf, restart;
  double young, daly, exact;
  double at_young, at_daly, at_exact;
  double saxena;
};
constexpr Case kCases[] = {
    {60, 3600.0, 120, 657.27, 617.88, 617.89, .80094, .80121, .80121, 730.82},
    {20, 11134.8, 300, 667.38, 654.11, 654.11, .91622, .91623, .91623, 696.60},
    {60, 11134.8, 300, 1155.93, 1116.28, 1116.28, .87578, .87583, .87583, 1232.93},
    {120, 6480.0, 600, 1247.08, 1168.36, 1168.39, .74692, .74720, .74720, 1429.05},
    {30, 828.0, 120, 222.89, 203.34, 203.36, .65194, .65262, .65262, 270.37},
    {300, 86400.0, 600, 7200.00, 7001.39, 7001.40, .91258, .91261, .91261, 7531.18},
    {600, 3600.0, 600, 2078.46, 1697.71, 1699.23, .44253, .44694, .44694, 2923.79},
    {5, 11134.8, 180, 333.69, 330.36, 330.36, .95477, .95477, .95477, 341.41},
    {1, 828.0, 60, 40.69, 40.03, 40.03, .88513, .88513, .88513, 43.15},
};

TEST(ClosedFormCheckpoint, IntervalsAndEfficiencies) {
  for (const Case& c : kCases) {
    const CheckpointRegime regime{seconds(c.mttf), seconds(c.block), seconds(c.restart)};
    SCOPED_TRACE(c.block);
    EXPECT_NEAR(young_interval(regime).base(), c.young, 0.005);
    EXPECT_NEAR(daly_interval(regime).base(), c.daly, 0.005);
    EXPECT_NEAR(optimal_interval(regime).base(), c.exact, 0.005);
    EXPECT_NEAR(saxena_period(regime).base(), c.saxena, 0.005);
    EXPECT_NEAR(efficiency(regime, young_interval(regime)), c.at_young, 5.1e-6);
    EXPECT_NEAR(efficiency(regime, daly_interval(regime)), c.at_daly, 5.1e-6);
    EXPECT_NEAR(efficiency(regime, optimal_interval(regime)), c.at_exact, 5.1e-6);
  }
}

TEST(ClosedFormCheckpoint, DalyStopsAtTheMeanTimeToFailure) {
  EXPECT_EQ(daly_interval({seconds(100), seconds(200), Seconds{}}).base(), 100);
}

// Nodes, failures per node-day, restart, interval and blocking save in minutes: Meta's first order and the exact form,
// whose column takes the interval from save to save.
TEST(ClosedFormCheckpoint, FirstOrderAgainstExact) {
  struct Row {
    double nodes, rate, restart_min, interval_min, block_min, first_order, exact, digit;
  };
  constexpr Row kRows[] = {
      {128, 6.5e-3, 5, 60, 0, .9798, .9799, 5.1e-5},      {512, 6.5e-3, 5, 60, 0, .9191, .9216, 5.1e-5},
      {1024, 6.5e-3, 5, 60, 0, .8382, .8479, 5.1e-5},     {2048, 6.5e-3, 5, 60, 0, .6764, .7144, 5.1e-5},
      {2048, 6.5e-3, 5, 5, 0, .9307, .9329, 5.1e-5},      {2048, 3.79e-3, 5, 30, 1.0 / 3, .8824, .8869, 5.1e-5},
      {16384, 6.5e-3, 5, 5, 1.0 / 12, .438, .5615, 5e-4},
  };
  for (const Row& row : kRows) {
    const CheckpointRegime regime{seconds(86400 / (row.nodes * row.rate)), seconds(60 * row.block_min),
                                  seconds(60 * row.restart_min)};
    SCOPED_TRACE(row.nodes);
    EXPECT_NEAR(first_order_ettr(regime, seconds(60 * row.interval_min)), row.first_order, row.digit);
    EXPECT_NEAR(efficiency(regime, seconds(60 * (row.interval_min - row.block_min))), row.exact, row.digit);
  }
}

// 12,500 nodes of 8: mean time to failure in minutes at the two clusters' rates, and the first-order ETTR with restart
// and interval of two minutes.
TEST(ClosedFormCheckpoint, HundredThousandAccelerators) {
  const Seconds rsc1 = seconds(86400 / (12500 * 6.5e-3)), rsc2 = seconds(86400 / (12500 * 2.34e-3));
  EXPECT_NEAR(rsc1.base() / 60, 17.72, 0.005);
  EXPECT_NEAR(rsc2.base() / 60, 49.23, 0.005);
  EXPECT_NEAR(first_order_ettr({rsc1, Seconds{}, seconds(120)}, seconds(120)), .831, 5e-4);
  EXPECT_NEAR(first_order_ettr({rsc2, Seconds{}, seconds(120)}, seconds(120)), .939, 5e-4);
}

// The largest restart for an ETTR of 0.90 at one failure in 3.093 h, by blocking save; none at 60 s.
TEST(ClosedFormCheckpoint, FeasibilityFrontier) {
  const double mttf = 54 * 24 / 419.0 * 3600;
  const std::pair<double, double> kFrontier[] = {{1, 1024}, {5, 838}, {10, 698}, {20, 499}, {30, 346}};
  for (const auto& [block, restart] : kFrontier) {
    const auto found = longest_restart({seconds(mttf), seconds(block), Seconds{}}, 0.90);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->base(), restart, 0.6);
  }
  EXPECT_FALSE(longest_restart({seconds(mttf), seconds(60), Seconds{}}, 0.90));
}

// The three inverses lead back to the same point of the frontier.
TEST(ClosedFormCheckpoint, InversesAgree) {
  CheckpointRegime regime{seconds(11134.8), seconds(20), Seconds{}};
  regime.restart = *longest_restart(regime, 0.9);
  EXPECT_NEAR(longest_block(regime, 0.9)->base(), 20, 1e-6);
  EXPECT_NEAR(least_mttf(regime, 0.9).base(), 11134.8, 1e-3);
  regime.restart = seconds(2000);  // exp(-2000/11134.8) = 0.836 is left with a free save
  EXPECT_FALSE(longest_block(regime, 0.9));
}

// Errors found 2 h late, saved every 30 min: the saves at 0, 30, 60, 90 min are suspect, the fifth is safe.
TEST(ClosedFormCheckpoint, GenerationsOfCheckpoints) {
  EXPECT_EQ(generations_to_keep(seconds(7200), seconds(1800)), 5);
  EXPECT_EQ(generations_to_keep(seconds(1), seconds(1800)), 2);
}

// Grid points at the reference's regime: 3.093 h, saves of 1 s and 30 s, restarts of 60 s and 600 s.
TEST(ClosedFormCheckpoint, TwoLevels) {
  const auto ettr = [](double covered, double interval, std::int64_t every) {
    return two_level_ettr({seconds(11134.8), seconds(1), seconds(30), seconds(60), seconds(600), covered},
                          seconds(interval), every);
  };
  EXPECT_NEAR(ettr(0, 240, 4), .883, 5e-4);
  EXPECT_NEAR(ettr(.9, 120, 16), .9545, 5e-5);
  EXPECT_NEAR(ettr(.99, 150, 40), .9738, 5e-5);
}

}  // namespace
}  // namespace nameplate
