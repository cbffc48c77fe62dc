// The peaks that free text on how a source counts FLOPs may name: "peaks: A100 312, H100 bf16 989, fp8 ~1979".
//
// Every number that stands alone is returned, in TFLOP/s, in order: which of them is a peak of the row's device, the
// catalogue must say. Numbers glued to letters ("A100", "6N") are none.
#pragma once

#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"

namespace nameplate {

std::vector<FlopsPerSecond> peaks_in_notes(std::string_view notes);

}  // namespace nameplate
