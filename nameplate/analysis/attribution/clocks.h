// One clock for all ranks, from the collectives that they share.
//
// Every rank of a collective leaves it within its transfer time of the others (microseconds where measured: half of the
// collectives of eight H100 in one node end within 5 us), so the ends of matched collectives say how clocks differ.
// Ranks are joined along the links with most collectives (a maximum spanning tree), each by a line through the
// differences of the ends: slope by Theil and Sen over pairs half a capture apart, kept where it is more than
// kSignificant standard errors from nought, and the median of what it leaves. Two rounds follow in which each rank is
// fitted to the median end of its collectives, so that no single rank's noise remains. The clock of the median rank of
// each connected set is the shared one.
//
// Ranks of one host share a clock to begin with: a correction no larger than the spread of the ends is not made. Ranks
// without a matched collective get no alignment. Sends and receives count where a rank shares nothing else; a receive
// ends with its send, or later where the send was buffered. Theil (1950), Sen (1968): up to 29 % of the points may lie
// anywhere. Error: that of a median of n ends, a few microseconds with 50 collectives; a drift of d over a capture of
// length T is seen when d T is well above it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/analysis/attribution/collective_match.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

inline constexpr double kSignificant = 4;

using Clocks = std::vector<std::optional<ClockAlignment>>;  // by rank

Clocks align_clocks(const std::vector<RankSummary>& ranks, const CollectiveMatches& matches);

// Nanoseconds since 1970 on the shared clock, of a rank's own time, and back. No alignment: the rank's clock as it is.
std::int64_t shared_time(const RankSummary& rank, const std::optional<ClockAlignment>& clock, std::int64_t own_ns);
std::int64_t own_time(const RankSummary& rank, const std::optional<ClockAlignment>& clock, std::int64_t shared_ns);

}  // namespace nameplate
