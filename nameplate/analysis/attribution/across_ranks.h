// What only several ranks together can tell: one clock, who waited for whom and why, what the steps depended on, and
// how evenly work is spread.
//
// Needs the ranks' summaries alone, so it runs after a reduction over processes as well.
#pragma once

#include <optional>
#include <vector>

#include "nameplate/analysis/attribution/critical_path.h"
#include "nameplate/analysis/attribution/imbalance.h"
#include "nameplate/analysis/attribution/rank_summary.h"
#include "nameplate/analysis/attribution/waits.h"

namespace nameplate {

struct AcrossRanks {
  CollectiveMatches matches;
  Clocks clocks;                 // by rank
  std::vector<RankWaits> waits;  // by rank
  CriticalPath path;
  std::vector<ChannelUse> channels;
  std::vector<StageLoad> stages;
};

AcrossRanks across_ranks(const std::vector<RankSummary>& ranks);

}  // namespace nameplate
