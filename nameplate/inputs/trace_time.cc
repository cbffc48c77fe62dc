#include "nameplate/inputs/trace_time.h"

#include <limits>

namespace nameplate {
namespace {

constexpr int kMostDigits = 19;  // any such number of digits fits 64 bits without a sign

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// digits * 10^exponent, with the digits that do not fit dropped behind the point.
struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;
  int exponent = 0;
};

// Reads digits into `number`; `behind_point` says whether they lower the exponent. False when there are too many to
// hold.
bool read_digits(std::string_view& text, bool behind_point, int& held, Decimal& number) {
  while (!text.empty() && is_digit(text[0])) {
    if (held < kMostDigits) {
      number.digits = number.digits * 10 + static_cast<std::uint64_t>(text[0] - '0');
      held += number.digits != 0;
      number.exponent -= behind_point;
    } else if (!behind_point) {
      if (++number.exponent > kMostDigits) return false;
    }
    text.remove_prefix(1);
  }
  return true;
}

bool read_exponent(std::string_view& text, Decimal& number) {
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.empty() || text.size() > 4) return false;
  int exponent = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    exponent = exponent * 10 + (c - '0');
  }
  number.exponent += negative ? -exponent : exponent;
  return true;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal number;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    number.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int held = 0;
  const std::size_t before = text.size();
  if (!read_digits(text, false, held, number)) return std::nullopt;
  std::size_t seen = before - text.size();
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::size_t behind = text.size();
    if (!read_digits(text, true, held, number)) return std::nullopt;
    seen += behind - text.size();
  }
  if (seen == 0 || !read_exponent(text, number)) return std::nullopt;
  return number;
}

// digits * 10^(exponent + shift); a remainder is handed out, not rounded away.
std::optional<std::int64_t> scale(const Decimal& number, int shift, bool& exact) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t value = number.digits;
  int exponent = number.exponent + shift;
  exact = true;
  for (; exponent > 0 && value != 0; --exponent) {
    if (value > kMost / 10) return std::nullopt;
    value *= 10;
  }
  std::uint64_t rest = 0;
  for (; exponent < 0 && (value != 0 || rest != 0); ++exponent) {
    exact = exact && rest == 0;
    rest = value % 10;
    value /= 10;
  }
  exact = exact && rest == 0;
  if (rest >= 5) ++value;
  if (value > kMost) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(value);
  return number.negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<std::int64_t> parse_microseconds(std::string_view text) {
  const std::optional<Decimal> number = parse_decimal(text);
  bool exact = false;
  return number ? scale(*number, 3, exact) : std::nullopt;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  const std::optional<Decimal> number = parse_decimal(text);
  if (!number) return std::nullopt;
  bool exact = false;
  const std::optional<std::int64_t> value = scale(*number, 0, exact);
  return exact ? value : std::nullopt;
}

}  // namespace nameplate
