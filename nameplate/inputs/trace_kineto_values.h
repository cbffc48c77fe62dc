// Pieces of JSON that Kineto leaves inside its events, once per distinct text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/facts/timeline.h"

namespace nameplate {

// The inside of a JSON string with its escapes resolved; as it is when they are wrong.
std::string unescape(std::string_view inside);
// "dims", "types" and "values" as TraceEvents::operands holds them.
Operands parse_operands(std::string_view key);
// "[0, 1, 2]"; empty where ranks are left out ("[0, 1, ..., 255]") or there are none.
std::vector<std::int64_t> parse_ranks(std::string_view text);
// Of a type as PyTorch names it: "BFloat16", "c10::BFloat16", "long int"; nothing when unknown.
std::optional<std::int64_t> element_bytes(std::string_view type);

}  // namespace nameplate
