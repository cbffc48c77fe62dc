#include "nameplate/core/exact.h"

#include <algorithm>

namespace nameplate {

std::string to_decimal(Int128 value) {
  bool negative = value < 0;
  std::string digits;
  do {
    int digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (negative ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace nameplate
