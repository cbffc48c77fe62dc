// A run's history out of Weights & Biases: JSON Lines (wandb-history.jsonl, Run.scan_history), or CSV as Run.history
// and the web page export it.
//
//   {"_step": 10, "_timestamp": 1714990000.5, "_runtime": 60.5, "train/loss": 2.5, "train/global_step": 100}
//   "Step","run-7 - train/loss","run-7 - train/loss__MIN",…
//
// Names stand for fields as scalar_names.h has them. `_step` counts calls of wandb.log and numbers the rows only where
// the program logs no step of its own. The web page samples a history: rows are then not every step, and their clock's
// differences are still right. An entry without a known name (an evaluation, system metrics) is no row.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/node.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/scalar_names.h"
#include "nameplate/inputs/table_cells.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kRunMark = " - ";  // "run-7 - train/loss" in the page's export

// Without the run's name in front.
std::string_view metric_name(std::string_view column) {
  const std::size_t at = column.find(kRunMark);
  return at == kNone ? column : column.substr(at + kRunMark.size());
}

bool is_header(std::string_view text) {
  if (text.find(',') == kNone || text.starts_with("{")) return false;
  if (text.find("_step") == kNone && text.find(kRunMark) == kNone) return false;
  std::vector<std::string_view> cells;
  split_cells(text, ',', cells);
  bool has_own_step = false;
  for (const std::string_view cell : cells) has_own_step |= cell == "_step";
  return has_own_step || (cells[0] == "Step" && cells[1].find(kRunMark) != kNone);
}

class WandbFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "wandb"; }
  bool is_step_line(std::string_view text) const override {
    return (text.starts_with("{") && text.find("\"_step\":") != kNone) || is_header(text);
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override { return names_.claims(); }

 private:
  struct Row {
    StepLine step;
    std::optional<std::int64_t> index;
    std::optional<std::int64_t> own_step;  // _step
    Maybe runtime_s;
    bool has_field = false;
  };
  void set(std::string_view name, double value, Row& row);
  void add(const Row& row, RunLogBuilder& builder);
  void read_json(const LogLine& line, RunLogBuilder& builder);
  void read_cells(const LogLine& line, RunLogBuilder& builder);

  ScalarNames names_;
  std::vector<std::string> header_;
  std::string index_name_;  // the first name seen that numbers the rows
};

std::optional<std::int64_t> whole(double value) {
  if (!(value >= -9e15 && value <= 9e15) || value != static_cast<double>(static_cast<std::int64_t>(value))) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

void WandbFormat::set(std::string_view name, double value, Row& row) {
  if (name == "_step" || name == "Step") {
    row.own_step = whole(value);
  } else if (name == "_timestamp") {
    row.step.timestamp_s = value;
  } else if (name == "_runtime") {
    row.runtime_s = value;
  } else if (names_.is_index(name)) {
    if (index_name_.empty()) index_name_ = name;
    if (index_name_ == name) row.index = whole(value);
  } else {
    row.has_field |= names_.set(name, value, row.step);
  }
}

void WandbFormat::add(const Row& row, RunLogBuilder& builder) {
  if (!row.has_field) return;
  StepLine step = row.step;
  if (!step.timestamp_s) step.timestamp_s = row.runtime_s;
  const auto index = index_name_.empty() ? row.own_step : row.index;
  if (!index) return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
  step.index = *index;
  builder.add_step(step);
}

void WandbFormat::read_json(const LogLine& line, RunLogBuilder& builder) {
  const auto parsed = parse_json(line.text, {});
  if (!parsed.ok()) {
    return builder.add_defect({"log.unreadable_json", {}}, line.is_cut ? Severity::info : Severity::data_loss);
  }
  Row row;
  for (const auto& [name, value] : parsed->root.members) {
    if (const auto number = value.as_number()) set(name, *number, row);
  }
  add(row, builder);
}

void WandbFormat::read_cells(const LogLine& line, RunLogBuilder& builder) {
  std::vector<std::string_view> cells;
  split_cells(line.whole, ',', cells);
  const std::size_t count = std::min(cells.size(), header_.size()) - (line.is_cut ? 1 : 0);
  Row row;
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto number = parse_number(cells[i])) set(header_[i], *number, row);
  }
  add(row, builder);
}

void WandbFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (line.text.starts_with("{")) return read_json(line, builder);
  if (!is_header(line.whole)) {
    if (!header_.empty()) read_cells(line, builder);
    return;
  }
  std::vector<std::string_view> cells;
  split_cells(line.whole, ',', cells);
  header_.clear();
  for (const std::string_view cell : cells) header_.emplace_back(metric_name(cell));
}

}  // namespace

std::unique_ptr<RunLogFormat> make_wandb_format() { return std::make_unique<WandbFormat>(); }

}  // namespace nameplate
