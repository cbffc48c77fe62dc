// From the events of one Kineto file to the timeline of its rank: sorted, classified, launches joined to what they
// launched, collectives named.
//
// A device event's launch is the runtime call with its correlation id. A collective's kind, group and size come from
// the event itself where PyTorch (2.3 and later) records them there, else from the framework's record around the launch
// ("record_param_comms", "nccl:all_reduce"), else from the kernel's name, and what was launched before the capture from
// the repetition of its stream (collective_repetition.h). Steps are the ProfilerStep ranges of the
// host, else their projections on the device.
#pragma once

#include "nameplate/inputs/kernel_classes.h"
#include "nameplate/inputs/trace_kineto_events.h"
#include "nameplate/inputs/trace_kineto_header.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

RankTrace kineto_timeline(KinetoEvents&& events, KinetoHeader header, const KernelClasses& classes);

}  // namespace nameplate
