// Why is the device idle? Each idle stretch is claimed by what the host was doing, in a fixed order, each cause by
// positive evidence: checkpoint, data_wait, memory_stall (the device's allocator), pipeline_bubble (waiting to
// receive), sync, host_bound, unattributed.
//
// Evidence are spans of the thread that launches what ends the stretch, and of the thread that drives the steps: work
// that other threads do (an asynchronous save, a prefetching loader) holds nobody up. What such spans leave is
// host_bound when the launch that ends the stretch came late, that is after the stretch began or less than a launch's
// latency before it; queued earlier (also before the capture began), the device itself waited (another stream, its own
// gap between kernels): sync.
// Where nothing that the host launched ends the stretch, the host's operators and calls claim it as host_bound. Without
// any device events, when the host's own time is what is booked, so do the program's ranges and Python frames.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/attribution/intervals.h"
#include "nameplate/facts/ledger.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct IdleClaim {
  Stretch when;
  LedgerRow row = LedgerRow::unattributed;
  std::int32_t name_id = -1;  // of the span that shows it; the operator whose launch came late; -1: none
  bool operator==(const IdleClaim&) const = default;
};

// Assumed: from the call to the start on an empty device CUDA and HIP take 3 to 10 us.
inline constexpr std::int64_t kLaunchLatencyNs = 10'000;

// The causes of every stretch of `idle`, in order of time; together they cover it.
std::vector<IdleClaim> claim_idle(const Timeline& timeline, const RankTimeline& rank, const Stretches& idle,
                                  const std::vector<std::int32_t>& enclosing);

}  // namespace nameplate
