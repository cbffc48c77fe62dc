// A rank's time as slices, each booked to one ledger row: what a person looks at in a timeline. Durations of slices sum
// row by row to the rank's step ledger.
//
// The rule is that of sweep.h: an instant belongs to compute, else communication, else copies, else it is idle and
// claimed by what the host did (idle.h). What several events share is divided among them one after another. A kernel's
// share begins with what its FLOPs take at peak (model_compute, recompute); where an architecture's count replaces that
// from shapes, or some kernels are faster than peak, the ledger's own rows say which part of each. A collective's part
// before its last rank arrives is waiting (meetings.h).
//
// Error: borders are rounded to 1 ns. The ledger's straggler_wait knows exposed communication to kFinestNs
// (rank_activity.h), so that row and the communication it comes from may differ by so much a change. Negative
// `unattributed` has no slices.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/meetings.h"
#include "nameplate/analysis/attribution/sweep.h"

namespace nameplate {

struct BookedSlice {
  Stretch when;
  LedgerRow row = LedgerRow::unattributed;
  std::int32_t event = -1;    // the device event; -1: idle
  std::int32_t name_id = -1;  // of the event, or of the span that shows why the device is idle; -1: none
  bool operator==(const BookedSlice&) const = default;
};

// A collective's time until the last rank arrived, on the rank's own clock.
struct Waiting {
  std::size_t collective = 0;  // in the rank's RankCollectives
  std::int64_t until_ns = 0;
  LedgerRow row = LedgerRow::straggler_wait;
};
std::vector<std::vector<Waiting>> waiting_by_rank(const Meetings& meetings);

// What is known of a rank beside its timeline.
struct RankBooking {
  const std::vector<GroupUse>& roles;
  const RankAttribution& of_rank;
  const RankCollectives& collectives;  // of its summary
  const std::vector<Waiting>& waiting;
  OperatorFormula operator_flops;  // as for `of_rank`
};

// In order of time; together they cover of_rank.steps.whole, and none reaches from the warm-up into the steady steps.
std::vector<BookedSlice> booked_slices(const Timeline& timeline, const RankTimeline& rank, const RankBooking& booking);

}  // namespace nameplate
