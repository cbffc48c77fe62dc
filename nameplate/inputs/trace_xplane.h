// Reads an XPlane profile (.xplane.pb), which JAX, TensorFlow and PyTorch/XLA write: a timeline for each device of the
// host it was taken on.
//
// Planes and lines are told by the names that github.com/openxla/xla gives them (tsl/profiler/utils/xplane_schema.cc):
//   /device:GPU:n   lines "Stream #s…" hold kernels and copies; the others repeat them under other names
//   /device:TPU:n   "XLA Ops" holds what the core ran, "Async XLA Ops" the copies and collectives beside it; where
//   there
//                   are no ops, "XLA Modules" are whole programs
//   /host:…         a line a thread
// Steps are the line "Steps" of a device, else host events with the stat "step_num". Picoseconds become nanoseconds by
// rounding begin and end down, each from the line's own zero, so that what touched still touches. An op of the TPU that
// encloses others (a loop, a call) is booked for what they leave of it. An op's name carries the category that XLA
// states, "fusion.7 (convolution fusion)", and its FLOPs are those that XLA counted.
//
// The profile is held in memory, up to 2 GiB, which protocol buffers end at. Lengths that do not fit what holds them
// are an error. No rank is recorded: devices are in the order of their numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/core/byte_stream.h"
#include "nameplate/core/result.h"
#include "nameplate/inputs/kernel_classes.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

inline constexpr std::int64_t kMostXPlaneBytes = std::int64_t{2} << 30;

Result<std::vector<RankTrace>> read_xplane(ByteStream stream, const KernelClasses& classes);

}  // namespace nameplate
