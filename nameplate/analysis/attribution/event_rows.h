// Which ledger row does a device event's time go to, where nothing more useful runs beside it? Kernels by class (what
// they take beyond their FLOPs at peak), collectives by the role of their group, copies by direction and by what
// launched them.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/attribution/group_roles.h"
#include "nameplate/facts/ledger.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

// One per device event of the rank. `enclosing`: enclosing_spans(rank.host).
std::vector<LedgerRow> event_rows(const Timeline& timeline, const RankTimeline& rank,
                                  const std::vector<GroupUse>& roles, const std::vector<std::int32_t>& enclosing);

}  // namespace nameplate
