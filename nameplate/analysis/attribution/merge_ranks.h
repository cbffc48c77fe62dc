// The ranks of a trace together: one ledger, and kernels and collectives summed over ranks.
#pragma once

#include <vector>

#include "nameplate/analysis/attribution/attribution.h"

namespace nameplate {

// Rows and their evidence summed. At least one rank.
Ledger merge_ledgers(const std::vector<RankAttribution>& ranks, std::int64_t ranks_total);
// By name, by time.
std::vector<KernelTotal> merge_kernels(const std::vector<RankAttribution>& ranks);
// By kind, group and size, by time.
std::vector<CollectiveTotal> merge_collectives(const std::vector<RankAttribution>& ranks);

// By name and shapes, by time.
std::vector<OperatorTotal> merge_operators(const std::vector<RankAttribution>& ranks);
// By name and reason, by time.
std::vector<UncountedTotal> merge_uncounted(const std::vector<RankAttribution>& ranks);
// By Phase; empty where no rank has them.
std::vector<PhaseTotal> merge_phases(const std::vector<RankAttribution>& ranks);

// Steps of some ranks say nothing of a step of the job.
bool every_rank_has_steps(const std::vector<RankAttribution>& ranks);

// Shares over all ranks; nothing where the whole is zero.
struct TraceShares {
  std::optional<double> unmodelled;     // of kernel time, to kernels whose FLOPs are not known
  std::optional<double> unclassified;   // of the device's busy time, to events of no known class
  std::optional<double> unattributed;   // of the time that is not model FLOPs (nor repeated ones) at peak
  std::optional<double> short_kernels;  // of kernels, those under 10 us
  std::optional<double> recompute;      // of the time of kernels, those that repeat forward work
  std::optional<double> queue_depth;    // mean over ranks
  std::optional<double> mfu;            // nothing unless every rank has one, and never over 1
  std::optional<double> impossible;     // what it would be, where that is over 1: something stated is wrong
  std::optional<double> least_mfu;      // by the FLOPs that recorded shapes tell; nothing without, or over 1
};
TraceShares trace_shares(const std::vector<RankAttribution>& ranks, const Ledger& ledger);

}  // namespace nameplate
