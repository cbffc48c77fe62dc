// Which parallel dimension does each communication group serve? From the group's own description where it has one, else
// from what it is used for, and said which.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nameplate/facts/ledger.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

// recorded: by the reader, or whoever made the timeline. description: by its words ("mesh_tp", "EXPERT_MODEL_PARALLEL
// _GROUP"). pattern: only sends and receives (pp); mostly all-to-all (ep); all of the job's ranks, and no group beside
// it with reductions or gathers (dp).
enum class RoleSource : std::uint8_t { recorded, description, pattern, none };
std::string_view name(RoleSource source);
std::string_view name(GroupRole role);  // "dp"
LedgerRow communication_row(GroupRole role);

struct GroupUse {
  GroupRole role = GroupRole::other;
  RoleSource source = RoleSource::none;
  bool operator==(const GroupUse&) const = default;
};

// One per group of the timeline.
std::vector<GroupUse> group_roles(const Timeline& timeline);
// Of a collective whose group may not be known: then a send or receive is pp, everything else other.
GroupRole role_of(const std::vector<GroupUse>& uses, const Collectives& collectives, std::size_t collective);

}  // namespace nameplate
