// Tables as RFC 4180 writes them: comma-separated cells, quoted where they hold commas, quotes or line breaks.
//
// Beyond the RFC: a byte-order mark is skipped, lines end at "\n" or "\r\n" (also inside one file), empty lines are
// skipped, and a quote in the middle of an unquoted cell is an ordinary character. The first line names the columns.
// Debian's two libraries do not serve here: libcsv hands out cells by C callbacks without a line number, and libfccp
// (fast-cpp-csv-parser) wants the columns at compile time and knows no line break inside quotes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"

namespace nameplate {

struct CsvRow {
  std::vector<std::string> cells;  // as many as the header has
  int line = 0;                    // 1-based, where the row begins
};

struct CsvTable {
  std::string file;
  std::vector<std::string> header;  // no name twice
  std::vector<CsvRow> rows;

  // The index of the column of this name.
  std::optional<std::size_t> column(std::string_view name) const;
};

// An Error with its line for a quote that is never closed, text behind a closing quote, a row with another number of
// cells than the header, a column named twice, or no header. `file` is for messages only.
Result<CsvTable> parse_csv(std::string_view text, const std::string& file);

}  // namespace nameplate
