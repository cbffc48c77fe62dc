// The tables beside the ledger: kernels by name, collectives by kind, group and size, and how kernels are launched.
#pragma once

#include <vector>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/kernel_work.h"
#include "nameplate/analysis/attribution/sweep.h"

namespace nameplate {

// What the functions below look at: a rank's events and how the sweep of `window` booked them.
struct SweptRank {
  const RankTimeline& rank;
  const std::vector<KernelWork>& work;
  const Sweep& swept;
  Stretch window;
  std::int64_t inside_ns(std::size_t event) const;  // the part of an event's duration that is in the window
};

std::vector<KernelTotal> kernel_totals(const SweptRank& r);
std::vector<CollectiveTotal> collective_totals(const SweptRank& r, const std::vector<GroupUse>& roles);
LaunchStatistics launch_statistics(const SweptRank& r);

}  // namespace nameplate
