// Exact counts. The FLOPs of one step of a large model exceed 2^63 (Llama 3.1 405B: 4e22), so counts that must not be
// rounded are 128-bit integers, printed in decimal.
#pragma once

#include <string>

namespace nameplate {

__extension__ typedef __int128 Int128;

std::string to_decimal(Int128 value);
inline double to_double(Int128 value) { return static_cast<double>(value); }

}  // namespace nameplate
