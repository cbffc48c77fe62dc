#include "nameplate/core/result.h"

#include <fmt/format.h>

namespace nameplate {
namespace {

std::string prefix(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  if (!place.path.empty()) text += text.empty() ? place.path : ": " + place.path;
  return text.empty() ? text : text + ": ";
}

// The source line cut to a window around the column, so that a line of a gigabyte still prints in 100 columns.
std::string caret(const Place& place) {
  if (place.source_line.empty()) return {};
  constexpr std::size_t kWidth = 90;
  std::size_t column = place.column > 0 ? static_cast<std::size_t>(place.column) - 1 : 0;
  std::size_t first = column > kWidth - 20 ? column - 40 : 0;
  if (first >= place.source_line.size()) return {};
  std::string shown = place.source_line.substr(first, kWidth);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  std::string text = "\n  " + shown;
  if (place.column > 0 && column - first <= shown.size()) text += "\n  " + std::string(column - first, ' ') + "^";
  return text;
}

}  // namespace

std::string render(const Error& error) {
  std::string text = prefix(error.place) + error.found;
  if (!error.expected.empty()) text += ", expected " + error.expected;
  text += caret(error.place);
  if (!error.hint.empty()) text += "\n  " + error.hint;
  return text;
}

}  // namespace nameplate
