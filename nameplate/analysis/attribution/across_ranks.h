// What only several ranks together can tell: one clock, who waited for whom and why.
//
// Needs the ranks' summaries alone, so it runs after a reduction over processes as well.
#pragma once

#include <optional>
#include <vector>

#include "nameplate/analysis/attribution/clocks.h"
#include "nameplate/analysis/attribution/collective_match.h"
#include "nameplate/analysis/attribution/rank_summary.h"
#include "nameplate/analysis/attribution/waits.h"

namespace nameplate {

struct AcrossRanks {
  CollectiveMatches matches;
  std::vector<std::optional<ClockAlignment>> clocks;  // by rank
  std::vector<RankWaits> waits;                       // by rank
};

AcrossRanks across_ranks(const std::vector<RankSummary>& ranks);

}  // namespace nameplate
