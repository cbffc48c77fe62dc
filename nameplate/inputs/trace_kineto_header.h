// What does a Kineto file say beside its events? The members of its outer object: devices, rank, groups, time base.
#pragma once

#include <string_view>

#include "nameplate/inputs/trace_events.h"

namespace nameplate {

// Adds the members that stand in `text`, an object whose rest may be missing or damaged.
void read_kineto_header(std::string_view text, TraceHeader& header);

}  // namespace nameplate
