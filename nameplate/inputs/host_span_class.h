// What does a span on the host mean for a device that waits? From its kind and name.
#pragma once

#include <string_view>

#include "nameplate/facts/timeline.h"
#include "nameplate/inputs/trace_events.h"

namespace nameplate {

HostSpanClass host_span_class(EventKind kind, std::string_view name);

}  // namespace nameplate
