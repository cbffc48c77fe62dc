// What a rank's device was booked to, as a short row of pieces of time: what the comparison of ranks needs of a
// timeline that no longer fits in memory.
//
// A piece holds nanoseconds by ledger row, by the rule "useful first" of sweep.h; kernels that run together share
// equally, and what kernels do at peak is in the row of their class. It ends where a collective or a step begins or
// ends, and where communication becomes exposed or hidden for kFinestNs or more. So between those borders the rows are
// exact; elsewhere inside a piece they are taken to be spread evenly, and a stretch of exposed communication is placed
// to within kFinestNs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nameplate/analysis/attribution/intervals.h"
#include "nameplate/facts/ledger.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

inline constexpr std::int64_t kFinestNs = 1000;

using RowTimes = std::array<double, kLedgerRows>;  // nanoseconds by LedgerRow

// Times as in the rank's timeline.
struct RankActivity {
  std::int64_t begin_ns = 0;         // of the first piece
  std::vector<std::int64_t> end_ns;  // of each piece; it begins where the one before ends
  std::vector<std::uint32_t> first;  // piece i holds the shares first[i] up to first[i + 1]; one more than pieces
  std::vector<LedgerRow> row;        // of each share
  std::vector<double> ns;            // of each share
  bool operator==(const RankActivity&) const = default;

  // Time by row inside `when`. O(pieces inside), after a bisection.
  RowTimes inside(Stretch when) const;
};

// `window`: device events outside are left out. `rows`: event_rows; `idle`: the row of each idle stretch. `cuts`: times
// at which a piece ends, too.
struct Claimed {
  Stretch when;
  LedgerRow row = LedgerRow::unattributed;
};
RankActivity rank_activity(const DeviceEvents& device, const std::vector<LedgerRow>& rows,
                           const std::vector<Claimed>& idle, const std::vector<std::int64_t>& cuts, Stretch window);

}  // namespace nameplate
