// Reads one Kineto trace: the Chrome JSON that PyTorch's profiler writes, from 1.8 to today, and the autograd profiler
// before it; an object with "traceEvents" or a bare list of events.
//
// The stream is read ahead, cut in blocks of a megabyte (trace_kineto_text.h), and the blocks are parsed on `threads`
// threads and joined in file order, so memory holds a few blocks and the columns, and the result does not depend on
// the number of threads. A file that ends early gives the events up to there and a defect. Times are the profiler's own
// microseconds, exact to the nanosecond; base_time_ns says where their zero is.
#pragma once

#include <vector>

#include "nameplate/core/byte_stream.h"
#include "nameplate/core/result.h"
#include "nameplate/inputs/kernel_classes.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

struct KinetoReading {
  unsigned threads = 1;
  std::size_t block_bytes = std::size_t{1} << 20;
};

// A timeline for each device that the process drove. An Error when the stream holds no array of events or not one
// readable event.
Result<std::vector<RankTrace>> read_kineto(ByteStream stream, const KernelClasses& classes,
                                           const KinetoReading& reading = {});

}  // namespace nameplate
