#include "nameplate/report/text_layout.h"

#include <algorithm>

#include "nameplate/report/utf8.h"

namespace nameplate {
namespace {

std::string padding(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ');
}

// "kernel<4>(int, char*)" to "kernel<4>"; what does not end with a list of arguments stays.
std::string_view without_arguments(std::string_view text) {
  if (!text.ends_with(')')) return text;
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at > 0 ? text.substr(0, at) : text;
  }
  return text;
}

}  // namespace

std::string pad_right(std::string_view text, std::size_t width) { return std::string(text) + padding(text, width); }

std::string pad_left(std::string_view text, std::size_t width) { return padding(text, width) + std::string(text); }

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width < 4) return std::string(fitting_prefix(text, width));
  return std::string(fitting_prefix(text, width - 3)) + "...";
}

std::string cut_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width || width < 8) return cut(text, width);
  text = without_arguments(text);
  if (display_width(text) <= width) return std::string(text);
  const std::size_t of_end = (width - 3) / 2;
  const auto is_inside_character = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t end = text.size();
  for (std::size_t at = text.size(); at-- > 0 && display_width(text.substr(at)) <= of_end;) {
    if (!is_inside_character(at)) end = at;
  }
  return std::string(fitting_prefix(text, width - 3 - of_end)) + "..." + std::string(text.substr(end));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 2);  // the widest character
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    const std::string_view fits = fitting_prefix(text, width);
    const bool ends_word = text[fits.size()] == ' ';
    const std::size_t space = ends_word ? fits.size() : fits.rfind(' ');
    const std::size_t end = space == std::string_view::npos || space == 0 ? fits.size() : space;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace nameplate
