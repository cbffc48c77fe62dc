// What the JSON and the TOML reader share about text: places, and messages of foreign parsers made printable.
#pragma once

#include <string>
#include <string_view>

#include "nameplate/core/result.h"

namespace nameplate {

std::string_view without_byte_order_mark(std::string_view text);
bool is_blank(std::string_view text);
// Line and column of a byte, with the line for the caret; past the end is the last byte.
Place place_of(std::string_view text, std::size_t offset, const std::string& file);
// At most 200 bytes, with whatever is not printable ASCII as "?".
std::string ascii_excerpt(std::string_view text);

}  // namespace nameplate
