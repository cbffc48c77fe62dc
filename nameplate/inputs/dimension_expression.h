// Whole-number expressions over named dimensions: "4 * channels", "(image / 8) * (image / 8)".
//
// + - * / and parentheses, evaluated exactly; a division with a remainder, a result outside 0 .. `most` and a name that
// is not a dimension are Errors. At most 32 parentheses deep.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "nameplate/core/result.h"

namespace nameplate {

using DimensionTable = std::map<std::string, std::int64_t, std::less<>>;

inline constexpr std::int64_t kMostDimension = 1'000'000'000'000;
Result<std::int64_t> evaluate_dimension(std::string_view expression, const DimensionTable& dimensions,
                                        std::int64_t most = kMostDimension);

}  // namespace nameplate
