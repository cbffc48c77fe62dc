#include "nameplate/analysis/resilience/event_path.h"

#include <algorithm>

namespace nameplate {
namespace {

// The path's value at growing times, by moving along it.
class Reader {
 public:
  explicit Reader(std::span<const PathPoint> path) : path_(path) {}
  double at(double time) {
    while (next_ + 1 < path_.size() && path_[next_].at <= time) ++next_;
    const PathPoint& a = path_[next_ - 1];
    const PathPoint& b = path_[next_];
    if (b.at <= a.at) return b.productive;
    return a.productive + (b.productive - a.productive) * std::min(1.0, (time - a.at) / (b.at - a.at));
  }

 private:
  std::span<const PathPoint> path_;
  std::size_t next_ = 1;
};

}  // namespace

SlidingEttr sliding_ettr(std::span<const PathPoint> path, Seconds window) {
  SlidingEttr result;
  const double width = window.base();
  if (path.size() < 2 || path.back().at - path.front().at < width) return result;
  std::vector<double> ends;
  for (const PathPoint& point : path) {
    if (point.at >= path.front().at + width) ends.push_back(point.at);
    if (point.at + width <= path.back().at) ends.push_back(point.at + width);
  }
  std::sort(ends.begin(), ends.end());
  Reader begin(path);
  Reader end(path);
  for (double at : ends) {
    const double share = (end.at(at) - begin.at(at - width)) / width;
    result.windows.push_back({at, share});
    result.lowest = std::min(result.lowest, share);
  }
  return result;
}

}  // namespace nameplate
