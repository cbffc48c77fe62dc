// How far a printed figure may be off by its printing alone, as a share of itself.
#pragma once

#include <cmath>

namespace nameplate {

// What conventions of one name differ in from program to program (norms, biases, router); analysis/mfu/claims.cc uses
// the same. Conventions of different names differ by more wherever it matters.
inline constexpr double kFits = 0.01;

// Whether `a` is within `share` of `b`.
inline bool near(double a, double b, double share) { return std::fabs(a / b - 1) <= share; }

// One unit of the last digit of `printed`, since programs truncate as well as round. The digits are those of its
// shortest decimal form, so a zero that was printed at the end only widens the tolerance.
double digit_share(double printed);

// The same for tokens per second. Releases of Megatron-Bridge print multiples of 16 and 32 (half a multiple off);
// counted where that makes at most 2 % (the noise that the accuracy study found: 1-2 %).
double token_digit_share(double printed);

}  // namespace nameplate
