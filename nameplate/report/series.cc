#include "nameplate/report/series.h"

#include <algorithm>
#include <cmath>

#include "nameplate/report/axis.h"

namespace nameplate {

std::optional<std::size_t> column_index(const Table& table, std::string_view id) {
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& column) { return column.id == id; });
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::optional<double> drawable(const Table& table, std::size_t row, std::size_t column) {
  if (column >= table.rows[row].size()) return std::nullopt;
  const Cell& cell = table.rows[row][column];
  if (const Int128* exact = std::get_if<Int128>(&cell)) return to_double(*exact);
  const double* number = std::get_if<double>(&cell);
  // The comparison is false for NaN, too.
  return number != nullptr && std::abs(*number) <= kLargestDrawn ? std::optional(*number) : std::nullopt;
}

std::vector<std::vector<Point>> polylines(const Table& table, std::optional<std::size_t> x, std::size_t y) {
  std::vector<std::vector<Point>> lines(1);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::optional<double> at = x ? drawable(table, row, *x) : static_cast<double>(row);
    const std::optional<double> value = drawable(table, row, y);
    const bool ends = !at || !value || (!lines.back().empty() && *at < lines.back().back().x);
    if (ends && !lines.back().empty()) lines.emplace_back();
    if (at && value) lines.back().push_back({*at, *value});
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<Point> decimated(const std::vector<Point>& points, std::size_t most) {
  if (points.size() <= most || most < 4) return points;
  const double first = points.front().x;
  // Of no width, all points are one stretch; the last point falls into the last stretch, not behind it.
  const double width = std::max((points.back().x - first) / static_cast<double>(most / 4) * (1 + 1e-9), 1e-300);
  std::vector<Point> kept;
  for (std::size_t begin = 0; begin < points.size();) {
    const double stretch = std::floor((points[begin].x - first) / width);
    std::size_t end = begin + 1;
    while (end < points.size() && std::floor((points[end].x - first) / width) == stretch) ++end;
    const auto by_height = [](const Point& a, const Point& b) { return a.y < b.y; };
    const auto [low, high] = std::minmax_element(points.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 points.begin() + static_cast<std::ptrdiff_t>(end), by_height);
    const Point* ends[] = {&points[begin], std::min(&*low, &*high), std::max(&*low, &*high), &points[end - 1]};
    const Point* last = nullptr;
    for (const Point* point : ends) {
      if (point != last) kept.push_back(*point);
      last = point;
    }
    begin = end;
  }
  return kept;
}

}  // namespace nameplate
