// Physical values as types: a wrong unit does not compile.
//
// One template over integer exponents of six base dimensions. `Bytes + Seconds` is a compile error,
// `Flops / FlopsPerSecond` is `Seconds`, and a quotient of equal dimensions is a plain double (a ratio, 0..1).
// Values are stored in base units (byte, second, FLOP, joule, one unit of money, token) as IEEE double; exact FLOP
// counts live in core/exact.h, since a double holds integers only up to 2^53.
#pragma once

#include <compare>

namespace nameplate {

template <int kBytes, int kSeconds, int kFlops, int kJoules, int kMoney, int kTokens>
class Quantity {
 public:
  constexpr Quantity() = default;
  // `value` in base units. Prefer the named makers below.
  static constexpr Quantity from_base(double value) {
    Quantity q;
    q.value_ = value;
    return q;
  }
  // The value in base units; for boundaries (JSON, text, metrics) only.
  constexpr double base() const { return value_; }

  constexpr Quantity operator+(Quantity o) const { return from_base(value_ + o.value_); }
  constexpr Quantity operator-(Quantity o) const { return from_base(value_ - o.value_); }
  constexpr Quantity operator-() const { return from_base(-value_); }
  constexpr Quantity operator*(double k) const { return from_base(value_ * k); }
  constexpr Quantity operator/(double k) const { return from_base(value_ / k); }
  constexpr Quantity& operator+=(Quantity o) {
    value_ += o.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value_ -= o.value_;
    return *this;
  }
  constexpr auto operator<=>(const Quantity&) const = default;

 private:
  double value_ = 0;
};

template <int B, int S, int F, int J, int M, int T>
constexpr Quantity<B, S, F, J, M, T> operator*(double k, Quantity<B, S, F, J, M, T> q) {
  return q * k;
}

namespace detail {
template <int B, int S, int F, int J, int M, int T>
constexpr auto make_quantity(double value) {
  if constexpr (B == 0 && S == 0 && F == 0 && J == 0 && M == 0 && T == 0) {
    return value;  // dimensionless: a ratio
  } else {
    return Quantity<B, S, F, J, M, T>::from_base(value);
  }
}
}  // namespace detail

template <int B, int S, int F, int J, int M, int T, int B2, int S2, int F2, int J2, int M2, int T2>
constexpr auto operator*(Quantity<B, S, F, J, M, T> a, Quantity<B2, S2, F2, J2, M2, T2> b) {
  return detail::make_quantity<B + B2, S + S2, F + F2, J + J2, M + M2, T + T2>(a.base() * b.base());
}
template <int B, int S, int F, int J, int M, int T, int B2, int S2, int F2, int J2, int M2, int T2>
constexpr auto operator/(Quantity<B, S, F, J, M, T> a, Quantity<B2, S2, F2, J2, M2, T2> b) {
  return detail::make_quantity<B - B2, S - S2, F - F2, J - J2, M - M2, T - T2>(a.base() / b.base());
}

using Bytes = Quantity<1, 0, 0, 0, 0, 0>;
using Seconds = Quantity<0, 1, 0, 0, 0, 0>;
using Flops = Quantity<0, 0, 1, 0, 0, 0>;
using Joules = Quantity<0, 0, 0, 1, 0, 0>;
using Money = Quantity<0, 0, 0, 0, 1, 0>;
using Tokens = Quantity<0, 0, 0, 0, 0, 1>;
using BytesPerSecond = Quantity<1, -1, 0, 0, 0, 0>;
using FlopsPerSecond = Quantity<0, -1, 1, 0, 0, 0>;
using FlopsPerToken = Quantity<0, 0, 1, 0, 0, -1>;
using TokensPerSecond = Quantity<0, -1, 0, 0, 0, 1>;
using Watts = Quantity<0, -1, 0, 1, 0, 0>;
using PerSecond = Quantity<0, -1, 0, 0, 0, 0>;

constexpr Bytes bytes(double v) { return Bytes::from_base(v); }
constexpr Bytes gib(double v) { return Bytes::from_base(v * 1073741824.0); }
constexpr Bytes gigabytes(double v) { return Bytes::from_base(v * 1e9); }
constexpr Seconds seconds(double v) { return Seconds::from_base(v); }
constexpr Seconds milliseconds(double v) { return Seconds::from_base(v * 1e-3); }
constexpr Flops flops(double v) { return Flops::from_base(v); }
constexpr Tokens tokens(double v) { return Tokens::from_base(v); }
constexpr FlopsPerSecond flops_per_s(double v) { return FlopsPerSecond::from_base(v); }
constexpr FlopsPerSecond tflops_per_s(double v) { return FlopsPerSecond::from_base(v * 1e12); }
constexpr TokensPerSecond tokens_per_s(double v) { return TokensPerSecond::from_base(v); }
constexpr BytesPerSecond gigabytes_per_s(double v) { return BytesPerSecond::from_base(v * 1e9); }
constexpr Watts watts(double v) { return Watts::from_base(v); }

}  // namespace nameplate
