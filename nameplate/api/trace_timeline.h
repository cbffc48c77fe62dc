// The attributed timeline as Chrome JSON, for Perfetto (ui.perfetto.dev) and chrome://tracing: a process per rank with
// the tracks `booked` (the ledger row of each instant), `collectives` and `steps`, on the ranks' common clock.
//
// Slices of `booked` outside the warm-up sum row by row to the ledger (booked.h).
//
// Files are read once more and written rank by rank, so memory holds one timeline. The form is Kineto's: `nameplate
// trace` reads it back, a timeline for each rank (`device`), rows of device work from the slices' names (data/kernels);
// it says that groups and causes of idle time are not in it.
// Internal to api/.
#pragma once

#include <string>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/api/trace_set.h"

namespace nameplate {

// Writes request.timeline. A file that is there is replaced only if it is empty or such a timeline.
Status write_timeline(const TraceRequest& request, const TraceSet& set, const AcrossRanks& across,
                      const OperatorFormula& operator_flops);

}  // namespace nameplate
