// The comparison of ranks in a trace document. Internal to api/.
#pragma once

#include <vector>

#include "nameplate/advice/findings/trace_findings.h"
#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/report/document.h"

namespace nameplate {

// What the ranks say together. Their clocks are set and their ledgers have waiting apart.
AcrossRanks compare_ranks(Timeline& timeline, const std::vector<RankSummary>& summaries,
                          std::vector<RankAttribution>& ranks);

Table ranks_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks, const AcrossRanks& across);

// Of several ranks: tables groups, critical_path, pipeline_stages and rank_rows with its heat map, the imbalances; what
// the comparison took for granted, and what it could not use.
void add_comparison(const Timeline& timeline, const std::vector<RankAttribution>& ranks, const AcrossRanks& across,
                    Document& d);

// The ranks that others wait for, the most waited for first.
std::vector<LateRank> late_ranks(const std::vector<RankAttribution>& ranks, const AcrossRanks& across);

}  // namespace nameplate
