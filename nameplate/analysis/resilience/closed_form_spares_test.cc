#include "nameplate/analysis/resilience/closed_form_spares.h"

#include <cmath>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(ClosedFormSpares, KOfN) {
  EXPECT_NEAR(at_least(15, 16, .95), .810760, 5.1e-7);
  EXPECT_NEAR(at_least(14, 15, .95), .829047, 5.1e-7);
  EXPECT_NEAR(at_least(15, 18, .95), .989127, 5.1e-7);
  EXPECT_NEAR(at_least(1000, 1059, .95), .823061, 5.1e-7);
  EXPECT_NEAR(at_least(1000, 1001, std::pow(.46, 1e-3)), .817065, 5.1e-7);
  EXPECT_NEAR(at_least(15, 15, .95), .4633, 5e-5);
  EXPECT_NEAR(at_least(1000, 1200, .8425), .82, 5e-3);
  EXPECT_NEAR(at_least(1000, 1200, .95), 1, 1e-12);
  EXPECT_EQ(at_least(3, 2, .95), 0);
}

TEST(ClosedFormSpares, UnitsForATarget) {
  const std::pair<double, std::int64_t> kTargets[] = {{.82, 1059},   {.90, 1062},     {.99, 1071},     {.999, 1077},
                                                      {.9999, 1083}, {.999999, 1092}, {1 - 1e-9, 1103}};
  for (const auto& [target, units] : kTargets) EXPECT_EQ(units_for(1000, .95, target), units) << target;
}

// R = 0.95, N = 1000, M = 1200: what the formula of whole copies gives, and where it can show the most.
TEST(ClosedFormSpares, WholeCopies) {
  EXPECT_NEAR(whole_copy_reliability(1000, 1000, .95) / 5.292e-23, 1, 1e-4);
  EXPECT_NEAR(whole_copy_reliability(1000, 1200, .95) / 6.350e-23, 1, 1e-4);
  EXPECT_NEAR(whole_copy_reliability(1000, 1200, std::pow(.46, 1e-3)), .523, 5e-4);
  EXPECT_NEAR(whole_copy_reliability(1000, 2780, std::pow(.46, 1e-3)), .82, 5e-4);
  EXPECT_NEAR(whole_copy_reliability(1000, 1200, std::pow(.760, 1e-3)), .82, 1e-3);
  EXPECT_NEAR(whole_copy_reliability(1000, 1200, std::pow(.598, 1e-3)) - .598, .067, 5e-4);
}

TEST(ClosedFormSpares, OneSpare) {
  EXPECT_NEAR(pooled_reliability(.46, 1), .46 * (1 - std::log(.46)), 1e-12);
  EXPECT_NEAR(pooled_reliability(.46, 1), .8172, 5e-5);
  EXPECT_EQ(pooled_reliability(1, 0), 1);
}

TEST(ClosedFormSpares, PoissonMatchesItsSeries) {
  // exp(-2) (1 + 2 + 2) = 0.676676
  EXPECT_NEAR(poisson_at_most(2, 2), .676676, 5e-7);
  EXPECT_NEAR(poisson_probability(2, 3), .180447, 5e-7);   // exp(-2) 8/6
  const CountDistribution d = poisson_distribution(5000);  // exp(-5000) is no double
  EXPECT_NEAR(mean(d), 5000, 1e-6);
  EXPECT_NEAR(at_most(d, 5000), poisson_at_most(5000, 5000), 1e-9);
}

// Mean 6.5 nodes down; a share of the events takes 8, 18 or 64 nodes at once. The mean stays the same.
TEST(ClosedFormSpares, Correlation) {
  struct Row {
    double share;
    std::int64_t units, p999, p9999;
  };
  for (const Row& row :
       {Row{0, 1, 16, 18}, Row{.02, 8, 24, 30}, Row{.05, 8, 29, 35}, Row{.05, 18, 44, 60}, Row{.01, 64, 74, 134}}) {
    const double size = 1 + row.share * static_cast<double>(row.units - 1);
    const CountDistribution down = compound_poisson(6.5 / size, {{1, 1 - row.share}, {row.units, row.share}});
    EXPECT_NEAR(mean(down), 6.5, 1e-6);
    EXPECT_EQ(quantile(down, .999), row.p999) << row.share << " x " << row.units;
    EXPECT_EQ(quantile(down, .9999), row.p9999) << row.share << " x " << row.units;
  }
}

TEST(ClosedFormSpares, Newsvendor) {
  struct Row {
    std::int64_t nodes;
    double down;
    std::int64_t at_once, at_ten;
  };
  for (const Row& row : {Row{1000, 6.5, 15, 18}, Row{2048, 13.31, 26, 29}, Row{16384, 106.5, 145, 152}}) {
    const CountDistribution down = poisson_distribution(row.down);
    EXPECT_EQ(newsvendor_spares(down, {row.nodes, 1, 0}), row.at_once) << row.nodes;
    EXPECT_EQ(newsvendor_spares(down, {row.nodes, 10, 0}), row.at_ten) << row.nodes;
  }
  const CountDistribution down = poisson_distribution(6.5);
  EXPECT_NEAR(at_most(down, 15), .99884, 5e-6);
  EXPECT_NEAR(at_most(down, 18), .99995, 5e-6);
  EXPECT_NEAR(at_most(poisson_distribution(19.5), 33), .99818, 5e-6);  // 72 h
  EXPECT_EQ(newsvendor_spares(poisson_distribution(19.5), {1000, 1, 0}), 33);
  EXPECT_NEAR(at_most(poisson_distribution(13.31), 26), .99936, 5e-6);
  const CountDistribution large = poisson_distribution(16384 * 3.79e-3);  // 24 h
  EXPECT_EQ(newsvendor_spares(large, {16384, 1, 0}), 92);
  EXPECT_NEAR(at_most(large, 92), .99985, 5e-6);
}

TEST(ClosedFormSpares, ElasticJobsNeedTheMean) {
  EXPECT_EQ(elastic_spares(poisson_distribution(6.5), 2, 0), 6);
  EXPECT_EQ(elastic_spares(poisson_distribution(6.5), 2, 1),
            static_cast<std::int64_t>(poisson_distribution(6.5).probability.size()) - 1);
}

// What the S-th spare adds is N P(K = S); where it earns a share of its price meanwhile, more of them pay.
TEST(ClosedFormSpares, SalvageAddsSpares) {
  const CountDistribution down = poisson_distribution(6.5);
  EXPECT_GE(1000 * poisson_probability(6.5, 15), 1);
  EXPECT_LT(1000 * poisson_probability(6.5, 16), 1);
  EXPECT_EQ(newsvendor_spares(down, {1000, 1, .5}), 16);  // 1000 P(K = 16) = 0.72 >= 0.5 > 1000 P(K = 17) = 0.28
}

// Hot spares for unlimited repair, 99.9 % and 99.99 %: N, rate per 1000 node-days, days of repair.
TEST(ClosedFormSpares, SparesForCapacity) {
  struct Row {
    double nodes, rate, days;
    std::int64_t p999, p9999;
  };
  constexpr Row kRows[] = {
      {128, 2.34, 4 / 24.0, 2, 2},   {128, 2.34, 1, 3, 4},    {128, 2.34, 3, 5, 6},    {128, 2.34, 14, 12, 14},
      {128, 6.50, 4 / 24.0, 2, 3},   {128, 6.50, 1, 5, 6},    {128, 6.50, 3, 9, 10},   {128, 6.50, 14, 24, 27},
      {1000, 2.34, 4 / 24.0, 3, 4},  {1000, 2.34, 1, 8, 10},  {1000, 2.34, 3, 17, 19}, {1000, 2.34, 14, 52, 57},
      {1000, 3.79, 4 / 24.0, 4, 5},  {1000, 3.79, 1, 11, 13}, {1000, 3.79, 3, 23, 26}, {1000, 3.79, 14, 78, 83},
      {1000, 6.50, 4 / 24.0, 5, 7},  {1000, 6.50, 1, 16, 18}, {1000, 6.50, 3, 35, 38}, {1000, 6.50, 14, 123, 131},
      {2048, 6.50, 4 / 24.0, 8, 10}, {2048, 6.50, 1, 26, 29}, {2048, 6.50, 3, 61, 66}, {2048, 6.50, 14, 232, 242},
  };
  for (const Row& row : kRows) {
    // Hot: N + S nodes fail, each down with probability a = MTTR / (MTTF + MTTR).
    const double down = row.rate * 1e-3 * row.days / (1 + row.rate * 1e-3 * row.days);
    const auto needed = static_cast<std::int64_t>(row.nodes);
    EXPECT_EQ(units_for(needed, 1 - down, .999) - needed, row.p999) << row.nodes << ' ' << row.rate << ' ' << row.days;
    EXPECT_EQ(units_for(needed, 1 - down, .9999) - needed, row.p9999)
        << row.nodes << ' ' << row.rate << ' ' << row.days;
  }
}

// ByteRobust's standby machines {2, 2, 3, 4} at {128, 256, 512, 1024} as the 99 % quantile: p is in 1.165e-3..1.250e-3.
TEST(ClosedFormSpares, StandbyTableByInversion) {
  const auto standby = [](std::int64_t machines, double p) { return spares_for_quantile(machines, p, .99); };
  const auto fits = [&](double p) {
    return standby(128, p) == 2 && standby(256, p) == 2 && standby(512, p) == 3 && standby(1024, p) == 4;
  };
  EXPECT_FALSE(fits(1.164e-3));
  EXPECT_TRUE(fits(1.166e-3));
  EXPECT_TRUE(fits(1.249e-3));
  EXPECT_FALSE(fits(1.251e-3));
}

}  // namespace
}  // namespace nameplate
