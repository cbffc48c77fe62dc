#include "nameplate/analysis/audit/tolerance.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace nameplate {
namespace {

constexpr int kKeptDigits = 12;  // less than a double has: 18.71 % as 0.1871 * 100 still ends in 1
constexpr double kMostTokenRounding = 0.02;

}  // namespace

double digit_share(double printed) {
  if (printed == 0 || !std::isfinite(printed)) return 0;
  // "1.871e+01": as many decimals of the mantissa as the figure has digits behind its first.
  const std::string text = fmt::format("{:.{}e}", std::fabs(printed), kKeptDigits - 1);
  const std::size_t end = text.find('e');
  const std::size_t last = text.find_last_not_of('0', end - 1);
  const int decimals = static_cast<int>(last) - 1;  // behind "d."; a bare "d." gives 0
  const int exponent = std::stoi(text.substr(end + 1));
  const int last_digit = std::min(0, exponent - std::max(decimals, 0));  // whole numbers are printed to the unit
  return std::pow(10.0, last_digit) / std::fabs(printed);
}

double token_digit_share(double printed) {
  for (const double multiple : {32.0, 16.0}) {
    const double share = multiple / 2 / printed;
    if (std::fmod(printed, multiple) == 0 && share <= kMostTokenRounding) return std::max(share, digit_share(printed));
  }
  return digit_share(printed);
}

}  // namespace nameplate
