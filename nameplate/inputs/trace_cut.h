// What is left of a file that ends in the middle: the part of the time in which device and host are both recorded.
//
// Kineto writes the operators of each thread first, then the calls of the runtime, each with the device events that it
// launched. A file cut short has the operators of the whole capture and the device's events of its beginning only; what
// comes later would look like a device that idles. A device event stands behind its launch, so where there is any, the
// device is what ends first.
#pragma once

#include <string>

#include "nameplate/facts/defect.h"
#include "nameplate/inputs/trace_events.h"

namespace nameplate {

// Leaves out the host's spans, steps among them, that go on after the last device event, and says so; without any
// device event, that the device's part is lost.
void keep_recorded_part(TraceEvents& events, const std::string& file, Defects& defects);

}  // namespace nameplate
