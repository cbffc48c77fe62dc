// A heat map: a line for each name, a cell for each x in it, the darker the larger its ratio. Internal to report/.
#pragma once

#include <cstddef>
#include <string>

#include "nameplate/report/document.h"

namespace nameplate {

struct HeatmapColumns {
  std::size_t x = 0;      // what cells of a line are told apart by
  std::size_t line = 0;   // names of the lines
  std::size_t value = 0;  // ratios
};

struct Heatmap {
  std::string body;  // empty: nothing above zero
  double height = 0;
};

// Rows of one x follow each other. Beyond kMostCells a cell is the mean of neighbours.
inline constexpr std::size_t kMostCells = 230;
Heatmap draw_heatmap(const Table& table, const HeatmapColumns& columns, const std::string& language);

}  // namespace nameplate
