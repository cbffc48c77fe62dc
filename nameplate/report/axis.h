// One axis of a figure: a range of values, ticks at round numbers, and how they are written.
//
// Ticks stand at multiples of 1, 2 or 5 times a power of ten of the unit that is shown, so that an axis in GiB or
// percent has round labels, too.
#pragma once

#include <string>
#include <vector>

#include "nameplate/report/document.h"
#include "nameplate/report/format.h"

namespace nameplate {

struct Axis {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;
  Scale scale;

  // 0 at `low`, 1 at `high`.
  double position(double value) const { return (value - low) / (high - low); }
  std::string text(double tick) const { return in_scale(tick, scale); }
};

// Of finite `low` <= `high`, both below kLargestDrawn; the axis is widened to begin and end at a tick.
inline constexpr double kLargestDrawn = 1e300;
Axis make_axis(const Column& column, double low, double high, int most_ticks);

}  // namespace nameplate
