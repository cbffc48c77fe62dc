// From trace files to what each rank's analysis gives, one rank at a time: a rank's timeline is dropped when its
// analysis is done, so memory holds as many timelines as threads work, however many ranks there are. The files are
// spread over whatever the executor spans: threads, or the processes of a job. Internal to api/.
//
// Which dimension a communication group serves is decided by each rank from what it does itself (group_roles.h).
#pragma once

#include <functional>
#include <vector>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/group_roles.h"
#include "nameplate/analysis/attribution/rank_summary.h"
#include "nameplate/api/trace.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

struct TraceSet {
  // Without events, spans and operands; `names` are those of kernels.
  Timeline timeline;
  std::vector<GroupUse> roles;                // by group of the timeline: as the first rank that knows it says
  std::vector<RankAttribution> attributions;  // by rank, without the claims on idle stretches
  std::vector<RankSummary> summaries;         // by rank: what the comparison of ranks needs
  Profiler profiler = Profiler::torch;        // that wrote the first of them
  bool comparable = true;                     // they can be of one job at one time
  bool has_shapes = false;                    // some rank recorded what its operators worked on
};

// How a rank is attributed, by its device and how many ranks its job has.
using OptionsOfRank = std::function<AttributionOptions(const RankTimeline& rank, std::int64_t ranks_total)>;

Result<TraceSet> analyse_traces(const TraceRequest& request, const OptionsOfRank& options);

}  // namespace nameplate
