// Who waits for whom inside collectives?
//
// A collective moves no data before its last rank arrives. Of a rank's time in a matched collective the part before
// that arrival, on the shared clock, is waiting and the rest is transfer. What of the waiting was booked to
// communication (nothing computed beside it) moves from there to straggler_wait; where a receive waits for its pipeline
// stage's sender there was no micro-batch to work on: pipeline_bubble. All that the others waited, hidden or not, is
// caused by the last rank; what a receive waited for its sender is counted for nobody, since pipelines fill and drain.
// Ranks that are not present may have been later still, so both are lower bounds then.
//
// Why was the last rank late? The members left their collective before in the channel together, so what it did since,
// beyond what the median member did in the same stretch, made it late: computing (a slow device, or more work), idle
// behind the host, in the loader, or itself held up inside other channels. The wait it caused is split over these in
// proportion. The first collective of a channel has no such stretch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "nameplate/analysis/attribution/meetings.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {

enum class LateCause : std::uint8_t { kernels, host, loader, other_ranks, unknown };
inline constexpr std::size_t kLateCauses = 5;
std::string_view name(LateCause cause);  // "late_host"

struct RankWaits {
  std::int64_t collectives = 0;                                    // matched, sends and receives left out
  std::int64_t times_last = 0;                                     // of them, where anybody waited
  double caused_ns = 0;                                            // the others' waiting for this rank
  std::array<double, kLateCauses> caused_by_ns{};                  // the same, by what made it late
  RowTimes straggler_ns{};                                         // moves to straggler_wait, by the row it was in
  std::map<std::int64_t, double> waited_for_ns;                    // the same, by the rank that was last
  std::map<std::pair<LedgerRow, CollectiveKind>, double> left_ns;  // what moves from a row, by kind
  RowTimes bubble_ns{};                                            // moves to pipeline_bubble
  // What holds half of it or more, else unknown; nothing where it caused less than `least_ns`.
  std::optional<LateCause> cause(double least_ns) const;
};

// One per rank.
std::vector<RankWaits> find_waits(const Meetings& meetings);

// The rank's ledger with its waiting apart; straggler_wait is looked for where there were matched collectives.
Ledger book_waits(const Ledger& ledger, const RankWaits& waits);
// The evidence of its rows: what moved is out of the communication rows, and in straggler_wait under the rank that was
// last ("for rank 1").
std::vector<RowEvidence> book_waits(std::vector<RowEvidence> evidence, const RankWaits& waits);

}  // namespace nameplate
