#include "nameplate/report/text_layout.h"

#include <algorithm>

#include "nameplate/report/utf8.h"

namespace nameplate {
namespace {

std::string padding(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ');
}

}  // namespace

std::string pad_right(std::string_view text, std::size_t width) { return std::string(text) + padding(text, width); }

std::string pad_left(std::string_view text, std::size_t width) { return padding(text, width) + std::string(text); }

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width < 4) return std::string(fitting_prefix(text, width));
  return std::string(fitting_prefix(text, width - 3)) + "...";
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
