// Predicted against measured memory peaks. Internal to api/.
#pragma once

#include "nameplate/inputs/catalogue.h"
#include "nameplate/inputs/memory_calibration.h"
#include "nameplate/inputs/published_runs.h"
#include "nameplate/report/document.h"

namespace nameplate {

// Rows that memory cannot tell apart count once, with the median of their measured peaks. Runs that ran out of memory
// show their risk and no error: what they show was seen before the failure.
Document validate_memory(const PublishedRuns& runs, const Catalogue& catalogue, const MemoryCalibration& calibration);

}  // namespace nameplate
