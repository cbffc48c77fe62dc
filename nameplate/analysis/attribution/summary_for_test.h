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

inline const Group kThree{.id = "0", .description = "dp", .ranks = {0, 1, 2}, .size = 3};

// Two collectives in one step of 200 us. Both end together; before the second, at 150 us, rank 2 computes to 140 us,
// the others to 80 and 100 us. Kernel "slow" of rank 0 hides 10 us of its wait.
inline std::vector<RankSummary> three_ranks(HostSpanClass late_host = HostSpanClass::annotation) {
  std::vector<RankSummary> ranks;
  const std::int64_t computes_until[] = {80'000, 100'000, 140'000};
  for (std::int64_t r = 0; r < 3; ++r) {
    const std::int64_t until = computes_until[r];
    TimelineForTest t;
    t.group(kThree).step(0, 200'000).event(collective(0, 20'000)).event(collective(until, 150'000));
    if (r == 2 && late_host == HostSpanClass::data_wait) {
      t.event({"kernel", DeviceEventClass::matmul, 20'000, 40'000});
      t.span({"enumerate(DataLoader)", late_host, 60'000, 80'000});
    } else {
      t.event({"kernel", DeviceEventClass::matmul, 20'000, until - 20'000});
    }
    if (r == 0) t.event({"slow", DeviceEventClass::memory_bound, 90'000, 10'000});
    ranks.push_back(summary_of(t.build(), r));
  }
  return ranks;
}

}  // namespace nameplate
