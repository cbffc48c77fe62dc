#include "nameplate/inputs/progress_bar.h"

#include "nameplate/core/text.h"

namespace nameplate {
namespace {

// "01:30", "1:02:03"; hours are unbounded.
std::optional<double> parse_clock(std::string_view text) {
  double seconds = 0;
  int parts = 0;
  for (const std::string_view part : split(text, ':')) {
    const auto value = parse_integer(trim(part));
    if (!value || *value < 0 || ++parts > 3) return std::nullopt;
    seconds = seconds * 60 + static_cast<double>(*value);
  }
  return parts >= 2 ? std::optional(seconds) : std::nullopt;
}

// "1.33it/s" or "7.57s/it", whatever the unit is called; nothing for "?it/s".
Maybe parse_rate(std::string_view text) {
  const auto number = parse_leading_number(text);
  if (!number || number->value <= 0) return {};
  if (number->rest.starts_with("s/")) return number->value;
  return number->rest.ends_with("/s") ? Maybe(1 / number->value) : Maybe();
}

// "01:30<11:00,  1.33it/s, loss=2.3": the part between the brackets.
bool parse_brackets(std::string_view inside, ProgressBar& bar) {
  const std::size_t less = inside.find('<');
  if (less == std::string_view::npos) return false;
  const auto elapsed = parse_clock(inside.substr(0, less));
  if (!elapsed) return false;
  bar.elapsed_s = *elapsed;
  const std::size_t comma = inside.find(',', less);
  if (comma == std::string_view::npos) return true;
  std::string_view rest = trim(inside.substr(comma + 1));
  const std::string_view first = rest.substr(0, rest.find(','));
  if (first.find('=') == std::string_view::npos) {
    bar.step_time_s = parse_rate(first);
    rest.remove_prefix(first.size());
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  bar.postfix = trim(rest);
  return true;
}

std::string_view before_percentage(std::string_view text) {
  while (!text.empty() && text.back() >= '0' && text.back() <= '9') text.remove_suffix(1);
  return trim(text);
}

}  // namespace

std::optional<ProgressBar> parse_progress_bar(std::string_view text) {
  constexpr auto kNone = std::string_view::npos;
  const std::size_t percent = text.rfind("%|");
  if (percent == kNone) return std::nullopt;
  const std::size_t end = text.find("| ", percent + 2);
  if (end == kNone) return std::nullopt;
  const std::string_view counts = text.substr(end + 2);
  const std::size_t slash = counts.find('/');
  const std::size_t open = counts.find(" [");
  const std::size_t close = counts.find(']');
  if (slash == kNone || open == kNone || slash > open || close == kNone || close < open) return std::nullopt;

  ProgressBar bar;
  const auto done = parse_integer(trim(counts.substr(0, slash)));
  const auto total = parse_integer(trim(counts.substr(slash + 1, open - slash - 1)));
  if (!done || !total || *done < 0 || *total <= 0) return std::nullopt;
  bar.done = *done;
  bar.total = *total;
  if (!parse_brackets(counts.substr(open + 2, close - open - 2), bar)) return std::nullopt;
  const std::size_t start = text.substr(0, percent).rfind('\r');
  bar.label = before_percentage(text.substr(0, percent).substr(start == kNone ? 0 : start + 1));
  return bar;
}

Maybe ProgressClock::step_time(std::int64_t step, double elapsed_s, double resolution_s, Maybe printed) {
  constexpr double kResolutions = 50;  // 2 %
  Maybe result = printed;
  const double passed = elapsed_s - elapsed_s_ - paused_s_;
  if (step_ && step > *step_ && passed > 0) {
    if (!printed || passed >= kResolutions * resolution_s) result = passed / static_cast<double>(step - *step_);
  }
  step_ = step;
  elapsed_s_ = elapsed_s;
  paused_s_ = 0;
  return result;
}

}  // namespace nameplate
