// The comparison of ranks in a trace document. Internal to api/.
#pragma once

#include <vector>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/report/document.h"

namespace nameplate {

// What the ranks say together. Their clocks are set and their ledgers have waiting apart.
AcrossRanks compare_ranks(Timeline& timeline, const std::vector<RankSummary>& summaries,
                          std::vector<RankAttribution>& ranks);

Table ranks_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks, const AcrossRanks& across);

// What the comparison took for granted, and what it could not use.
void add_comparison_notes(const Timeline& timeline, const AcrossRanks& across, Document& d);

}  // namespace nameplate
