#include "nameplate/report/utf8.h"

namespace nameplate {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: not well-formed
};

// The code point at the start of `text`, not empty.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t value = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (overlong || surrogate || value > 0x10ffff) return {};
  return {value, bytes};
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

// East Asian Wide and Fullwidth blocks (Unicode 15, EastAsianWidth.txt) and the emoji blocks.
std::size_t columns(char32_t c) {
  const bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
                    (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
                    (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
  return wide ? 2 : 1;
}

std::string cleaned(std::string_view text, bool controls_too) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const std::size_t bytes = point.bytes == 0 ? 1 : point.bytes;
    if (point.bytes == 0) {
      out += "\xef\xbf\xbd";
    } else if (controls_too && is_control(point.value)) {
      out += ' ';
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace

std::string valid_utf8(std::string_view text) { return cleaned(text, false); }

std::string one_line(std::string_view text) { return cleaned(text, true); }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    width += columns(point.value);
    text.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
  }
  return width;
}

std::string_view fitting_prefix(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  std::size_t used = 0;
  while (end < text.size()) {
    const CodePoint point = decode(text.substr(end));
    used += columns(point.value);
    if (used > width) break;
    end += point.bytes == 0 ? 1 : point.bytes;
  }
  return text.substr(0, end);
}

}  // namespace nameplate
