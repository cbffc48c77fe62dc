// The traces that lie beside a run's log, or that its manifest names: what `trace` makes of them with what is known of
// the run. Internal to api/.
#pragma once

#include "nameplate/api/load.h"

namespace nameplate {

// Reads run.traces into run.trace; what cannot be read is a defect.
void load_traces(const LoadRequest& request, LoadedRun& run);

}  // namespace nameplate
