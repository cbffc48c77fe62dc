// From the events of one process to the timelines of the devices it drove, one each: sorted, classified, launches
// joined to what they launched, collectives named.
//
// A device event's launch is the runtime call with its correlation id. A collective's kind, group and size come from
// the event itself where PyTorch (2.3 and later) records them there, else from the framework's record around the launch
// ("record_param_comms", "nccl:all_reduce"), else from the kernel's name, and what was launched before the capture from
// the repetition of its stream (collective_repetition.h). Steps are the ProfilerStep ranges of the
// host, else their projections on the device. A device has a timeline when it runs kernels; what only copies is counted
// and left out, as the far end of a copy is no device that this process drives. Each timeline of several holds what the
// host did, but for spans that say that they are of another device; without a kernel anywhere there is one, of all
// there is.
#pragma once

#include <string>
#include <vector>

#include "nameplate/inputs/kernel_classes.h"
#include "nameplate/inputs/trace_events.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

// What TraceEvents numbers: names and operands as people write them.
struct TraceTexts {
  std::vector<std::string> names;
  std::vector<Operands> operands;
};

struct ProcessTrace {
  TraceEvents events;
  TraceTexts texts;
  TraceHeader header;
  std::string file;
};

// At least one.
std::vector<RankTrace> timelines_of(ProcessTrace&& process, const KernelClasses& classes);

}  // namespace nameplate
