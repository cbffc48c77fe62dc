#include "nameplate/analysis/resilience/event_sampling.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace nameplate {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;
// ln 2 in two parts, the first with 33 bits: a whole number times it is exact.
constexpr double kLn2High = 0x1.62e42fefp-1;
constexpr double kLn2Low = 0x1.473de6af278edp-34;
constexpr double kHalfLnTwoPi = 0.91893853320467274178;

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

}  // namespace

double portable_log(double x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716: eleven terms
  // leave 0.1716^23 / 23 < 1e-18.
  auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1022;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3fe0000000000000ULL);  // [1/2, 1)
  if (m < kSqrtHalf) {
    m *= 2;
    --exponent;
  }
  double s = (m - 1) / (m + 1);
  double z = s * s;
  double series = 0;
  for (int k = 21; k >= 3; k -= 2) series = (series + 1.0 / k) * z;
  return exponent * kLn2High + (2 * s + (2 * s * series + exponent * kLn2Low));
}

double portable_exp(double x) {
  // x = k ln 2 + r, |r| <= ln(2) / 2; Taylor to r^14: 0.3466^15 / 15! < 1e-19.
  double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1;
  for (int n = 14; n >= 1; --n) series = 1 + series * r / n;
  return series * power_of_two(static_cast<int>(k));
}

double portable_log_gamma(double z) {
  double shift = 1;
  for (; z < 16; z += 1) shift *= z;
  double inverse = 1 / z;
  double square = inverse * inverse;
  double series = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
  return (z - 0.5) * portable_log(z) - z + kHalfLnTwoPi + series - portable_log(shift);
}

double exponential(double uniform) { return -portable_log(1 - uniform); }

Weibull weibull_of_mean(double mean, double shape) {
  if (shape == 1) return {mean, 1};
  return {mean * portable_exp(-portable_log_gamma(1 + 1 / shape)), shape};
}

double sample(const Weibull& weibull, double uniform) {
  double hazard = exponential(uniform);
  if (weibull.shape == 1 || hazard <= 0) return weibull.scale * hazard;
  return weibull.scale * portable_exp(portable_log(hazard) / weibull.shape);
}

}  // namespace nameplate
