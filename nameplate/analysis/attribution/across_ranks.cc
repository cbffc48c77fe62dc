#include "nameplate/analysis/attribution/across_ranks.h"

namespace nameplate {

AcrossRanks across_ranks(const std::vector<RankSummary>& ranks) {
  AcrossRanks out;
  out.matches = match_collectives(ranks);
  out.clocks = align_clocks(ranks, out.matches);
  const Meetings meetings(ranks, out.matches, out.clocks);
  out.waits = find_waits(meetings);
  out.path = find_critical_path(meetings, out.clocks);
  out.channels = channel_uses(meetings);
  out.stages = stage_loads(ranks);
  return out;
}

}  // namespace nameplate
