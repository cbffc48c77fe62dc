// A log that no built-in format fits, read by the manifest's map of fields to columns or by a regular expression.
//
// columns: a line is a table row if a header was seen (CSV or TSV: a line whose cells contain every mapped name), a
// JSON Lines object if it begins with "{", else text in which each name stands as a word before its value: "iter=10",
// "iter: 10", "iter 10". regex: named groups are fields, optionally with their unit behind the name ("step_time_ms").
// A line with a step and one more field is a row; without a `step` column rows are numbered from 0. A value without a
// unit of its own or of its column is in the base unit: seconds, tokens, tokens per second, TFLOP/s, MFU as a ratio.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/core/node.h"
#include "nameplate/core/pattern.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/runlog_prefix.h"

namespace nameplate {
namespace {

enum class Field { step, step_time, tokens, samples, loss, timestamp, tokens_per_s, tflops, mfu };
constexpr std::array<std::pair<std::string_view, Field>, 9> kFields = {{
    {"step", Field::step},
    {"step_time", Field::step_time},
    {"tokens", Field::tokens},
    {"samples", Field::samples},
    {"loss", Field::loss},
    {"timestamp", Field::timestamp},
    {"tokens_per_s", Field::tokens_per_s},
    {"tflops", Field::tflops},
    {"mfu", Field::mfu},
}};

// What one of a unit is in the field's base unit.
struct Unit {
  std::string_view name;
  double scale;
};
constexpr std::array<Unit, 7> kTimeUnits = {
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}, {"sec", 1}}};
constexpr std::array<Unit, 4> kCountUnits = {{{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}};
constexpr std::array<Unit, 4> kFlopUnits = {{{"TFLOP/s", 1}, {"TFLOPS", 1}, {"GFLOP/s", 1e-3}, {"PFLOP/s", 1e3}}};
constexpr std::array<Unit, 3> kRatioUnits = {{{"%", 1e-2}, {"percent", 1e-2}, {"ratio", 1}}};

std::span<const Unit> units_of(Field field) {
  switch (field) {
    case Field::step_time:
    case Field::timestamp:
      return kTimeUnits;
    case Field::tokens:
    case Field::samples:
    case Field::tokens_per_s:
      return kCountUnits;
    case Field::tflops:
      return kFlopUnits;
    case Field::mfu:
      return kRatioUnits;
    case Field::step:
    case Field::loss:
      break;
  }
  return {};
}

std::optional<double> scale_of(Field field, std::string_view unit) {
  for (const Unit& known : units_of(field)) {
    if (known.name == unit) return known.scale;
  }
  return std::nullopt;
}

struct Column {
  Field field = Field::step;
  std::string name;
  std::optional<double> scale;  // nothing: a unit behind the value counts, else the base unit
};

Error unknown_field(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [field, id] : kFields) known.emplace_back(field);
  Error failure = error("unknown field '" + name + "' of a log", did_you_mean(name, known));
  failure.expected = fmt::format("one of {}", fmt::join(known, ", "));
  return failure;
}

Result<Column> make_column(const std::string& field, const LogColumn& column) {
  for (const auto& [name, id] : kFields) {
    if (name != field) continue;
    Column made{.field = id, .name = column.name, .scale = std::nullopt};
    if (column.unit.empty()) return made;
    made.scale = scale_of(id, column.unit);
    if (made.scale) return made;
    Error failure = error(fmt::format("unknown unit '{}' of the log's field '{}'", column.unit, field));
    for (const Unit& known : units_of(id))
      failure.expected += fmt::format("{}{}", failure.expected.empty() ? "" : ", ", known.name);
    return failure;
  }
  return unknown_field(field);
}

// "step_time_ms": a field and its unit.
Result<Column> make_group(const std::string& group) {
  std::string field = group;
  LogColumn column{.name = group, .unit = {}};
  const auto is_field = [](std::string_view name) {
    return std::any_of(kFields.begin(), kFields.end(), [&](const auto& known) { return known.first == name; });
  };
  if (const std::size_t at = group.rfind('_');
      !is_field(group) && at != std::string::npos && is_field(group.substr(0, at))) {
    field = group.substr(0, at);
    column.unit = group.substr(at + 1);
  }
  return make_column(field, column);
}

class CustomFormat final : public RunLogFormat {
 public:
  CustomFormat(std::vector<Column> columns, std::optional<Pattern> pattern)
      : columns_(std::move(columns)), pattern_(std::move(pattern)), values_(columns_.size()), cells_(columns_.size()) {
    has_step_column_ =
        std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.field == Field::step; });
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
  static void set(const Column& column, std::string_view value, StepLine& step);
  void drop_cut_value(std::string_view text);

  std::vector<Column> columns_;
  std::optional<Pattern> pattern_;
  std::vector<std::string_view> values_;  // of one line, by column; empty: not there
  std::vector<std::string> json_values_;  // what `values_` views in a JSON line
  char separator_ = 0;                    // of the table whose header was seen
  std::vector<std::size_t> cells_;        // position of each column in it
  bool has_step_column_ = false;
  std::int64_t next_index_ = 0;  // without a step column
};

std::string_view unquoted(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
  return cell;
}

bool CustomFormat::read_header(std::string_view text) {
  for (char separator : {'\t', ',', ';'}) {
    const auto cells = split(text, separator);
    if (cells.size() < columns_.size() || cells.size() < 2) continue;
    std::vector<std::size_t> found;
    for (const Column& column : columns_) {
      const auto at =
          std::find_if(cells.begin(), cells.end(), [&](auto cell) { return unquoted(cell) == column.name; });
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
  const auto cells = split(text, separator_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    values_[i] = cells_[i] < cells.size() ? unquoted(cells[cells_[i]]) : std::string_view{};
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

// "893.76ms" or "39.7%" by their own unit unless the column has one; nothing when it is no number.
std::optional<double> number_of(const Column& column, std::string_view value) {
  if (const auto number = parse_number(value)) return *number * column.scale.value_or(1);
  const auto leading = parse_leading_number(value);
  if (!leading) return std::nullopt;
  const auto own = scale_of(column.field, trim(leading->rest));
  if (!own && !column.scale) return std::nullopt;
  return leading->value * column.scale.value_or(own.value_or(1));
}

void CustomFormat::set(const Column& column, std::string_view value, StepLine& step) {
  if (column.field == Field::timestamp) {
    if (const auto time = parse_leading_time(value)) {
      step.timestamp_s = time->seconds;
      return;
    }
  }
  const auto number = number_of(column, value);
  if (!number) {
    if (column.field != Field::loss) ++step.unreadable;
    return;
  }
  switch (column.field) {
    case Field::step:
      break;
    case Field::step_time:
      step.duration_s = *number;
      break;
    case Field::tokens:
      step.tokens = *number;
      break;
    case Field::samples:
      step.samples = *number;
      break;
    case Field::loss:
      step.loss = *number;
      break;
    case Field::timestamp:
      step.timestamp_s = *number;
      break;
    case Field::tokens_per_s:
      step.claimed_tokens_per_s = *number;
      break;
    case Field::tflops:
      step.claimed_tflops = *number;
      break;
    case Field::mfu:
      step.claimed_mfu = *number;
      break;
  }
}

// "10", "10:", "10/1000".
std::optional<std::int64_t> index_of(std::string_view value) {
  return parse_integer(value.substr(0, value.find_first_of(":/")));
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
    if (columns_[i].field == Field::step) {
      index = index_of(values_[i]);
    } else {
      has_other_field = true;
      set(columns_[i], values_[i], step);
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
  std::vector<Column> columns;
  std::optional<Pattern> pattern;
  if (!options.regex.empty()) {
    NAMEPLATE_TRY(Pattern compiled, Pattern::compile(options.regex));
    for (const std::string& group : compiled.group_names()) {
      NAMEPLATE_TRY(Column column, make_group(group));
      columns.push_back(std::move(column));
    }
    pattern = std::move(compiled);
  } else {
    for (const auto& [field, column] : options.columns) {
      NAMEPLATE_TRY(Column made, make_column(field, column));
      if (made.name.empty()) return error("the log's field '" + field + "' names no column");
      columns.push_back(std::move(made));
    }
  }
  return std::unique_ptr<RunLogFormat>(std::make_unique<CustomFormat>(std::move(columns), std::move(pattern)));
}

}  // namespace nameplate
