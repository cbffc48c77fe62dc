// What one rank brings to the comparison of ranks: its collectives and what its device was booked to between them.
//
// Plain columns, a few hundred bytes a collective, so that a thousand ranks fit in memory where their timelines do not,
// and can be sent between processes. Everything across ranks (collective_match.h, clocks.h, waits.h, …) reads only
// this.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/intervals.h"
#include "nameplate/analysis/attribution/rank_activity.h"
#include "nameplate/facts/ledger.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

// Column i of every vector is collective i, in the order in which they began.
struct RankCollectives {
  std::vector<std::int32_t> group;  // into RankSummary::groups; -1: not known
  std::vector<CollectiveKind> kind;
  std::vector<LedgerRow> row;  // that its exposed time is booked to
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> sequence;
  std::vector<std::int64_t> peer;
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> end_ns;
  bool operator==(const RankCollectives&) const = default;
};

// Times are the rank's own, from its base_time_ns.
struct RankSummary {
  std::int64_t rank = 0;
  std::int64_t base_time_ns = 0;
  Stretch steady;                        // what the rank's ledger covers
  std::vector<StepSpan> steps;           // of them, in order
  std::vector<Group> groups;             // with the role that was decided
  std::vector<RoleSource> role_sources;  // by group
  RankCollectives collectives;
  RankActivity activity;  // of the whole capture
  bool operator==(const RankSummary&) const = default;
};

// `roles` as for attribute(), `steps` as it found them.
RankSummary summarise(const Timeline& timeline, const RankTimeline& rank, const std::vector<GroupUse>& roles,
                      const Steps& steps);

}  // namespace nameplate
