// Numbers for people: percent, adaptive durations, TFLOP/s, GiB, thousands separators. Every renderer for people and
// the sentences write a number through this file, so the same figure reads the same everywhere. Machines get
// shortest().
//
// All of it is ASCII and independent of the locale. Figures carry three or four significant digits; exact counts keep
// all of theirs below 1e15 and in counts that are not FLOPs.
#pragma once

#include <string>
#include <string_view>

#include "nameplate/report/document.h"

namespace nameplate {

// How one figure, or all figures of one column, are written: value / divisor with `decimals`, then the unit.
struct Scale {
  double divisor = 1;
  std::string unit;  // as shown: "%", "ms", "GiB", "TFLOP/s"; empty for plain counts
  int decimals = 0;
};

// The scale for figures of magnitude up to `largest`; `id` says whether a pure number is a ratio ("…_ratio").
Scale scale_for(std::string_view id, std::string_view unit, double largest);
// The same for a column whose figures are all whole numbers: no decimals where the unit is not scaled.
Scale scale_for_integers(std::string_view id, std::string_view unit, double largest);
// Without the unit: "1,234.5". An exact count on a scale of 1 keeps all its digits.
std::string in_scale(const Number& value, const Scale& scale);

// "34.7 %", "0.42 %", "under 0.01 %"
std::string percent(double ratio);
// "417 ms", "1.10 s", "3 min 20 s", "2 h 05 min", "3 d 4 h"
std::string duration(double seconds);
// "51,470,401,536"
std::string count(Int128 value);
// `digits` significant digits without an exponent where that is readable: "412.3", "0.0123".
std::string significant(double value, int digits);
// The figure with its unit: "412.3 TFLOP/s", "68.6 GiB", "34.7 %".
std::string human(std::string_view id, const Number& value, std::string_view unit);

// Shortest decimal form that reads back as the same double; `value` is finite.
std::string shortest(double value);
// The same for any number, exact counts in full.
std::string plain(const Number& value);

}  // namespace nameplate
