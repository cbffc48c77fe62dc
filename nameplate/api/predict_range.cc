#include "nameplate/api/predict_range.h"

#include <fmt/format.h>

#include "nameplate/inputs/memory_calibration.h"

namespace nameplate {
namespace {

constexpr std::size_t kMostPoints = 2000;

struct RangeFigure {
  const char* id;
  const char* unit;
  double (*of)(const Prediction&);
};
constexpr RangeFigure kFigures[] = {
    {"step_time_s", "s", [](const Prediction& p) { return p.step_time.base(); }},
    {"tokens_per_s_per_gpu", "token/s", [](const Prediction& p) { return p.tokens_per_s_per_gpu(); }},
    {"mfu_step_ratio", "1", [](const Prediction& p) { return p.mfu(); }},
    {"exposed_communication_ratio", "1", [](const Prediction& p) { return p.exposed_communication() / p.step_time; }},
    {"pipeline_bubble_ratio", "1",
     [](const Prediction& p) { return p.ledger.share(LedgerRow::pipeline_bubble).value_or(0); }},
};

std::string fits(const Prediction& p) {
  if (!p.memory || !p.setup.capacity) return "";
  const Bytes usable = *p.setup.capacity - MemoryCalibration::embedded().outside_allocator;
  return p.memory->peak().reserved() <= usable ? "yes" : "no";
}

void add_columns(Table& table) {
  for (const RangeFigure& figure : kFigures) table.columns.push_back({figure.id, figure.unit});
  const Column rest[] = {{"memory_peak_bytes", "B"}, {"fits", ""}, {"step_time_low_s", "s"}, {"step_time_high_s", "s"}};
  table.columns.insert(table.columns.end(), std::begin(rest), std::end(rest));
}

void add_cells(const Prediction& p, std::vector<Cell>& row) {
  for (const RangeFigure& figure : kFigures) row.push_back(figure.of(p));
  row.push_back(p.memory ? Cell(p.memory->peak().allocated().base()) : Cell());
  row.insert(row.end(), {fits(p), p.low.base(), p.high.base()});
}

Table range_table(const std::vector<ValueRange>& ranges) {
  Table table{.id = "range"};
  for (const ValueRange& range : ranges) table.columns.push_back({range.key, range.unit});
  table.columns.push_back({"reason", ""});
  add_columns(table);
  return table;
}

void add_point(const Result<Prediction>& p, std::vector<Cell> row, Table& table) {
  row.push_back(p.ok() ? Cell() : Cell(p.error().found));
  if (p.ok()) add_cells(*p, row);
  row.resize(table.columns.size());
  table.rows.push_back(std::move(row));
}

Result<Prediction> predict_point(const PredictRequest& request, const Settings& settings, const Catalogue& catalogue) {
  NAMEPLATE_TRY(const LoadedRun run, load_plan(request, settings));
  return predict_run(run, catalogue);
}

void drop_column(Table& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
}

// Counts `at` on through all combinations of the ranges' values; false after the last.
bool next_point(const std::vector<ValueRange>& ranges, std::vector<std::size_t>& at) {
  for (std::size_t r = at.size(); r-- > 0;) {
    if (++at[r] < ranges[r].values.size()) return true;
    at[r] = 0;
  }
  return false;
}

void add_range_figure(const ValueRange& range, Document& d) {
  d.figures.push_back({"range",
                       FigureKind::line,
                       "range",
                       range.key,
                       {"step_time_s", "step_time_low_s", "step_time_high_s"},
                       {"predict.figure.range", {{"key", range.key}}}});
}

}  // namespace

Table what_if_table(const Prediction& before, const Prediction& after) {
  Table table{.id = "what_if", .columns = {{"case", ""}}};
  add_columns(table);
  table.rows = {{std::string("without")}, {std::string("with")}};
  add_cells(before, table.rows[0]);
  add_cells(after, table.rows[1]);
  return table;
}

Result<LoadedRun> load_plan(const PredictRequest& request, const Settings& settings) {
  LoadRequest load_request;
  load_request.paths = request.paths;
  load_request.settings = settings;
  load_request.data_directory = request.data_directory;
  load_request.replans = true;
  return load(load_request);
}

Result<SplitSettings> split_settings(const Settings& settings) {
  SplitSettings split;
  for (const auto& [key, value] : settings) {
    NAMEPLATE_TRY(std::optional<ValueRange> range, parse_range(key, value));
    if (range)
      split.ranges.push_back(std::move(*range));
    else
      split.plain.emplace_back(key, value);
  }
  std::size_t points = 1;
  for (const ValueRange& range : split.ranges) points *= range.values.size();
  if (points > kMostPoints) return error(fmt::format("{} combinations of ranges", points), "at most 2000");
  return split;
}

Result<Document> predict_ranges(const PredictRequest& request, const SplitSettings& split, const Catalogue& catalogue) {
  Table table = range_table(split.ranges);
  std::optional<Error> last_error;
  bool any = false;
  std::vector<std::size_t> at(split.ranges.size(), 0);
  do {
    Settings settings = split.plain;
    std::vector<Cell> row;
    for (std::size_t r = 0; r < at.size(); ++r) {
      settings.emplace_back(split.ranges[r].key, split.ranges[r].values[at[r]]);
      row.push_back(split.ranges[r].numbers[at[r]]);
    }
    const Result<Prediction> point = predict_point(request, settings, catalogue);
    any |= point.ok();
    if (!point.ok()) last_error = point.error();
    add_point(point, std::move(row), table);
  } while (next_point(split.ranges, at));
  if (!any) return *last_error;
  if (!last_error) drop_column(table, split.ranges.size());
  Document d;
  d.command = "predict";
  d.title = {"predict.range_title", {{"points", static_cast<std::int64_t>(table.rows.size())}}};
  if (split.ranges.size() == 1) add_range_figure(split.ranges[0], d);
  d.tables.push_back(std::move(table));
  return d;
}

}  // namespace nameplate
