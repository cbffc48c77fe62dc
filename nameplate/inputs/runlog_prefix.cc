#include "nameplate/inputs/runlog_prefix.h"

#include <cstdint>

namespace nameplate {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A fixed number of digits at `at`, or -1.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool has_at(std::string_view text, std::size_t at, char c) { return at < text.size() && text[at] == c; }

// Days since 1970-01-01 of a Gregorian date. Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms",
// days_from_civil: years start in March, so that the leap day is the last day of a 400-year era's year.
std::int64_t days_from_civil(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

struct Date {
  int year = -1, month = -1, day = -1;
  bool is_plausible() const { return year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31; }
};

// "2025-03-04" or "10/17/2025", ten characters both.
Date leading_date(std::string_view text) {
  if (has_at(text, 4, '-') && has_at(text, 7, '-')) return {digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)};
  if (has_at(text, 2, '/') && has_at(text, 5, '/')) return {digits(text, 6, 4), digits(text, 0, 2), digits(text, 3, 2)};
  return {};
}

// ",441" or ".061234" at the start of `text`, which is moved past it.
double take_fraction(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_digit(text[1])) return 0;
  double value = 0;
  double scale = 0.1;
  text.remove_prefix(1);
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), scale *= 0.1) value += (text[0] - '0') * scale;
  return value;
}

// "Z", "+02:00", "-0700" at the start of `text`, in seconds east of Greenwich; `text` is moved past it.
int take_zone(std::string_view& text) {
  if (has_at(text, 0, 'Z')) {
    text.remove_prefix(1);
    return 0;
  }
  if (!has_at(text, 0, '+') && !has_at(text, 0, '-')) return 0;
  const std::size_t minutes_at = has_at(text, 3, ':') ? 4 : 3;
  const int hours = digits(text, 1, 2);
  const int minutes = digits(text, minutes_at, 2);
  if (hours < 0 || minutes < 0) return 0;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(minutes_at + 2);
  return sign * (hours * 3600 + minutes * 60);
}

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
  return text;
}

// Python's "%(asctime)s - %(name)s - %(levelname)s - %(message)s": drops " - root - INFO - " behind a time.
std::string_view skip_logger_name(std::string_view text) {
  constexpr std::size_t kLongestName = 60;
  while (text.starts_with("- ")) {
    const std::size_t end = text.substr(0, kLongestName).find(" - ");
    text = skip_blanks(text.substr(end == std::string_view::npos ? 1 : end + 1));
  }
  return text;
}

struct LeadingRank {
  std::string_view rank;
  std::string_view rest;
};

std::size_t digits_end(std::string_view text, std::size_t from) {
  while (from < text.size() && is_digit(text[from])) ++from;
  return from;
}

// The digits of `text` from `from` on as a rank, if `close` follows them.
std::optional<LeadingRank> rank_until(std::string_view text, std::size_t from, std::string_view close) {
  constexpr std::size_t kMostDigits = 7;
  const std::size_t end = digits_end(text, from);
  if (end == from || end - from > kMostDigits || !text.substr(end).starts_with(close)) return std::nullopt;
  std::string_view rest = text.substr(end + close.size());
  if (rest.starts_with(":")) rest.remove_prefix(1);
  return LeadingRank{text.substr(from, end - from), rest};
}

std::optional<LeadingRank> leading_rank(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (is_digit(text[0])) return rank_until(text, 0, ": ");
  if (text[0] == '(') return text.starts_with("(rank") ? rank_until(text, 5, ")") : std::nullopt;
  if (text[0] != '[') return std::nullopt;
  for (std::string_view name : {"[default", "[rank", "[Rank ", "[rank "}) {
    if (text.starts_with(name)) return rank_until(text, name.size(), "]");
  }
  if (auto rank = rank_until(text, 1, "]:")) return rank;
  const std::size_t job = digits_end(text, 1);
  if (!has_at(text, job, ',')) return std::nullopt;
  if (auto rank = rank_until(text, job + 1, "]<stdout>")) return rank;
  return rank_until(text, job + 1, "]<stderr>");
}

// "[2024-04-06 03:02:12]", and a date behind a tag: "[NeMo I 2025-03-07 22:43:58 nemo_logger:145] ", "[titan] 2026-…".
std::optional<LeadingTime> bracketed_time(std::string_view text) {
  constexpr std::size_t kLongestTag = 100;
  const std::size_t close = text.substr(0, kLongestTag).find(']');
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(close + 1);
  std::string_view inside = text.substr(1, close - 1);
  if (inside.starts_with("NeMo ") && inside.size() > 7) inside.remove_prefix(7);
  if (auto time = parse_leading_time(inside)) return LeadingTime{time->seconds, rest};
  return parse_leading_time(skip_blanks(rest));
}

}  // namespace

std::optional<LeadingTime> parse_leading_time(std::string_view text) {
  if (text.size() < 19 || !is_digit(text[0])) return std::nullopt;
  const Date date = leading_date(text);
  const int hour = digits(text, 11, 2);
  const int minute = digits(text, 14, 2);
  const int second = digits(text, 17, 2);
  const bool is_time = (text[10] == ' ' || text[10] == 'T') && text[13] == ':' && text[16] == ':';
  if (!date.is_plausible() || !is_time || hour < 0 || hour > 24 || minute < 0 || minute > 59 || second < 0 ||
      second > 60) {
    return std::nullopt;
  }
  std::string_view rest = text.substr(19);
  double seconds = static_cast<double>(days_from_civil(date.year, date.month, date.day) * 86400 + hour * 3600 +
                                       minute * 60 + second);
  seconds += take_fraction(rest);
  seconds -= take_zone(rest);
  return LeadingTime{seconds, rest};
}

LinePrefix parse_line_prefix(std::string_view line) {
  LinePrefix prefix;
  prefix.text = skip_blanks(line);
  constexpr int kMostParts = 4;  // "0: [default7]: [2024-04-06 03:02:12] "
  for (int part = 0; part < kMostParts && !prefix.text.empty(); ++part) {
    const char first = prefix.text[0];
    if (first != '[' && first != '(' && !is_digit(first)) break;
    if (auto rank = leading_rank(prefix.text)) {
      prefix.rank = rank->rank;  // the innermost is the process's own
      prefix.text = skip_blanks(rank->rest);
      continue;
    }
    if (prefix.timestamp_s.has_value()) break;
    const auto time = first == '[' ? bracketed_time(prefix.text) : parse_leading_time(prefix.text);
    if (!time) break;
    prefix.timestamp_s = time->seconds;
    prefix.text = skip_logger_name(skip_blanks(time->rest));
  }
  return prefix;
}

}  // namespace nameplate
