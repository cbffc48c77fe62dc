#include "nameplate/report/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nameplate/report/format.h"
#include "nameplate/report/sentences.h"
#include "nameplate/report/utf8.h"

namespace nameplate {
namespace {

// Enough decimals to tell the ends of the interval apart, at most two more than the figure itself would have.
Scale interval_scale(const Value& value, Scale scale) {
  const double width = (*value.high - *value.low) / scale.divisor;
  if (scale.unit == "%" || !(width > 0)) return scale;
  const int needed = -static_cast<int>(std::floor(std::log10(width)));
  scale.decimals = std::clamp(needed, scale.decimals, scale.decimals + 2);
  return scale;
}

void show_with_interval(const Value& value, ShownValue& shown) {
  const double largest = std::abs(as_double(value.value));
  const Scale scale = interval_scale(value, scale_for(value.id, value.unit, largest));
  shown.number = in_scale(value.value, scale);
  shown.unit = scale.unit;
  shown.interval = fmt::format("{} .. {}", in_scale(*value.low, scale), in_scale(*value.high, scale));
}

// "3 min 20 s" keeps its last unit as the unit, so that numbers align on the right and units on the left.
void show_alone(const Value& value, ShownValue& shown) {
  const std::string text = human(value.id, value.value, value.unit);
  const bool has_unit = value.unit != "1" || value.id.ends_with("_ratio");
  const std::size_t space = has_unit ? text.rfind(' ') : std::string::npos;
  shown.number = text.substr(0, space);
  if (space != std::string::npos) shown.unit = one_line(text.substr(space + 1));
}

std::string show_worth(const Worth& worth, const std::string& language) {
  const std::string time = human({}, worth.accelerator_s, "accelerator_s");
  if (!worth.mfu_points) return time;
  std::string text = fmt::format("{} {}", significant(*worth.mfu_points * 100, 2), label("text.mfu_points", language));
  if (worth.low && worth.high) {
    text += fmt::format(" ({} .. {})", significant(*worth.low * 100, 2), significant(*worth.high * 100, 2));
  }
  return text + ", " + time;
}

bool is_number(const Cell& cell) {
  const double* number = std::get_if<double>(&cell);
  return std::holds_alternative<Int128>(cell) || (number != nullptr && std::isfinite(*number));
}

Number number_of(const Cell& cell) {
  if (const Int128* exact = std::get_if<Int128>(&cell)) return *exact;
  return std::get<double>(cell);
}

// Cells are found by position; a row that is too short has absent cells.
const Cell& cell_at(const std::vector<Cell>& row, std::size_t column) {
  static const Cell absent;
  return column < row.size() ? row[column] : absent;
}

// How large the figures of a column are.
struct Magnitude {
  double largest = 0;
  bool whole = true;
  void include(const Cell& cell) {
    if (!is_number(cell)) return;
    const double value = as_double(number_of(cell));
    largest = std::max(largest, std::abs(value));
    whole = whole && value == std::round(value);
  }
};

// One column as it is shown. A column of numbers has one scale, chosen for the largest of the figures shown.
class ColumnView {
 public:
  ColumnView(const Table& table, std::size_t index, std::size_t rows) : index_(index) {
    const Column& column = table.columns[index];
    Magnitude magnitude;
    bool has_text = false;
    is_bytes_ = column.unit == "B";
    for (std::size_t r = 0; r < rows; ++r) {
      const Cell& cell = cell_at(table.rows[r], index);
      has_text = has_text || std::holds_alternative<std::string>(cell);
      is_number_ = is_number_ || is_number(cell);
      magnitude.include(cell);
    }
    is_number_ = is_number_ && !has_text;
    const auto [largest, whole] = magnitude;
    scale_ = whole ? scale_for_integers(column.id, column.unit, largest) : scale_for(column.id, column.unit, largest);
  }

  bool is_number_column() const { return is_number_; }
  const std::string& unit() const { return scale_.unit; }
  std::string text(const std::vector<Cell>& row) const {
    const Cell& cell = cell_at(row, index_);
    if (const std::string* text = std::get_if<std::string>(&cell)) return one_line(*text);
    if (!is_number(cell)) return {};
    const Number number = number_of(cell);
    // Bytes too few for the column's unit say their own.
    const double magnitude = std::abs(as_double(number));
    const bool vanishes = magnitude > 0 && magnitude / scale_.divisor < 0.5 * std::pow(10, -scale_.decimals);
    return is_bytes_ && vanishes ? human({}, number, "B") : in_scale(number, scale_);
  }

 private:
  std::size_t index_;
  bool is_number_ = false;
  bool is_bytes_ = false;
  Scale scale_;
};

// The share of that row is the MFU only where there is one.
std::string_view model_compute_label(const Document& document) {
  const auto impossible = [](const Defect& defect) { return defect.message.id == "mfu.faster_than_peak"; };
  if (document.find_value("mfu_step_ratio") != nullptr) return "model_compute";
  if (std::any_of(document.defects.begin(), document.defects.end(), impossible)) return "model_compute.as_stated";
  return document.find_value("mfu_step_least_ratio") != nullptr ? "model_compute.so_far" : "model_compute";
}

}  // namespace

std::string show_label(std::string_view kind, std::string_view id, const std::string& language) {
  const std::string specific = fmt::format("{}.{}", kind, id);
  const std::string found = label(specific, language);
  return one_line(found == specific ? label(id, language) : found);
}

ShownValue show(const Value& value, const std::string& language) {
  ShownValue shown;
  shown.label = one_line(label(value.id, language));
  if (value.low && value.high && std::isfinite(*value.low) && std::isfinite(*value.high)) {
    show_with_interval(value, shown);
  } else {
    show_alone(value, shown);
  }
  shown.convention = one_line(value.convention);
  shown.source = one_line(value.source);
  return shown;
}

ShownLedger show(const Ledger& ledger, const Document& document, const std::string& language) {
  ShownLedger shown;
  const bool of_capture = document.command == "trace" && document.find_value("step_time_s") == nullptr;
  shown.heading = show_label("ledger", of_capture ? "capture" : name(ledger.scope()), language);
  if (ledger.ranks_present() < ledger.ranks_total()) {
    const Message coverage{"text.ranks", {{"present", ledger.ranks_present()}, {"total", ledger.ranks_total()}}};
    shown.coverage = show(coverage, language);
  }
  const Scale scale = scale_for({}, "accelerator_s", std::abs(ledger.total()));
  shown.unit = scale.unit;
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const std::optional<double> value = ledger.value(row);
    if (!value) continue;
    const double share = ledger.share(row).value_or(0);
    const std::string_view id = row == LedgerRow::model_compute ? model_compute_label(document) : name(row);
    shown.rows.push_back({row, one_line(label(id, language)), share, percent(share), in_scale(*value, scale),
                          one_line(ledger.evidence(row))});
  }
  shown.total_label = label("text.total", language);
  shown.total = in_scale(ledger.total(), scale);
  return shown;
}

ShownTable show(const Table& table, std::size_t most_rows, const std::string& language) {
  ShownTable shown;
  shown.heading = show_label("table", table.id, language);
  const std::size_t rows = std::min(table.rows.size(), table.text_rows > 0 ? table.text_rows : most_rows);
  shown.rows_left_out = table.rows.size() - rows;
  shown.rows.resize(rows);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ColumnView view(table, c, rows);
    shown.columns.push_back(
        {show_label("column", table.columns[c].id, language), one_line(view.unit()), view.is_number_column()});
    for (std::size_t r = 0; r < rows; ++r) shown.rows[r].push_back(view.text(table.rows[r]));
  }
  return shown;
}

void leave_out_empty_columns(ShownTable& table) {
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    const auto at = static_cast<std::ptrdiff_t>(c);
    if (!std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[c].empty(); })) continue;
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + at);
  }
}

ShownFinding show(const Finding& finding, const std::string& language) {
  ShownFinding shown;
  shown.sentence = show(finding.message, language);
  if (finding.row) shown.row = one_line(label(name(*finding.row), language));
  if (finding.worth) shown.worth = show_worth(*finding.worth, language);
  const auto aspect = [&](const char* suffix) {
    const Message message{finding.message.id + suffix, finding.message.args};
    return has_sentence(message.id, language) ? show(message, language) : std::string();
  };
  shown.change = aspect(".change");
  shown.risk = aspect(".risk");
  for (const std::string& line : finding.evidence) shown.evidence.push_back(one_line(line));
  return shown;
}

ShownDefect show(const Defect& defect, const std::string& language) {
  return {label("severity." + std::string(name(defect.severity)), language), count(defect.count) + " x",
          show(defect.message, language)};
}

std::string show(const Message& message, const std::string& language) { return one_line(sentence(message, language)); }

}  // namespace nameplate
