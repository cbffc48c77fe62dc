// Text of unknown origin (file names, log lines, device names), made safe to show. Names in a log may hold escape
// sequences, broken UTF-8 or line feeds: none of them may reach a terminal, a JSON string or a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nameplate {

// Well-formed UTF-8 (RFC 3629): each byte that is not part of a well-formed sequence becomes U+FFFD.
std::string valid_utf8(std::string_view text);
// The same in one line: control characters (C0, DEL, C1), line and paragraph separators and the marks that turn the
// direction of writing become a space.
std::string one_line(std::string_view text);
// Columns of a terminal, one per code point; wide East Asian characters count two. `text` is well-formed.
std::size_t display_width(std::string_view text);
// The longest beginning of well-formed `text` that fits into `width` columns.
std::string_view fitting_prefix(std::string_view text, std::size_t width);

}  // namespace nameplate
