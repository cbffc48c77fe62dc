// Columns of a table as points to draw, and fewer points for the same picture.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/report/document.h"

namespace nameplate {

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

std::optional<std::size_t> column_index(const Table& table, std::string_view id);
// The figure in a cell, if there is one that can be drawn.
std::optional<double> drawable(const Table& table, std::size_t row, std::size_t column);
// One polyline for every stretch without gaps: an absent figure ends it, and so does an x that goes back (a restart).
// Without a column `x`, rows are numbered from 0.
std::vector<std::vector<Point>> polylines(const Table& table, std::optional<std::size_t> x, std::size_t y);

// At most `most` points that draw the same line, as far as can be seen: of each of most / 4 equal stretches of x, the
// first, lowest, highest and last point (M4: Jugel, Jerzak, Hackenbroich, Markl, VLDB 2014). `points` in ascending x.
std::vector<Point> decimated(const std::vector<Point>& points, std::size_t most);

}  // namespace nameplate
