#include "nameplate/report/axis.h"

#include <algorithm>
#include <cmath>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

// The smallest of 1, 2, 5, 10 times a power of ten that is at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A hair of tolerance: 0.3 / 3 must give 0.1.
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Axis make_axis(const Column& column, double low, double high, int most_ticks) {
  NAMEPLATE_CHECK(low <= high && std::max(std::abs(low), std::abs(high)) <= kLargestDrawn);
  const double magnitude = std::max(std::abs(low), std::abs(high));
  // Values that are equal, or differ by rounding only, still need a range.
  if (high - low <= 1e-12 * magnitude || high - low < 1e-300) {
    const double margin = magnitude > 1e-290 ? 0.1 * magnitude : 1;
    low -= margin;
    high += margin;
  }
  Axis axis;
  axis.scale = scale_for(column.id, column.unit, magnitude);
  const double step = round_step((high - low) / axis.scale.divisor / most_ticks);
  const double first = std::floor(low / axis.scale.divisor / step + 1e-9);
  const double last = std::ceil(high / axis.scale.divisor / step - 1e-9);
  for (double i = first; i <= last; ++i) axis.ticks.push_back(i * step * axis.scale.divisor);
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  axis.scale.decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 9);
  return axis;
}

}  // namespace nameplate
