// What time does a trace write? Decimal text of microseconds, as whole nanoseconds.
//
// Kineto prints microseconds with three decimals from a 64-bit count of nanoseconds: "6322354292522.072". A double
// holds such a number to about half a nanosecond, and epoch times worse, so the digits are shifted, never rounded
// through a double. Python's json module writes large floats with an exponent ("1.6e+16"): that is shifted, too. Digits
// past the nanosecond are rounded half up.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nameplate {

// Nothing for what is no number (NaN, Infinity, "", "1.2.3") or does not fit 64 bits.
std::optional<std::int64_t> parse_microseconds(std::string_view text);
// A whole number, also one written as "12.0" or "1e3"; nothing for a fraction, no number, or what does not fit.
std::optional<std::int64_t> parse_whole(std::string_view text);

}  // namespace nameplate
