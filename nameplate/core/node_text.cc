#include "nameplate/core/node_text.h"

#include <algorithm>

#include "nameplate/core/node.h"
#include "nameplate/core/text.h"

namespace nameplate {

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

bool is_blank(std::string_view text) { return trim(text).empty(); }

Place place_of(std::string_view text, std::size_t offset, const std::string& file) {
  // A line of a gigabyte is not copied: the caret needs its first bytes only, and points nowhere behind them.
  std::string_view before = text.substr(0, std::min(offset, text.size()));
  int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  std::size_t newline = before.rfind('\n');
  std::size_t column = newline == before.npos ? before.size() : before.size() - newline - 1;
  return Place{file, line, static_cast<int>(column) + 1, {}, source_line(text, line)};
}

std::string ascii_excerpt(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string result(text.substr(0, kMost));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < 0x20 || c == 0x7f; }, '?');
  return result;
}

}  // namespace nameplate
