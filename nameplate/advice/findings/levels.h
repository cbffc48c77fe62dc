// Stretches of steady steps between change points. Internal to advice/findings.
#pragma once

#include <cstddef>
#include <vector>

#include "nameplate/analysis/mfu/measure.h"

namespace nameplate {

struct Level {
  std::size_t begin = 0, end = 0;  // into Measurement::steady
  double median_s = 0;             // of the step time
};

std::vector<Level> levels(const Measurement& m);

}  // namespace nameplate
