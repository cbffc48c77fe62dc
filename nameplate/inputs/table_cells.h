// The cells of one line of a table of values, as loggers write them: quotes keep a separator inside a cell; a quote
// inside a quoted cell, and a cell over several lines, are not resolved (core/csv.h does so for whole files).
#pragma once

#include <string_view>
#include <vector>

#include "nameplate/core/text.h"

namespace nameplate {

// Fills `cells` with views into `line`, without blanks and quotes around them.
inline void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') is_quoted = !is_quoted;
    if (i < line.size() && (is_quoted || line[i] != separator)) continue;
    std::string_view cell = trim(line.substr(begin, i - begin));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    begin = i + 1;
  }
}

}  // namespace nameplate
