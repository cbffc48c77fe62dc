#include "nameplate/report/figure_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nameplate/report/heatmap_svg.h"
#include "nameplate/report/html_text.h"
#include "nameplate/report/sentences.h"
#include "nameplate/report/shown.h"
#include "nameplate/report/svg_chart.h"
#include "nameplate/report/text_layout.h"

namespace nameplate {
namespace {

constexpr std::size_t kMostLinePoints = 2400;  // four for each column of pixels
constexpr std::size_t kMostDots = 4000;
constexpr std::size_t kMostBars = 40;
constexpr double kBarRow = 22;     // height of one row of a figure with horizontal bars
constexpr double kBarLabel = 210;  // room for the names left of the bars
constexpr double kBarText = 140;   // room for the figures right of them
constexpr std::size_t kMostLabel = 32;

// The drawing, and the height that it takes.
struct Drawing {
  std::string body;
  double height = 0;
};

std::string colour_of_series(std::size_t series) { return fmt::format("s{}", series % kSeriesColours); }

// A table with the columns that a figure names; y columns that are missing are left out.
struct Source {
  const Table& table;
  std::optional<std::size_t> x;
  std::vector<std::size_t> y;

  Source(const Table& of, const Figure& figure) : table(of), x(column_index(of, figure.x)) {
    for (const std::string& id : figure.y) {
      if (const std::optional<std::size_t> found = column_index(of, id)) y.push_back(*found);
    }
  }
  Column x_column() const { return x ? table.columns[*x] : Column{"row", "1"}; }
  const Column& y_column(std::size_t series) const { return table.columns[y[series]]; }
};

// What the y axis is called: the name of a single series; more of them are told apart by a legend.
std::string y_label(const Source& source, const std::string& language) {
  return source.y.size() == 1 ? show_label("column", source.y_column(0).id, language) : std::string();
}

std::string legend(const Source& source, const std::string& language) {
  if (source.y.size() < 2) return {};
  std::string out;
  double x = 70;
  for (std::size_t s = 0; s < source.y.size() && x < kSvgWidth - 60; ++s) {
    const std::string name = cut(show_label("column", source.y_column(s).id, language), kMostLabel);
    out += svg_rect(colour_of_series(s), x, 5, 10, 10) + svg_text(x + 14, 14, "start", html(name));
    x += 30 + 6.5 * static_cast<double>(name.size());
  }
  return out;
}

struct SeriesPoints {
  std::vector<std::vector<std::vector<Point>>> lines;  // by series
  AxisRange x_range;
  AxisRange y_range;
};

SeriesPoints points_of(const Source& source) {
  SeriesPoints points;
  for (const std::size_t column : source.y) {
    points.lines.push_back(polylines(source.table, source.x, column));
    for (const std::vector<Point>& line : points.lines.back()) {
      for (const Point& point : line) {
        points.x_range.include(point.x);
        points.y_range.include(point.y);
      }
    }
  }
  return points;
}

// A point alone is drawn as a line without length, which its round ends make visible.
std::string path_of_line(const SvgChart& chart, const std::vector<Point>& line) {
  std::string path;
  for (const Point& point : line) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', chart.x(point.x), chart.y(point.y));
  }
  return line.size() == 1 ? path + "h0" : path;
}

Drawing draw_lines(const Source& source, const std::string& language) {
  const SeriesPoints points = points_of(source);
  if (points.y_range.empty) return {};
  const SvgChart chart(source.x_column(), points.x_range, source.y_column(0), points.y_range);
  std::string body = chart.frame(show_label("column", source.x_column().id, language), y_label(source, language));
  for (std::size_t s = 0; s < points.lines.size(); ++s) {
    // Many short stretches share the number of points; past it only every n-th stretch is drawn.
    const std::size_t stretches = points.lines[s].size();
    const std::size_t each = std::max<std::size_t>(4, kMostLinePoints / std::max<std::size_t>(stretches, 1));
    const std::size_t stride = stretches / kMostLinePoints + 1;
    std::string path;
    for (std::size_t i = 0; i < stretches; i += stride)
      path += path_of_line(chart, decimated(points.lines[s][i], each));
    body += fmt::format(R"(<path class="line {}" d="{}"/>)", colour_of_series(s), path);
  }
  return {body + legend(source, language), chart.height()};
}

Drawing draw_dots(const Source& source, const std::string& language) {
  const SeriesPoints points = points_of(source);
  if (points.y_range.empty) return {};
  const SvgChart chart(source.x_column(), points.x_range, source.y_column(0), points.y_range);
  std::string body = chart.frame(show_label("column", source.x_column().id, language), y_label(source, language));
  const std::size_t stride = source.table.rows.size() * source.y.size() / kMostDots + 1;
  for (std::size_t s = 0; s < points.lines.size(); ++s) {
    std::string path;
    std::size_t seen = 0;
    for (const std::vector<Point>& line : points.lines[s]) {
      for (const Point& point : line) {
        if (seen++ % stride == 0) path += fmt::format("M{:.1f} {:.1f}h0", chart.x(point.x), chart.y(point.y));
      }
    }
    body += fmt::format(R"(<path class="dots {}" d="{}"/>)", colour_of_series(s), path);
  }
  return {body + legend(source, language), chart.height()};
}

// Bins of equal width by the rule of Freedman and Diaconis (1981): 2 IQR / cube root of n; 1 to 60 of them. `sorted` is
// not empty.
std::vector<std::size_t> bins(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  const double range = sorted.back() - sorted.front();
  const double width = 2 * (sorted[n * 3 / 4] - sorted[n / 4]) / std::cbrt(static_cast<double>(n));
  const double wanted = width > 0 ? range / width : 10;
  const std::size_t count = range > 0 ? static_cast<std::size_t>(std::clamp(std::ceil(wanted), 1.0, 60.0)) : 1;
  std::vector<std::size_t> counts(count, 0);
  for (const double value : sorted) {
    const double at = range > 0 ? (value - sorted.front()) / range * static_cast<double>(count) : 0;
    ++counts[std::min(static_cast<std::size_t>(at), count - 1)];
  }
  return counts;
}

// The distribution of column x; the table holds the single values.
Drawing draw_histogram(const Source& source, const std::string& language) {
  std::vector<double> values;
  for (std::size_t row = 0; source.x && row < source.table.rows.size(); ++row) {
    if (const std::optional<double> value = drawable(source.table, row, *source.x)) values.push_back(*value);
  }
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::vector<std::size_t> counts = bins(values);
  const double highest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const SvgChart chart(source.x_column(), {values.front(), values.back(), false}, {"count", "1"}, {0, highest, false});
  std::string body = chart.frame(show_label("column", source.x_column().id, language), label("text.count", language));
  const double width = (values.back() - values.front()) / static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double left = chart.x(values.front() + width * static_cast<double>(i));
    const double right = width > 0 ? chart.x(values.front() + width * static_cast<double>(i + 1)) : left + 12;
    const double top = chart.y(static_cast<double>(counts[i]));
    body += svg_rect("s0", left, top, std::max(right - left - 1, 1.0), chart.y(0) - top);
  }
  return {body, chart.height()};
}

// A row of a figure with horizontal bars: its name at the left, what it says right of the bar.
std::string bar_row(std::size_t row, std::string_view name, const std::string& bar, double text_x,
                    std::string_view text) {
  const double y = kBarRow * static_cast<double>(row);
  return svg_text(kBarLabel - 8, y + 15, "end", html(cut(name, kMostLabel))) + bar +
         svg_text(text_x, y + 15, "start", html(text));
}

// From share 0..`most` to the pixels right of the names.
double bar_x(double value, double most) { return kBarLabel + value / most * (kSvgWidth - kBarLabel - kBarText); }

Drawing draw_bars(const Source& source, const std::string& language) {
  if (source.y.empty()) return {};
  const ShownTable shown = show(source.table, kMostBars, language);
  const std::size_t column = source.y[0];
  double most = 0, least = 0;
  for (std::size_t row = 0; row < shown.rows.size(); ++row) {
    const double value = drawable(source.table, row, column).value_or(0);
    most = std::max(most, value);
    least = std::min(least, value);
  }
  if (most <= least) return {};
  // Values below zero go left of where the others begin.
  const double zero = bar_x(-least, most - least);
  std::string body;
  for (std::size_t row = 0; row < shown.rows.size(); ++row) {
    const double value = drawable(source.table, row, column).value_or(0);
    const double end = bar_x(value - least, most - least);
    const std::string name = source.x ? shown.rows[row][*source.x] : fmt::format("{}", row + 1);
    const std::string bar = svg_rect(value < 0 ? "c-idle" : "s0", std::min(zero, end),
                                     kBarRow * static_cast<double>(row) + 3, std::abs(end - zero), 16);
    body +=
        bar_row(row, name, bar, std::max(zero, end) + 6, shown.rows[row][column] + " " + shown.columns[column].unit);
  }
  return {body, kBarRow * static_cast<double>(shown.rows.size())};
}

// One row a cause, each beginning where the one above ended, until model compute is left. A negative remainder goes the
// other way.
Drawing draw_waterfall(const Ledger& ledger, const Document& document, const std::string& language) {
  const ShownLedger shown = show(ledger, document, language);
  if (!(ledger.total() > 0)) return {};
  double most = 1;
  for (const ShownLedgerRow& row : shown.rows) most += std::max(-row.share, 0.0);
  std::string body = bar_row(0, shown.total_label, svg_rect("c-total", kBarLabel, 3, bar_x(1, most) - kBarLabel, 16),
                             bar_x(1, most) + 6, shown.total + " " + shown.unit);
  std::size_t drawn = 1;
  double left = 1;
  for (auto row = shown.rows.rbegin(); row != shown.rows.rend(); ++row) {
    if (row->share == 0) continue;
    const double from = bar_x(std::min(left, left - row->share), most);
    const double to = bar_x(std::max(left, left - row->share), most);
    left -= row->share;
    const double y = kBarRow * static_cast<double>(drawn) + 3;
    const std::string bar = svg_rect(colour_class(row->row), from, y, std::max(to - from, 1.0), 16);
    body += bar_row(drawn++, row->label, bar, to + 6, row->percent);
  }
  return {body, kBarRow * static_cast<double>(drawn)};
}

const Ledger* find_ledger(const Document& document, std::string_view table) {
  for (const Ledger& ledger : document.ledgers) {
    if (table == fmt::format("ledger:{}", name(ledger.scope()))) return &ledger;
  }
  return nullptr;
}

Drawing draw(const Document& document, const Figure& figure, const std::string& language) {
  if (figure.kind == FigureKind::waterfall) {
    const Ledger* ledger = find_ledger(document, figure.table);
    return ledger == nullptr ? Drawing{} : draw_waterfall(*ledger, document, language);
  }
  const Table* table = document.find_table(figure.table);
  if (table == nullptr) return {};
  const Source source(*table, figure);
  switch (figure.kind) {
    case FigureKind::line:
      return draw_lines(source, language);
    case FigureKind::scatter:
      return draw_dots(source, language);
    case FigureKind::bar:
      return draw_bars(source, language);
    case FigureKind::histogram:
      return draw_histogram(source, language);
    case FigureKind::heatmap: {
      if (!source.x || source.y.size() != 2) return {};
      Heatmap drawn = draw_heatmap(*table, {*source.x, source.y[0], source.y[1]}, language);
      return {std::move(drawn.body), drawn.height};
    }
    case FigureKind::waterfall:
      break;
  }
  return {};
}

// Those who do not see the picture are told what is on it and where to read the numbers.
std::string description(const Document& document, const Figure& figure, const std::string& language) {
  const Message message{
      "text.figure." + std::string(name(figure.kind)),
      {{"x", show_label("column", figure.x, language)},
       {"y", figure.y.empty() ? std::string() : show_label("column", figure.y[0], language)},
       {"table",
        document.find_table(figure.table) == nullptr ? std::string() : show_label("table", figure.table, language)}}};
  return show(message, language);
}

}  // namespace

std::string figure_svg(const Document& document, const Figure& figure, std::size_t number,
                       const std::string& language) {
  const Drawing drawing = draw(document, figure, language);
  if (drawing.body.empty()) return {};
  return fmt::format(R"(<svg viewBox="0 0 {0:.0f} {1:.0f}" role="img" aria-labelledby="f{2}-title f{2}-desc">)"
                     R"(<title id="f{2}-title">{3}</title><desc id="f{2}-desc">{4}</desc>{5}</svg>)",
                     kSvgWidth, drawing.height, number, html(show(figure.text, language)),
                     html(description(document, figure, language)), drawing.body);
}

}  // namespace nameplate
