#include "nameplate/api/predict_range.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "nameplate/inputs/memory_calibration.h"

namespace nameplate {
namespace {

constexpr std::size_t kMostPoints = 2000;
constexpr std::size_t kShownPoints = 24;
constexpr std::size_t kShownReasons = 3;

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
  add_columns(table);
  table.columns.push_back({"reason", ""});
  return table;
}

// One combination of the ranges' values, predicted or with the reason why it cannot be.
struct Point {
  std::vector<Cell> at;
  std::string words;  // "plan.tp=4 plan.pp=8"
  Result<Prediction> result;
  std::string run_name;

  bool possible() const { return result.ok(); }
  double rate() const { return result.ok() ? result->tokens_per_s_per_gpu() : 0; }
};

Point predict_point(const PredictRequest& request, const Settings& settings, const Catalogue& catalogue) {
  const Result<LoadedRun> run = load_plan(request, settings);
  if (!run.ok()) return {.result = run.error()};
  return {.result = predict_run(*run, catalogue), .run_name = run->name};
}

std::vector<Cell> row_of(const Point& point, const Table& table) {
  std::vector<Cell> row = point.at;
  if (point.possible()) add_cells(*point.result, row);
  row.resize(table.columns.size());
  if (!point.possible()) row.back() = point.result.error().found;
  return row;
}

// What cannot be, by reason, the most frequent first: a table, and its first rows as sentences, which are not cut.
void add_reasons(const std::vector<Point>& points, Document& d) {
  std::map<std::string, std::int64_t> counts;
  for (const Point& point : points) {
    if (!point.possible()) ++counts[point.result.error().found];
  }
  std::vector<std::pair<std::string, std::int64_t>> reasons(counts.begin(), counts.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Table table{.id = "range_left_out", .columns = {{"points", ""}, {"reason", ""}}, .text_hidden = true};
  for (const auto& [reason, count] : reasons) {
    if (table.rows.size() < kShownReasons)
      d.notes.push_back({"predict.range_reason", {{"points", count}, {"reason", reason}}});
    table.rows.push_back({Int128{count}, reason});
  }
  if (reasons.size() > kShownReasons) {
    d.notes.push_back(
        {"predict.range_other_reasons", {{"reasons", static_cast<std::int64_t>(reasons.size() - kShownReasons)}}});
  }
  if (!reasons.empty()) d.tables.push_back(std::move(table));
}

// What every point takes for granted.
std::vector<Assumption> common_assumptions(const std::vector<Point>& points) {
  std::vector<Assumption> common = points.front().result->setup.step.assumptions;
  for (const Point& point : points) {
    if (!point.possible()) continue;
    const std::vector<Assumption>& of_point = point.result->setup.step.assumptions;
    std::erase_if(common, [&](const Assumption& each) {
      return std::find(of_point.begin(), of_point.end(), each) == of_point.end();
    });
  }
  return common;
}

// The point of the most tokens per second among those that fit, and the run as it stands.
void add_range_notes(const std::vector<Point>& points, const std::optional<Prediction>& baseline, Document& d) {
  const Point* best = nullptr;
  for (const Point& point : points) {
    if (!point.possible() || fits(*point.result) == "no") continue;
    if (best == nullptr || point.rate() > best->rate()) best = &point;
  }
  if (best == nullptr) {
    d.notes.push_back({"predict.range_none_fits", {}});
  } else {
    d.notes.push_back(
        {"predict.range_best",
         {{"point", best->words}, {"time", best->result->step_time.base()}, {"mfu", best->result->mfu()}}});
  }
  if (baseline) {
    d.notes.push_back({"predict.range_baseline", {{"time", baseline->step_time.base()}, {"mfu", baseline->mfu()}}});
  }
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

std::optional<Prediction> baseline_of(const PredictRequest& request, const SplitSettings& split,
                                      const Catalogue& catalogue) {
  if (request.paths.empty()) return std::nullopt;
  const Point point = predict_point(request, split.plain, catalogue);
  return point.possible() ? std::optional(*point.result) : std::nullopt;
}

// `points`: the possible ones first.
Document range_document(const std::vector<Point>& points, const SplitSettings& split,
                        const std::optional<Prediction>& baseline) {
  const auto possible = static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const Point& p) { return p.possible(); }));
  Table table = range_table(split.ranges);
  for (const Point& point : points) table.rows.push_back(row_of(point, table));
  table.text_rows = std::min(possible, kShownPoints);
  table.text_columns = table.columns.size() - 1;
  Document d;
  d.command = "predict";
  d.title = {"predict.range_title",
             {{"name", points.front().run_name},
              {"possible", static_cast<std::int64_t>(possible)},
              {"points", std::ssize(points)},
              {"accelerator", points.front().result->setup.step.device.sku}}};
  add_range_notes(points, baseline, d);
  if (possible == points.size()) drop_column(table, table.columns.size() - 1);
  if (split.ranges.size() == 1) add_range_figure(split.ranges[0], d);
  d.tables.push_back(std::move(table));
  add_reasons(points, d);
  d.assumptions = common_assumptions(points);
  return d;
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
  std::vector<Point> points;
  std::vector<std::size_t> at(split.ranges.size(), 0);
  do {
    Settings settings = split.plain;
    std::vector<Cell> cells;
    std::string words;
    for (std::size_t r = 0; r < at.size(); ++r) {
      const ValueRange& range = split.ranges[r];
      settings.emplace_back(range.key, range.values[at[r]]);
      cells.push_back(range.numbers[at[r]]);
      words += fmt::format("{}{}={}", r > 0 ? " " : "", range.key, range.values[at[r]]);
    }
    points.push_back(predict_point(request, settings, catalogue));
    points.back().at = std::move(cells);
    points.back().words = std::move(words);
  } while (next_point(split.ranges, at));
  const Error last_error = points.back().possible() ? Error{} : points.back().result.error();
  // One range stays in its order, for the plot; of several the best come first.
  std::stable_sort(points.begin(), points.end(), [&](const Point& a, const Point& b) {
    return at.size() == 1 || !a.possible() || !b.possible() ? a.possible() && !b.possible() : a.rate() > b.rate();
  });
  if (!points.front().possible()) return last_error;
  return range_document(points, split, baseline_of(request, split, catalogue));
}

}  // namespace nameplate
