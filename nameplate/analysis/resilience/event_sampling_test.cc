#include "nameplate/analysis/resilience/event_sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nameplate/core/random.h"

namespace nameplate {
namespace {

// The C library is the independent tool here; its own error is below one unit in the last place.
TEST(EventSampling, LogAndExpAgreeWithTheLibrary) {
  RandomStream random(5, 1);
  for (int i = 0; i < 100000; ++i) {
    double x = std::exp(40 * random.next_uniform() - 20);
    EXPECT_NEAR(portable_log(x), std::log(x), 9e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
    double y = 200 * random.next_uniform() - 100;
    EXPECT_NEAR(portable_exp(y) / std::exp(y), 1, 9e-16) << y;
  }
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_exp(0), 1);
  // The smallest survival that a 53-bit uniform number gives.
  EXPECT_NEAR(exponential(1 - 0x1p-53), 53 * std::log(2.0), 1e-13);
}

TEST(EventSampling, LogGamma) {
  // Gamma(1/2) = sqrt(pi), Gamma(5) = 24, Gamma(1 + 1/0.7) = 1.26582 (Abramowitz and Stegun 6.1).
  EXPECT_NEAR(portable_log_gamma(0.5), std::log(std::sqrt(std::acos(-1.0))), 1e-13);
  EXPECT_NEAR(portable_log_gamma(5), std::log(24.0), 1e-13);
  EXPECT_NEAR(std::exp(portable_log_gamma(1 + 1 / 0.7)), 1.26582, 5e-6);
}

TEST(EventSampling, WeibullHasItsMeanAndSurvival) {
  Weibull weibull = weibull_of_mean(100, 0.7);
  RandomStream random(5, 2);
  double sum = 0;
  int beyond = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    double life = sample(weibull, random.next_uniform());
    sum += life;
    beyond += life > weibull.scale ? 1 : 0;
  }
  // The coefficient of variation at shape 0.7 is 1.462: standard error 100 * 1.462 / sqrt(2e5) = 0.327; four of them.
  EXPECT_NEAR(sum / kDraws, 100, 1.31);
  // S(scale) = 1/e; standard error sqrt(0.3679 * 0.6321 / 2e5) = 0.00108; four of them.
  EXPECT_NEAR(static_cast<double>(beyond) / kDraws, std::exp(-1.0), 0.0044);
}

}  // namespace
}  // namespace nameplate
