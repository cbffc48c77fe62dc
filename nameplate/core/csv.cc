#include "nameplate/core/csv.h"

#include <algorithm>

#include <fmt/format.h>

namespace nameplate {
namespace {

class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
  }

  // The next row that is not an empty line; nothing at the end.
  Result<std::optional<CsvRow>> next() {
    while (take_line_end()) {}
    if (at_end()) return std::optional<CsvRow>();
    CsvRow row{.line = line_};
    do {
      NAMEPLATE_TRY(std::string cell, read_cell());
      row.cells.push_back(std::move(cell));
    } while (take(','));
    if (!at_end() && !take_line_end()) return fail("text after the closing quote of a cell", line_, "a comma");
    return std::optional(std::move(row));
  }

  Error fail(std::string found, int line, std::string expected = {}) const {
    return {.found = std::move(found), .expected = std::move(expected), .place = {.file = file_, .line = line}};
  }

 private:
  bool at_end() const { return position_ == text_.size(); }

  bool take(char c) {
    if (at_end() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  bool take_line_end() {
    const std::string_view rest = text_.substr(position_);
    const std::size_t length = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
    position_ += length;
    if (length > 0) ++line_;
    return length > 0;
  }

  Result<std::string> read_cell() {
    if (take('"')) return read_quoted();
    const std::size_t end = std::min(text_.find_first_of(",\n", position_), text_.size());
    std::string_view cell = text_.substr(position_, end - position_);
    if (end < text_.size() && text_[end] == '\n' && cell.ends_with('\r')) cell.remove_suffix(1);
    position_ += cell.size();
    return std::string(cell);
  }

  // Behind the opening quote; two quotes stand for one.
  Result<std::string> read_quoted() {
    const int opened = line_;
    std::string cell;
    for (;;) {
      const std::size_t quote = text_.find('"', position_);
      if (quote == text_.npos) return fail("a quote that is never closed", opened, "'\"' at the end of the cell");
      const std::string_view part = text_.substr(position_, quote - position_);
      line_ += static_cast<int>(std::count(part.begin(), part.end(), '\n'));
      cell += part;
      position_ = quote + 1;
      if (!take('"')) return cell;
      cell += '"';
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
  int line_ = 1;
};

const std::string* repeated_name(const std::vector<std::string>& header) {
  for (auto name = header.begin(); name != header.end(); ++name) {
    if (std::find(header.begin(), name, *name) != name) return &*name;
  }
  return nullptr;
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& file) {
  CsvScanner scanner(text, file);
  NAMEPLATE_TRY(std::optional<CsvRow> header, scanner.next());
  if (!header) return scanner.fail("an empty table", 1, "a line with the names of the columns");
  if (const std::string* name = repeated_name(header->cells)) {
    return scanner.fail(fmt::format("column '{}' twice", *name), header->line);
  }
  CsvTable table{.file = file, .header = std::move(header->cells)};
  for (;;) {
    NAMEPLATE_TRY(std::optional<CsvRow> row, scanner.next());
    if (!row) return table;
    if (row->cells.size() != table.header.size()) {
      return scanner.fail(fmt::format("a row of {} cells", row->cells.size()), row->line,
                          fmt::format("{}, as in the header", table.header.size()));
    }
    table.rows.push_back(std::move(*row));
  }
}

}  // namespace nameplate
