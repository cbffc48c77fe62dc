#include "nameplate/analysis/resilience/event_replication.h"

#include <numeric>

namespace nameplate {

double ettr(const Replication& replication) {
  return replication.wall > 0 ? replication.time.productive / replication.wall : 0;
}

std::uint64_t failures(const Replication& replication) {
  return std::accumulate(replication.failures.begin(), replication.failures.end(), std::uint64_t{0});
}

double share_short_of(const Replication& replication, std::int64_t spares) {
  double time = 0;
  for (std::size_t down = static_cast<std::size_t>(spares) + 1; down < replication.nodes_down_time.size(); ++down) {
    time += replication.nodes_down_time[down];
  }
  return replication.wall > 0 ? time / replication.wall : 0;
}

}  // namespace nameplate
