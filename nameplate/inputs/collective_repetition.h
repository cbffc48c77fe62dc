// Which collectives were those that the host launched before the capture began?
//
// The device runs behind the host, so the first kernels of a capture have no recorded launch, and what the framework
// says of a collective is recorded with the launch. Training repeats itself: when the collectives of a stream recur
// with a period, an unrecorded one is the same as the recorded one a whole number of periods later. The period is the
// smallest for which kernels' names and records agree everywhere and one whole period of records is seen twice.
#pragma once

#include <cstdint>

#include "nameplate/facts/timeline.h"

namespace nameplate {

// Completes the collectives without a group; returns how many.
std::int64_t complete_by_repetition(const DeviceEvents& device, Collectives& collectives);

}  // namespace nameplate
