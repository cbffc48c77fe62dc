// What did the length of the steps depend on, over all ranks?
//
// Walked back from the end of a step on the rank that ends last: a stretch on one rank back to the last collective that
// it left late, the transfer of that collective, then on from its last rank's arrival there; until the rank's step
// began. A rank left a collective late when it waited there by more than the clocks' residuals with nothing else to do.
// Had any stretch of the path taken less, the step would have been shorter, until another path takes over. Dependencies
// between the streams of one device are not recorded: a rank's own stretch holds what its device was booked to.
#pragma once

#include <vector>

#include "nameplate/analysis/attribution/meetings.h"

namespace nameplate {

// Summed over the steps that all ranks recorded.
struct CriticalPath {
  std::int64_t steps = 0;
  double length_ns = 0;
  std::vector<RowTimes> on_rank_ns;  // by rank: time on the path by row
};

CriticalPath find_critical_path(const Meetings& meetings, const Clocks& clocks);

}  // namespace nameplate
