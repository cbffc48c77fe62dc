// A rank's time as slices, each booked to one ledger row: what a person looks at in a timeline.
//
// The rule is that of sweep.h: an instant belongs to compute, else communication, else copies, else it is idle and
// claimed by what the host did (idle.h). Where several events of a layer run together, the slice bears the name and row
// of the one that began first; so rows of slices agree with the ledger but for kernels that share an instant, and model
// FLOPs at peak are in the row of their kernel's class.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/attribution/group_roles.h"
#include "nameplate/analysis/attribution/intervals.h"
#include "nameplate/facts/ledger.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct BookedSlice {
  Stretch when;
  LedgerRow row = LedgerRow::unattributed;
  std::int32_t event = -1;    // the device event; -1: idle
  std::int32_t name_id = -1;  // of the event, or of the span that shows why the device is idle; -1: none
  bool operator==(const BookedSlice&) const = default;
};

// In order of time; together they cover `window`.
std::vector<BookedSlice> booked_slices(const Timeline& timeline, const RankTimeline& rank,
                                       const std::vector<GroupUse>& roles, Stretch window);

}  // namespace nameplate
