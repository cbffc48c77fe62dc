// Summaries of ranks written by hand, for the tests of what is across ranks.
#pragma once

#include <utility>
#include <vector>

#include "nameplate/analysis/attribution/rank_summary.h"
#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {

inline RankSummary summary_of(Timeline timeline, std::int64_t rank) {
  timeline.ranks[0].rank = rank;
  return summarise(timeline, timeline.ranks[0], group_roles(timeline), find_steps(timeline, timeline.ranks[0]));
}

// A collective of group 0 from begin to end.
inline TestEvent collective(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t bytes = 100) {
  return {.name = "nccl",
          .event_class = DeviceEventClass::collective,
          .begin_ns = begin_ns,
          .duration_ns = end_ns - begin_ns,
          .stream = 8,
          .bytes = bytes,
          .group = 0};
}

}  // namespace nameplate
