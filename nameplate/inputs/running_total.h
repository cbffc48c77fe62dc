// What one step adds to a running total that a log prints (tokens seen, samples consumed): the mean over the steps
// since the row before, or since step 0 for the first row and after a restart.
#pragma once

#include <cstdint>

#include "nameplate/core/maybe.h"

namespace nameplate {

class RunningTotal {
 public:
  // `total` after `steps` steps. Absent when the total is, or when it did not grow.
  Maybe per_step(std::int64_t steps, Maybe total) {
    if (!total || *total <= 0 || steps <= 0) return {};
    if (steps <= steps_ || *total < total_) *this = {};
    const double grown = *total - total_;
    const double over = static_cast<double>(steps - steps_);
    steps_ = steps;
    total_ = *total;
    return grown > 0 ? Maybe(grown / over) : Maybe();
  }

 private:
  std::int64_t steps_ = 0;
  double total_ = 0;
};

}  // namespace nameplate
