// The frame that figures with two axes share: size, axes, grid and labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nameplate/report/axis.h"
#include "nameplate/report/series.h"

namespace nameplate {

inline constexpr double kSvgWidth = 680;
inline constexpr std::size_t kSeriesColours = 5;  // classes s0 to s4

// "<text …>…</text>"; `anchor` is start, middle or end.
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);
std::string svg_rect(std::string_view colour, double x, double y, double width, double height);

struct AxisRange {
  double low = 0;
  double high = 0;
  bool empty = true;
  void include(double value);
};

class SvgChart {
 public:
  SvgChart(const Column& x, const AxisRange& x_range, const Column& y, const AxisRange& y_range);

  // Axes, grid and their names, to be drawn first.
  std::string frame(const std::string& x_label, const std::string& y_label) const;
  double x(double value) const;
  double y(double value) const;
  double height() const;

 private:
  Axis x_axis_;
  Axis y_axis_;
};

}  // namespace nameplate
