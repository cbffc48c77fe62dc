// A run without a log: the figures that a manifest's [measured] states, in the convention that it names.
#pragma once

#include "nameplate/api/load.h"

namespace nameplate {

// Fills the measurement from [measured] step_time, tokens_per_s_per_gpu, tflops_per_gpu or mfu (the first that is
// there), and ettr. A stated TFLOP/s or MFU is converted from its convention to Nameplate's by the ratio of their
// FLOPs.
void measure_stated(const LoadedRun& run, Measurement& m);

}  // namespace nameplate
