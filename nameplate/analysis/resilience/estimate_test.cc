#include "nameplate/analysis/resilience/estimate.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "nameplate/analysis/resilience/closed_form_spares.h"

namespace nameplate {
namespace {

// Chi-square tables: 419 failures 380..461, 3 failures 0.6..8.8, none 0..3.69.
TEST(Estimate, ExactPoissonIntervals) {
  EXPECT_NEAR(poisson_interval(419, .95).low, 380, .5);
  EXPECT_NEAR(poisson_interval(419, .95).high, 461, .5);
  EXPECT_NEAR(poisson_interval(3, .95).low, .6187, 5e-5);
  EXPECT_NEAR(poisson_interval(3, .95).high, 8.7673, 5e-5);
  EXPECT_EQ(poisson_interval(0, .95).low, 0);
  EXPECT_NEAR(poisson_interval(0, .95).high, 3.6889, 5e-5);
}

// Summed over the Poisson distribution, not sampled: never below its level, 98.8 % at a mean of 3.
TEST(Estimate, ExactPoissonIntervalsCover) {
  for (const double mean : {.1, .5, 1.0, 2.0, 3.0, 5.0, 10.0, 50.0}) {
    double covered = 0;
    for (std::int64_t n = 0; n < 200; ++n) {
      const Interval i = poisson_interval(n, .95);
      if (i.low <= mean && mean <= i.high) covered += poisson_probability(mean, n);
    }
    EXPECT_GE(covered, .95) << mean;
    if (mean == 3.0) { EXPECT_NEAR(covered, .988, 5e-4); }
  }
}

// Gamma(2, 10 s) with 3 failures in 20 s: Gamma(5, 30 s), mean 1/6; its 2.5 % quantile is chi2(10; .025)/60 = 3.247/60.
TEST(Estimate, RatePosterior) {
  const RatePosterior p = posterior(RatePrior{2, seconds(10)}, 3, seconds(20));
  EXPECT_NEAR(p.mean().base(), 1.0 / 6, 1e-12);
  EXPECT_NEAR(credible_interval(p, .95).low, 3.24697 / 60, 1e-6);
  EXPECT_NEAR(credible_interval(p, .95).high, 20.4832 / 60, 1e-6);
}

// By hand: logarithms 5 and 7 with prior (6, 1, 2, 1): weight 3, mean 18/3 = 6, shape 3, scale 1 + 1 = 2. Student's t
// of 6 degrees at 97.5 % is 2.4469: 2.4469 sqrt(2 / 9) = 1.1535.
TEST(Estimate, DurationPosterior) {
  const std::vector<double> times = {std::exp(5.0), std::exp(7.0)};
  const DurationPosterior p = posterior(DurationPrior{6, 1, 2, 1}, times);
  EXPECT_NEAR(p.mean, 6, 1e-12);
  EXPECT_NEAR(p.shape, 3, 1e-12);
  EXPECT_NEAR(p.scale, 2, 1e-12);
  EXPECT_NEAR(std::log(p.median().base()), 6, 1e-12);
  EXPECT_NEAR(std::log(credible_interval(p, .95).high) - 6, 1.1535, 1e-4);
}

// 60 nodes: 57 with none or one, three with many, as in a published cluster of 63 where three nodes held half.
TEST(Estimate, LemonsAreNamed) {
  std::vector<std::int64_t> counts(60, 0);
  for (std::size_t i = 0; i < 12; ++i) counts[i] = 1;
  counts[57] = 7;
  counts[58] = 6;
  counts[59] = 5;
  const FleetEstimate fleet = estimate_nodes(counts, seconds(86400));
  EXPECT_NEAR(fleet.lemon_share, .05, .01);
  EXPECT_GT(fleet.lemon_factor, 10);
  EXPECT_GT(fleet.nodes[57].lemon_probability, .99);
  EXPECT_LT(fleet.nodes[0].lemon_probability, .1);
  EXPECT_LT(fleet.nodes[57].rate.base(), 7 / 86400.0);  // shrunk
  EXPECT_GT(fleet.nodes[20].rate.base(), 0);
}

TEST(Estimate, EvenNodesHaveNoLemons) {
  std::vector<std::int64_t> counts(60, 0);
  for (std::size_t i = 0; i < 20; ++i) counts[i] = 1;
  const FleetEstimate fleet = estimate_nodes(counts, seconds(86400));
  EXPECT_EQ(fleet.lemon_share, 0);
  EXPECT_NEAR(fleet.nodes[0].rate.base(), 20.5 / 60 / 86400, 1e-12);
}

}  // namespace
}  // namespace nameplate
