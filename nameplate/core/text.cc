#include "nameplate/core/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nameplate {
namespace {

// A key this long is no misspelling, and edit distance is quadratic.
constexpr std::size_t kLongestWord = 200;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// std::from_chars takes no plus sign.
std::string_view without_plus(std::string_view text) {
  bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

// Removes well-placed thousands separators ("6,785.5": groups of three before the point); nothing when misplaced.
std::optional<std::string> without_separators(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  std::string digits(text.substr(0, i));
  std::size_t group = 0;
  bool grouped = false;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == ','); ++i) {
    if (is_digit(text[i])) {
      digits += text[i];
      ++group;
      continue;
    }
    if (group == 0 || group > 3 || (grouped && group != 3)) return std::nullopt;
    grouped = true;
    group = 0;
  }
  if (group != 3 || text.substr(i).find(',') != text.npos) return std::nullopt;
  return digits.append(text.substr(i));
}

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  text = without_plus(trim(text));
  std::string plain;
  if (text.find(',') != text.npos) {
    auto digits = without_separators(text);
    if (!digits) return std::nullopt;
    plain = *std::move(digits);
    text = plain;
  }
  T value{};
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Optimal string alignment distance (Levenshtein with swaps of neighbours), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      char x = lower(a[i - 1]);
      char y = lower(b[j - 1]);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y)});
      bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

// The index behind the escape sequence that starts at `i` (ECMA-48: CSI … final byte, OSC … BEL or ST, else two bytes).
std::size_t after_escape(std::string_view text, std::size_t i) {
  ++i;
  if (i >= text.size()) return i;
  char kind = text[i++];
  if (kind == '[') {
    while (i < text.size() && !(text[i] >= 0x40 && text[i] <= 0x7e)) ++i;
    return std::min(i + 1, text.size());
  }
  if (kind == ']') {
    while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') ++i;
    bool string_terminator = i + 1 < text.size() && text[i] == '\x1b' && text[i + 1] == '\\';
    return std::min(i + (string_terminator ? 2 : 1), text.size());
  }
  return i;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> parse_number(std::string_view text) {
  auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_whole<std::int64_t>(text); }

std::optional<LeadingNumber> parse_leading_number(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || !std::isfinite(value)) return std::nullopt;
  return LeadingNumber{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates, std::size_t most) {
  if (word.size() < 2 || word.size() > kLongestWord) return {};
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, const std::string*>> near;
  for (const std::string& candidate : candidates) {
    std::size_t longer = std::max(candidate.size(), word.size());
    if (longer - std::min(candidate.size(), word.size()) > limit) continue;
    std::size_t distance = edit_distance(word, candidate);
    if (distance <= limit) near.emplace_back(distance, &candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (const auto& [distance, candidate] : near) {
    if (result.size() == most) break;
    result.push_back(*candidate);
  }
  return result;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> near = nearest(word, candidates);
  if (near.empty()) return {};
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i > 0) text += i + 1 == near.size() ? " or " : ", ";
    text += "'" + near[i] + "'";
  }
  return text + "?";
}

std::string with_thousands(std::int64_t value) {
  std::string digits = std::to_string(value);
  std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string_view strip_ansi(std::string_view text, std::string& buffer) {
  std::size_t escape = text.find('\x1b');
  if (escape == text.npos) return text;
  buffer.clear();
  std::size_t begin = 0;
  while (escape != text.npos) {
    buffer.append(text.substr(begin, escape - begin));
    begin = after_escape(text, escape);
    escape = text.find('\x1b', begin);
  }
  buffer.append(text.substr(begin));
  return buffer;
}

}  // namespace nameplate
