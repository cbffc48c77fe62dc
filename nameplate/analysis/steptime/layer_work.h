// One block of the architecture as work of one device and one micro-batch: the part of work.h that knows operators.
// Internal to analysis/steptime/.
#pragma once

#include <cstdint>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/analysis/steptime/work.h"

namespace nameplate {

// `tokens` of one micro-batch on one device, before experts are dispatched.
LayerWork layer_work(const StepSetup& setup, const Block& block, double tokens);

// The one that a micro-batch holds.
std::int64_t longest_sequence(const Workload& workload);

}  // namespace nameplate
