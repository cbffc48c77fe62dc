// The plan of a manifest: parallel degrees, schedule, sharding, overlap, micro-batches. Internal to api/.
#pragma once

#include <vector>

#include "nameplate/api/load.h"
#include "nameplate/facts/defect.h"
#include "nameplate/facts/plan.h"
#include "nameplate/facts/step_framework.h"

namespace nameplate {

// Of a run whose accelerators and workload are known.
Result<Plan> manifest_plan(const LoadedRun& run, const StepFramework& framework, std::vector<Assumption>& assumptions);

}  // namespace nameplate
