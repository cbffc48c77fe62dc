// Values in a log line by what stands before and behind them: "dt: 989.44ms |" is the text between "dt: " and "ms".
//
// The end is asked for since the file may end inside the line: a value without what follows it may be a part of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nameplate/core/maybe.h"
#include "nameplate/core/text.h"

namespace nameplate {

// The text between the first `before` and the next `end`, without blanks around it; empty when either is missing.
inline std::string_view text_between(std::string_view text, std::string_view before, std::string_view end) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + before.size());
  const std::size_t stop = rest.find(end);
  return stop == std::string_view::npos ? std::string_view{} : trim(rest.substr(0, stop));
}

// The same as a number, thousands separators allowed; nothing when it is none.
inline Maybe number_between(std::string_view text, std::string_view before, std::string_view end) {
  const auto number = parse_number(text_between(text, before, end));
  return number ? Maybe(*number) : Maybe();
}

// What follows `start` at the beginning of `text`, without blanks; nothing when `text` begins otherwise.
inline std::optional<std::string_view> text_behind(std::string_view text, std::string_view start) {
  if (!text.starts_with(start)) return std::nullopt;
  return trim(text.substr(start.size()));
}

// The whole number of digits at the start of `text`: "00012/21400 (" is 12.
inline std::optional<std::int64_t> leading_index(std::string_view text) {
  return parse_integer(text.substr(0, text.find_first_not_of("0123456789")));
}

}  // namespace nameplate
