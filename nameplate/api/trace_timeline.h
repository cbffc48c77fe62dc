// The attributed timeline as Chrome JSON, for Perfetto (ui.perfetto.dev) and chrome://tracing: a process per rank with
// the tracks `booked` (the ledger row of each instant), `collectives` and `steps`, on the ranks' common clock.
//
// Files are read once more and written rank by rank, so memory holds one timeline. The form is Kineto's: `nameplate
// trace` reads it back, a timeline for each rank (`device`), rows of device work from the slices' names (data/kernels).
// Internal to api/.
#pragma once

#include <string>

#include "nameplate/api/trace_set.h"

namespace nameplate {

// Writes request.timeline. A file that is there is replaced only if it is empty or such a timeline.
Status write_timeline(const TraceRequest& request, const TraceSet& set);

}  // namespace nameplate
