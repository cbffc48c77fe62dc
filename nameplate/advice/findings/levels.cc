#include "nameplate/advice/findings/levels.h"

#include "nameplate/core/statistics.h"

namespace nameplate {

std::vector<Level> levels(const Measurement& m) {
  std::vector<Level> found;
  std::size_t begin = 0;
  std::vector<std::size_t> ends = m.change_points;
  ends.push_back(m.steady.size());
  for (std::size_t end : ends) {
    std::vector<double> durations;
    for (std::size_t i = begin; i < end; ++i) durations.push_back(m.times.rows[m.steady[i]].duration_s);
    if (!durations.empty()) found.push_back({begin, end, median(durations)});
    begin = end;
  }
  return found;
}

}  // namespace nameplate
