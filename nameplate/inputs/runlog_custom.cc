// A log that no built-in format fits, read by the manifest's map of fields to columns or by a regular expression.
//
// columns: a line is a table row if a header was seen (CSV or TSV: a line whose cells contain every mapped name), a
// JSON Lines object if it begins with "{", else text in which each name stands as a word before its value: "iter=10",
// "iter: 10", "iter 10". regex: named groups are fields, optionally with their unit behind the name ("step_time_ms").
// A line with a step and one more field is a row; without a `step` column rows are numbered from 0. A value without a
// unit of its own or of its column is in the base unit: seconds, tokens, tokens per second, TFLOP/s, MFU as a ratio.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/core/node.h"
#include "nameplate/core/pattern.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/log_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/table_cells.h"

namespace nameplate {
namespace {

class CustomFormat final : public RunLogFormat {
 public:
  CustomFormat(std::vector<MappedColumn> columns, std::optional<Pattern> pattern)
      : columns_(std::move(columns)), pattern_(std::move(pattern)), values_(columns_.size()), cells_(columns_.size()) {
    has_step_column_ =
        std::any_of(columns_.begin(), columns_.end(), [](const MappedColumn& c) { return c.field == LogField::step; });
  }

  std::string_view id() const override { return "custom"; }
  bool is_step_line(std::string_view) const override { return true; }  // the user said so
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override { return {}; }

 private:
  bool find_values(const LogLine& line);
  bool read_header(std::string_view text);
  void read_cells(std::string_view text);
  bool read_json(std::string_view text);
  void read_words(std::string_view text);
  void drop_cut_value(std::string_view text);

  std::vector<MappedColumn> columns_;
  std::optional<Pattern> pattern_;
  std::vector<std::string_view> values_;  // of one line, by column; empty: not there
  std::vector<std::string> json_values_;  // what `values_` views in a JSON line
  char separator_ = 0;                    // of the table whose header was seen
  std::vector<std::size_t> cells_;        // position of each column in it
  bool has_step_column_ = false;
  std::int64_t next_index_ = 0;  // without a step column
};

bool CustomFormat::read_header(std::string_view text) {
  std::vector<std::string_view> cells;
  for (char separator : {'\t', ',', ';'}) {
    split_cells(text, separator, cells);
    if (cells.size() < columns_.size() || cells.size() < 2) continue;
    std::vector<std::size_t> found;
    for (const MappedColumn& column : columns_) {
      const auto at = std::find_if(cells.begin(), cells.end(), [&](auto cell) { return cell == column.name; });
      if (at == cells.end()) break;
      found.push_back(static_cast<std::size_t>(at - cells.begin()));
    }
    if (found.size() != columns_.size()) continue;
    separator_ = separator;
    cells_ = std::move(found);
    return true;
  }
  return false;
}

void CustomFormat::read_cells(std::string_view text) {
  std::vector<std::string_view> cells;
  split_cells(text, separator_, cells);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    values_[i] = cells_[i] < cells.size() ? cells[cells_[i]] : std::string_view{};
  }
}

// A member's value as text; empty for other kinds.
std::string text_of(const Node& member) {
  if (const auto word = member.as_string()) return std::string(*word);
  if (const auto integer = member.as_integer()) return std::to_string(*integer);
  if (const auto number = member.as_number()) return fmt::format("{}", *number);
  return {};
}

// False when the line is no JSON ("{'iter': 9}", as Python prints).
bool CustomFormat::read_json(std::string_view text) {
  const auto parsed = parse_json(text, {});
  if (!parsed.ok()) return false;
  json_values_.assign(columns_.size(), {});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Node* member = parsed->root.find(columns_[i].name);
    if (member == nullptr) member = parsed->root.find_path(columns_[i].name);
    if (member != nullptr) json_values_[i] = text_of(*member);
    values_[i] = json_values_[i];
  }
  return true;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/' || c == '.';
}

// The value of the word `name`: what follows it behind blanks, "=", ":" or quotes, up to a blank or one of ",;|)]}".
std::string_view value_of_word(std::string_view text, std::string_view name) {
  constexpr std::string_view kBetween = " \t=:\"'";
  constexpr std::string_view kEnd = " \t,;|)]}\"'";
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    const std::size_t behind = at + name.size();
    const std::size_t begin = text.find_first_not_of(kBetween, behind);
    if (begin == behind || begin == std::string_view::npos) continue;
    std::string_view value = text.substr(begin);
    std::size_t end = value.find_first_of(kEnd);
    // "6,785": a comma before three digits is a thousands separator.
    while (end != std::string_view::npos && value[end] == ',' && end + 3 < value.size() &&
           value.substr(end + 1, 3).find_first_not_of("0123456789") == std::string_view::npos) {
      end = value.find_first_of(kEnd, end + 1);
    }
    return value.substr(0, end);
  }
  return {};
}

void CustomFormat::read_words(std::string_view text) {
  for (std::size_t i = 0; i < columns_.size(); ++i) values_[i] = value_of_word(text, columns_[i].name);
}

// Fills `values_`; false when the line holds none.
bool CustomFormat::find_values(const LogLine& line) {
  if (pattern_) return pattern_->match(line.whole, values_);
  if (line.text.starts_with("{") && read_json(line.text)) return true;
  if (read_header(line.whole)) return false;
  if (separator_ != 0) {
    read_cells(line.whole);
  } else {
    read_words(line.whole);
  }
  return true;
}

// The end of a line that the file ends in may be a part of a number.
void CustomFormat::drop_cut_value(std::string_view text) {
  for (std::string_view& value : values_) {
    if (value.data() + value.size() == text.data() + text.size()) value = {};
  }
}

void CustomFormat::read(const LogLine& line, RunLogBuilder& builder) {
  std::fill(values_.begin(), values_.end(), std::string_view{});
  if (!find_values(line)) return;
  if (line.is_cut) drop_cut_value(line.whole);
  StepLine step;
  std::optional<std::int64_t> index;
  bool has_other_field = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (values_[i].empty()) continue;
    if (columns_[i].field == LogField::step) {
      index = index_of(values_[i]);
    } else {
      has_other_field = true;
      set_field(columns_[i], values_[i], step);
    }
  }
  if (!has_other_field) return;
  if (!has_step_column_) index = next_index_++;
  if (!index) return;
  step.index = *index;
  builder.add_step(step);
}

}  // namespace

Result<std::unique_ptr<RunLogFormat>> make_custom_format(const LogOptions& options) {
  std::vector<MappedColumn> columns;
  std::optional<Pattern> pattern;
  if (!options.regex.empty()) {
    NAMEPLATE_TRY(Pattern compiled, Pattern::compile(options.regex));
    for (const std::string& group : compiled.group_names()) {
      NAMEPLATE_TRY(MappedColumn column, map_group(group));
      columns.push_back(std::move(column));
    }
    pattern = std::move(compiled);
  } else {
    for (const auto& [field, column] : options.columns) {
      NAMEPLATE_TRY(MappedColumn made, map_column(field, column));
      if (made.name.empty()) return error("the log's field '" + field + "' names no column");
      columns.push_back(std::move(made));
    }
  }
  return std::unique_ptr<RunLogFormat>(std::make_unique<CustomFormat>(std::move(columns), std::move(pattern)));
}

}  // namespace nameplate
