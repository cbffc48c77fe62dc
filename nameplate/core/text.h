// Text helpers: number parsing without locale, trimming, splitting, "did you mean".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nameplate {

std::string_view trim(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);
std::string to_lower(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);

// The whole text as a finite number, or nothing. Accepts "1e-3", "+2", and thousands separators "6,785".
std::optional<double> parse_number(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);
// The number at the start of `text` (no separators), with what follows it; for "7.57ms" or "39.73%".
struct LeadingNumber {
  double value;
  std::string_view rest;
};
std::optional<LeadingNumber> parse_leading_number(std::string_view text);

// The candidates nearest to `word` by edit distance (at most a third of its length off), best first, at most `most`.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates, std::size_t most = 3);
// "did you mean 'a' or 'b'?", or an empty string when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// "6,785" for 6785; for people only, machines get plain digits.
std::string with_thousands(std::int64_t value);
// Removes ANSI escape sequences (colour, cursor) into `buffer`; returns `text` itself when there are none.
std::string_view strip_ansi(std::string_view text, std::string& buffer);

}  // namespace nameplate
