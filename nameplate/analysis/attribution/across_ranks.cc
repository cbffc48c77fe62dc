#include "nameplate/analysis/attribution/across_ranks.h"

namespace nameplate {

AcrossRanks across_ranks(const std::vector<RankSummary>& ranks) {
  AcrossRanks out{.matches = match_collectives(ranks), .clocks = {}, .waits = {}};
  out.clocks = align_clocks(ranks, out.matches);
  out.waits = find_waits(ranks, out.matches, out.clocks);
  return out;
}

}  // namespace nameplate
