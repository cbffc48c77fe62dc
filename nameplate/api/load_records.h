// The step of load() that reads the cluster's records and joins them to the log. Internal to api/.
#pragma once

#include <string>
#include <vector>

#include "nameplate/api/load.h"

namespace nameplate {

// Fills run.records, run.stuck and run.late_workers; joins events to run.log where the clocks overlap. A file that
// cannot be read is a defect of the run, since the report does not hang on it.
void load_records(const std::vector<std::string>& paths, LoadedRun& run);

}  // namespace nameplate
