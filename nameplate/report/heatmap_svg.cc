#include "nameplate/report/heatmap_svg.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "nameplate/report/html_text.h"
#include "nameplate/report/shown.h"
#include "nameplate/report/svg_chart.h"

namespace nameplate {
namespace {

constexpr double kLine = 20;
constexpr double kLeft = 210;  // room for the names
constexpr double kRight = 60;  // room for the largest ratio of a line

struct Line {
  std::string name;
  std::vector<double> sum;  // by cell
  double most = 0;          // of a single x
};

class Grid {
 public:
  Grid(const Table& table, const HeatmapColumns& columns) : columns_(columns) {
    std::vector<std::size_t> x_of_row;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (r == 0 || table.rows[r][columns.x] != table.rows[r - 1][columns.x]) ++count_;
      x_of_row.push_back(count_ - 1);
    }
    per_cell_ = (count_ + kMostCells - 1) / kMostCells;
    for (std::size_t r = 0; r < table.rows.size(); ++r) add(table.rows[r], x_of_row[r]);
  }

  std::size_t cells() const { return per_cell_ == 0 ? 0 : (count_ + per_cell_ - 1) / per_cell_; }
  const std::vector<Line>& lines() const { return lines_; }
  double most() const { return most_; }
  double mean(const Line& line, std::size_t cell) const {
    const std::size_t in_cell = std::min(per_cell_, count_ - cell * per_cell_);
    return line.sum[cell] / static_cast<double>(in_cell);
  }

 private:
  void add(const std::vector<Cell>& row, std::size_t x) {
    const auto* name = std::get_if<std::string>(&row[columns_.line]);
    const auto* value = std::get_if<double>(&row[columns_.value]);
    if (name == nullptr || value == nullptr || !(*value > 0)) return;
    const auto [place, is_new] = line_of_.try_emplace(*name, lines_.size());
    if (is_new) lines_.push_back({*name, std::vector<double>(cells()), 0});
    Line& line = lines_[place->second];
    line.sum[x / per_cell_] += *value;
    line.most = std::max(line.most, *value);
    most_ = std::max(most_, *value);
  }

  const HeatmapColumns& columns_;
  std::size_t count_ = 0;
  std::size_t per_cell_ = 0;
  std::map<std::string, std::size_t> line_of_;
  std::vector<Line> lines_;
  double most_ = 0;
};

// What the colours mean: from 0 to the darkest cell.
std::string scale_line(double most, double y) {
  constexpr int kSteps = 5;
  constexpr double kStepWidth = 24;
  std::string line = svg_text(kLeft - 8, y + 14, "end", "0 %");
  for (int step = 0; step < kSteps; ++step) {
    line +=
        fmt::format(R"(<rect class="s0" x="{:.1f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" fill-opacity="{:.2f}"/>)",
                    kLeft + kStepWidth * step, y + 1, kStepWidth, kLine - 2, (step + 1.0) / kSteps);
  }
  return line + svg_text(kLeft + kStepWidth * kSteps + 8, y + 14, "start", fmt::format("{:.1f} %", 100 * most));
}

}  // namespace

Heatmap draw_heatmap(const Table& table, const HeatmapColumns& columns, const std::string& language) {
  const Grid grid(table, columns);
  Heatmap drawn;
  const double width = (kSvgWidth - kLeft - kRight) / static_cast<double>(std::max<std::size_t>(grid.cells(), 1));
  for (const Line& line : grid.lines()) {
    drawn.body += svg_text(kLeft - 8, drawn.height + 14, "end", html(show_label("ledger", line.name, language)));
    for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
      if (line.sum[cell] <= 0) continue;
      drawn.body += fmt::format(
          R"(<rect class="s0" x="{:.1f}" y="{:.0f}" width="{:.1f}" height="{:.0f}" fill-opacity="{:.2f}"/>)",
          kLeft + width * static_cast<double>(cell), drawn.height + 1, width, kLine - 2,
          grid.mean(line, cell) / grid.most());
    }
    drawn.body +=
        svg_text(kSvgWidth - kRight + 8, drawn.height + 14, "start", fmt::format("{:.1f} %", 100 * line.most));
    drawn.height += kLine;
  }
  if (drawn.body.empty()) return drawn;
  const ShownTable shown = show(table, table.rows.size(), language);
  const std::string& label = shown.columns[columns.x].label;
  drawn.body += svg_text(kLeft, drawn.height + 14, "start", html(label + " " + shown.rows.front()[columns.x]));
  drawn.body += svg_text(kSvgWidth - kRight, drawn.height + 14, "end", html(shown.rows.back()[columns.x]));
  drawn.height += kLine;
  drawn.body += scale_line(grid.most(), drawn.height);
  drawn.height += kLine;
  return drawn;
}

}  // namespace nameplate
