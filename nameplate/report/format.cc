#include "nameplate/report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>

namespace nameplate {
namespace {

// From this magnitude on, digits in groups are no longer readable, nor exact in a double.
constexpr double kLargestPlain = 1e15;

// "-1234567.8" to "-1,234,567.8".
std::string group_digits(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t end = std::min(digits.find('.'), digits.size());
  while (end > first + 3) {
    end -= 3;
    digits.insert(end, ",");
  }
  return digits;
}

// What rounds to zero has no sign: "-0.00" to "0.00".
std::string without_negative_zero(std::string digits) {
  return digits.starts_with('-') && digits.find_first_not_of("-0.") == digits.npos ? digits.substr(1) : digits;
}

int decimals_for(double largest, int digits) {
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(largest))), 0, 9);
}

// A prefix applies from `least` on: a rate stays in TFLOP/s up to 10,000 of them, as the field writes it.
struct Prefix {
  double least;
  double divisor;
  std::string_view name;
};
constexpr std::array kCountPrefixes{Prefix{1e24, 1e24, "Y"}, Prefix{1e21, 1e21, "Z"}, Prefix{1e18, 1e18, "E"},
                                    Prefix{1e15, 1e15, "P"}};
constexpr std::array kRatePrefixes{Prefix{1e19, 1e18, "E"}, Prefix{1e16, 1e15, "P"}, Prefix{1e12, 1e12, "T"},
                                   Prefix{1e9, 1e9, "G"}, Prefix{0, 1e6, "M"}};
constexpr double kKiB = 1024;
constexpr std::array kBytePrefixes{Prefix{1e4 * kKiB * kKiB * kKiB, kKiB* kKiB* kKiB* kKiB, "Ti"},
                                   Prefix{0.1 * kKiB * kKiB * kKiB, kKiB* kKiB* kKiB, "Gi"},
                                   Prefix{kKiB * kKiB, kKiB* kKiB, "Mi"}, Prefix{kKiB, kKiB, "Ki"}};
constexpr std::array kSecondPrefixes{Prefix{1, 1, ""}, Prefix{1e-3, 1e-3, "m"}, Prefix{0, 1e-6, "u"}};

// The first of `prefixes` (from large to small) that `largest` reaches; without one, the bare unit.
Scale prefixed(std::span<const Prefix> prefixes, double largest, std::string_view unit, int digits) {
  const auto reached =
      std::find_if(prefixes.begin(), prefixes.end(), [&](const Prefix& prefix) { return largest >= prefix.least; });
  if (reached == prefixes.end()) return {1, std::string(unit), decimals_for(largest, digits)};
  const double shown = largest / reached->divisor;
  return {reached->divisor, fmt::format("{}{}", reached->name, unit), decimals_for(shown, digits)};
}

Scale ratio_scale(double largest) { return {0.01, "%", largest < 0.01 && largest > 0 ? 2 : 1}; }

}  // namespace

Scale scale_for(std::string_view id, std::string_view unit, double largest) {
  if (unit == "1" && id.ends_with("_ratio")) return ratio_scale(largest);
  if (unit == "s" && largest == 0) return {1, "s", 0};
  if (unit == "s") return prefixed(kSecondPrefixes, largest, "s", 3);
  if (unit == "accelerator_s") {
    const bool in_hours = largest >= 360000;
    const double divisor = in_hours ? 3600 : 1;
    return {divisor, in_hours ? "accelerator-h" : "accelerator-s", decimals_for(largest / divisor, 4)};
  }
  if (unit == "B") return prefixed(kBytePrefixes, largest, unit, 3);
  if (unit == "FLOP/s") return prefixed(kRatePrefixes, largest, unit, 4);
  if (unit == "TFLOP/s") {
    Scale scale = prefixed(kRatePrefixes, largest * 1e12, "FLOP/s", 4);
    scale.divisor /= 1e12;
    return scale;
  }
  if (unit.starts_with("FLOP")) return prefixed(kCountPrefixes, largest, unit, 4);
  return {1, unit == "1" ? std::string() : std::string(unit), decimals_for(largest, 4)};
}

Scale scale_for_integers(std::string_view id, std::string_view unit, double largest) {
  Scale scale = scale_for(id, unit, largest);
  if (scale.divisor == 1) scale.decimals = 0;
  return scale;
}

std::string in_scale(const Number& value, const Scale& scale) {
  const Int128* exact = std::get_if<Int128>(&value);
  if (exact != nullptr && scale.divisor == 1) return count(*exact);
  const double shown = as_double(value) / scale.divisor;
  if (std::abs(shown) >= kLargestPlain) return fmt::format("{:.4g}", shown);
  return group_digits(without_negative_zero(fmt::format("{:.{}f}", shown, scale.decimals)));
}

std::string percent(double ratio) {
  if (ratio > 0 && ratio < 0.00005) return "under 0.01 %";  // not "0.00 %", which would say never
  const Scale scale = ratio_scale(std::abs(ratio));
  return in_scale(ratio, scale) + " %";
}

std::string duration(double seconds) {
  const double magnitude = std::abs(seconds);
  if (!(magnitude >= 99.95 && magnitude < 1e12)) {
    const Scale scale = scale_for({}, "s", magnitude);
    return in_scale(seconds, scale) + " " + scale.unit;
  }
  const auto whole = std::llround(magnitude);
  const char* sign = seconds < 0 ? "-" : "";
  if (whole < 3600) return fmt::format("{}{} min {:02} s", sign, whole / 60, whole % 60);
  const auto minutes = std::llround(magnitude / 60);
  if (minutes < 48 * 60) return fmt::format("{}{} h {:02} min", sign, minutes / 60, minutes % 60);
  const auto hours = std::llround(magnitude / 3600);
  return fmt::format("{}{} d {} h", sign, count(hours / 24), hours % 24);
}

std::string count(Int128 value) { return group_digits(to_decimal(value)); }

std::string significant(double value, int digits) {
  const double magnitude = std::abs(value);
  if (magnitude >= kLargestPlain || (magnitude < 1e-5 && magnitude > 0)) return fmt::format("{:.{}g}", value, digits);
  return group_digits(fmt::format("{:.{}f}", value, decimals_for(magnitude, digits)));
}

std::string human(std::string_view id, const Number& value, std::string_view unit) {
  if (unit == "s") return duration(as_double(value));
  const double magnitude = std::abs(as_double(value));
  const bool whole = magnitude < kLargestPlain && magnitude == std::floor(magnitude);
  const Scale scale = std::holds_alternative<Int128>(value) || whole ? scale_for_integers(id, unit, magnitude)
                                                                     : scale_for(id, unit, magnitude);
  const std::string number = in_scale(value, scale);
  return scale.unit.empty() ? number : number + " " + scale.unit;
}

std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), written.ptr};
}

std::string plain(const Number& value) {
  if (const Int128* exact = std::get_if<Int128>(&value)) return to_decimal(*exact);
  return shortest(std::get<double>(value));
}

}  // namespace nameplate
