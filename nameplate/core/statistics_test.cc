#include "nameplate/core/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "nameplate/core/random.h"

namespace nameplate {
namespace {

using Values = std::vector<double>;

// `level` with `noise` (a ratio) of normal noise, by Box and Muller (1958).
Values noisy(std::size_t count, double level, double noise, std::uint64_t seed) {
  RandomStream random(seed, 0);
  Values values(count);
  for (double& value : values) {
    double radius = std::sqrt(-2 * std::log(1 - random.next_uniform()));
    value = level * (1 + noise * radius * std::cos(2 * std::numbers::pi * random.next_uniform()));
  }
  return values;
}

TEST(Quantile, TypeSeven) {
  // R: quantile(c(15, 20, 35, 40, 50), c(0.05, 0.25, 0.4, 0.5, 1)) is 16 20 29 35 50.
  Values values = {50, 15, 40, 35, 20};
  Values sorted = {15, 20, 35, 40, 50};
  for (auto [q, expected] : {std::pair{0.05, 16.0}, {0.25, 20.0}, {0.4, 29.0}, {0.5, 35.0}, {1.0, 50.0}, {0.0, 15.0}}) {
    EXPECT_DOUBLE_EQ(quantile(values, q), expected) << q;
    EXPECT_DOUBLE_EQ(quantile_sorted(sorted, q), expected) << q;
  }
  EXPECT_DOUBLE_EQ(median(Values{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median(Values{7}), 7);
}

TEST(Mean, PairwiseSumKeepsSmallTerms) {
  Values values(1 << 20, 0.1);
  EXPECT_NEAR(mean(values), 0.1, 1e-16);
}

TEST(RobustSigma, UnmovedByOutliers) {
  // Deviations from the median 3: 2 1 0 1 997, their median 1.
  EXPECT_DOUBLE_EQ(robust_sigma(Values{1, 2, 3, 4, 1000}), 1.4826);
  EXPECT_NEAR(robust_sigma(noisy(100000, 1, 0.01, 5)), 0.01, 2e-4);
}

TEST(BootstrapMean, MatchesTheNormalIntervalOfIndependentNoise) {
  Values values = noisy(1000, 1.0, 0.1, 3);
  Values weights(values.size(), 1.0);
  Interval interval = bootstrap_mean(values, weights, 0.95);
  // 1.96 * 0.1 / sqrt(1000) = 0.0062 on either side; a block bootstrap of 1000 replicates is good to about 15 %.
  EXPECT_NEAR((interval.high - interval.low) / 2, 0.0062, 0.001);
  EXPECT_LT(interval.low, mean(values));
  EXPECT_GT(interval.high, mean(values));
  EXPECT_EQ(bootstrap_mean(values, weights, 0.95), interval);
  EXPECT_NE(bootstrap_mean(values, weights, 0.95, 2), interval);
}

TEST(BootstrapMean, CoversTheTruthAboutAsOftenAsItSays) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Values values = noisy(200, 1.0, 0.05, seed);
    Interval interval = bootstrap_mean(values, Values(values.size(), 1.0), 0.95, 1, 400);
    covered += interval.low <= 1.0 && 1.0 <= interval.high;
  }
  // 190 of 200 expected, standard deviation 3.1; moving blocks are known to cover a few percent less.
  EXPECT_GE(covered, 178);
  EXPECT_LE(covered, 199);
}

TEST(BootstrapMean, WeightsAndDegenerateSeries) {
  EXPECT_EQ(bootstrap_mean(Values{3}, Values{2}, 0.95), (Interval{3, 3}));
  EXPECT_EQ(bootstrap_mean(Values{3, 3, 3}, Values{1, 5, 2}, 0.95), (Interval{3, 3}));
  // Nearly all the weight on values of 2.
  Values values = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  Values weights = {1e-9, 1, 1e-9, 1, 1e-9, 1, 1e-9, 1, 1e-9, 1};
  EXPECT_NEAR(bootstrap_mean(values, weights, 0.95).low, 2, 1e-6);
}

// Of two values four draws are possible: both of one 1/4, both of the other 1/4, one of each 1/2. So the 2.5 % quantile
// is the lower and the 97.5 % quantile the higher value.
TEST(BootstrapMean, OfTwoValuesSpansBoth) {
  EXPECT_EQ(bootstrap_mean(Values{1, 2}, Values{1, 1}, 0.95), (Interval{1, 2}));
}

// The known shift is found, once, within a few values.
void expect_one_change(const Values& values, std::size_t at, std::size_t tolerance) {
  std::vector<std::size_t> changes = change_points(values);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(changes[0]), static_cast<double>(at), static_cast<double>(tolerance));
}

TEST(ChangePoints, SlowDownOfFivePercentInNoise) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Values values = noisy(400, 1.0, 0.01, seed);
    for (std::size_t i = 200; i < values.size(); ++i) values[i] *= 1.05;
    expect_one_change(values, 200, 3);
  }
}

TEST(ChangePoints, NoneInNoise) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_TRUE(change_points(noisy(500, 1.0, 0.01, seed)).empty()) << seed;
    EXPECT_TRUE(change_points(noisy(500, 1.0, 0.05, seed)).empty()) << seed;
  }
}

TEST(ChangePoints, OutliersAreNoChange) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Values values = noisy(300, 1.0, 0.01, seed);
    values[100] = 50;
    for (std::size_t i = 20; i < values.size(); i += 40) values[i] = 3;
    EXPECT_TRUE(change_points(values).empty()) << seed;
  }
}

TEST(ChangePoints, ThereAndBack) {
  Values values = noisy(300, 2.0, 0.01, 9);
  for (std::size_t i = 100; i < 150; ++i) values[i] *= 1.3;
  EXPECT_EQ(change_points(values), (std::vector<std::size_t>{100, 150}));
}

TEST(ChangePoints, ConstantAndShortSeries) {
  EXPECT_TRUE(change_points(Values(100, 1.5)).empty());
  EXPECT_TRUE(change_points(Values(100, 0.0)).empty());
  EXPECT_TRUE(change_points(Values{}).empty());
  EXPECT_TRUE(change_points(Values{1, 2}).empty());
  Values step(40, 1.0);
  std::fill(step.begin() + 25, step.end(), 1.1);
  EXPECT_EQ(change_points(step), std::vector<std::size_t>{25});
}

TEST(ChangePoints, LongSeriesToTheBlock) {
  Values values = noisy(100000, 1.0, 0.01, 4);
  for (std::size_t i = 60000; i < values.size(); ++i) values[i] *= 1.05;
  expect_one_change(values, 60000, 20);  // 100,000 / 5,000
}

}  // namespace
}  // namespace nameplate
