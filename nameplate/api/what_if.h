// --set as a question: factors of what the catalogue knows, and ranges. Internal to api/.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/inputs/catalogue.h"
#include "nameplate/inputs/manifest.h"

namespace nameplate {

using Settings = std::vector<std::pair<std::string, std::string>>;

// A key's value where the manifest has none, as the catalogue or a default gives it, in text ("3350 GB/s"); nothing for
// keys that neither knows.
std::optional<std::string> default_value(const std::string& key, const Manifest& manifest, const Catalogue& catalogue);

// "4..32", "400..3200 Gbit/s", "0.45..0.82": the values that the range stands for. Whole numbers up to 16 apart each,
// farther ones doubling; other numbers in eight even steps, by factors where they are eight times apart or more.
struct ValueRange {
  std::string key;
  std::vector<std::string> values;  // as --set takes them
  std::vector<double> numbers;      // the same without the unit
  std::string unit;
};
// Nothing when `value` is no range.
Result<std::optional<ValueRange>> parse_range(const std::string& key, const std::string& value);

}  // namespace nameplate
