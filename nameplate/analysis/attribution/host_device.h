// A job that trains on the CPU has no device events: the framework's operators are what its accelerator does.
//
// Every stretch in which an operator runs and none inside it does becomes an event of the operator's name on the stream
// of its thread, launched by that operator. Classes go by what the operator is: with a formula for its FLOPs (matmul,
// attention, convolution), an embedding, inside an optimizer's step, else memory_bound. Frames, annotations and nodes
// of autograd are the host's own time, and so is what runs inside a loader, a checkpoint or an evaluation. Range:
// operators that PyTorch names with "::" (aten::, mkldnn::, torchvision::, …); threads that an operator uses inside are
// part of it.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/facts/timeline.h"

namespace nameplate {

// `enclosing`: enclosing_spans(rank.host).
DeviceEvents host_as_device(const Timeline& timeline, const RankTimeline& rank,
                            const std::vector<std::int32_t>& enclosing);

}  // namespace nameplate
