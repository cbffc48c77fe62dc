// Maybe: an optional double in eight bytes, for columns with millions of rows (a std::optional<double> takes sixteen).
// Absence is a NaN inside and nowhere else: a NaN that comes from an input is absence, too.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace nameplate {

class Maybe {
 public:
  constexpr Maybe() = default;
  constexpr Maybe(double value) : value_(value) {}  // NOLINT: implicit by design
  bool has_value() const { return !std::isnan(value_); }
  explicit operator bool() const { return has_value(); }
  double operator*() const { return value_; }
  double value_or(double other) const { return has_value() ? value_ : other; }
  std::optional<double> optional() const { return has_value() ? std::optional(value_) : std::nullopt; }
  bool operator==(const Maybe& o) const { return has_value() == o.has_value() && (!has_value() || value_ == o.value_); }

 private:
  double value_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace nameplate
