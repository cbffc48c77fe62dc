// A Kineto trace made on the spot: some steps of a transformer under data parallelism, as PyTorch's profiler writes
// them.
//
// As in real files, the operators come first, then the Python frames, then runtime calls, kernels and their flow
// arrows, each part in the order of time. Ranks differ in the time of their kernels and share the ends of their
// collectives. The same shape gives the same bytes everywhere.
#pragma once

#include <cstdint>
#include <ostream>

namespace nameplate {

struct GeneratedTrace {
  std::int64_t bytes = 500'000'000;  // at least; whole steps are written
  bool compact = false;  // one line without Python frames, as tools rewrite it; else as the profiler writes it
  int rank = 0;
  int ranks = 8;
};

void write_trace(const GeneratedTrace& shape, std::ostream& out);

}  // namespace nameplate
