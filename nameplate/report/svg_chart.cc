#include "nameplate/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "nameplate/report/html_text.h"

namespace nameplate {
namespace {

// Room around the plot, for the labels of ticks and the names of the axes.
constexpr double kLeft = 60;
constexpr double kRight = 16;
constexpr double kTop = 26;
constexpr double kBottom = 40;
constexpr double kHeight = 260;
constexpr int kMostTicksX = 8;
constexpr int kMostTicksY = 5;

std::string with_unit(const std::string& label, const std::string& unit) {
  if (label.empty() || unit.empty()) return html(label + unit);
  return html(fmt::format("{} ({})", label, unit));
}

}  // namespace

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor, text);
}

std::string svg_rect(std::string_view colour, double x, double y, double width, double height) {
  return fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", colour, x, y, width,
                     height);
}

void AxisRange::include(double value) {
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

SvgChart::SvgChart(const Column& x, const AxisRange& x_range, const Column& y, const AxisRange& y_range)
    : x_axis_(make_axis(x, x_range.low, x_range.high, kMostTicksX)),
      y_axis_(make_axis(y, y_range.low, y_range.high, kMostTicksY)) {}

double SvgChart::x(double value) const { return kLeft + x_axis_.position(value) * (kSvgWidth - kLeft - kRight); }

double SvgChart::y(double value) const {
  return kHeight - kBottom - y_axis_.position(value) * (kHeight - kTop - kBottom);
}

double SvgChart::height() const { return kHeight; }

std::string SvgChart::frame(const std::string& x_label, const std::string& y_label) const {
  std::string grid;
  std::string texts;
  for (const double tick : y_axis_.ticks) {
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", kLeft, y(tick), kSvgWidth - kRight);
    texts += svg_text(kLeft - 6, y(tick) + 4, "end", y_axis_.text(tick));
  }
  for (const double tick : x_axis_.ticks) {
    grid += fmt::format("M{:.1f} {:.1f}v4", x(tick), kHeight - kBottom);
    texts += svg_text(x(tick), kHeight - kBottom + 17, "middle", x_axis_.text(tick));
  }
  texts += svg_text(kSvgWidth - kRight, kHeight - 6, "end", with_unit(x_label, x_axis_.scale.unit));
  texts += svg_text(6, 14, "start", with_unit(y_label, y_axis_.scale.unit));
  return fmt::format(R"(<path class="grid" d="{}"/>{})", grid, texts);
}

}  // namespace nameplate
