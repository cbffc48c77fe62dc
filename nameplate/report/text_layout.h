// Lines of fixed width: padding, cutting and wrapping by columns of the terminal, not bytes. Texts are printable
// (report/utf8.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nameplate {

std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);
// At most `width` columns; what is cut off leaves "..." behind.
std::string cut(std::string_view text, std::size_t width);
// The same for names, which often differ at the end: without the arguments of a function, then cut in the middle.
std::string cut_middle(std::string_view text, std::size_t width);
// Lines of at most `width` columns, broken at spaces; a word that is longer is broken where it must.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace nameplate
