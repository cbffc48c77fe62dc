// ETTR over a sliding window: the cumulative figure hides bursts (ByteRobust, arXiv 2509.16293, shows one hour).
#pragma once

#include <span>
#include <vector>

#include "nameplate/analysis/resilience/event_job.h"
#include "nameplate/core/quantity.h"

namespace nameplate {

struct SlidingEttr {
  double lowest = 1;
  std::vector<PathPoint> windows;  // `productive` is the share of the window that ends `at`
};

// `path` as simulate_job and simulate_fleet record it, straight between its points: checkpoints are spread evenly over
// the computing around them. The lowest is exact for such a path, since the share bends only where an end of the window
// meets a point; those bends are the windows given. Empty, and 1, for a path shorter than the window.
SlidingEttr sliding_ettr(std::span<const PathPoint> path, Seconds window);

}  // namespace nameplate
