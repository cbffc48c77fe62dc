// Which worker held the others up, and when, from a table of step times by worker.
//
// At each time the worker's value is divided by the median of all workers then; the median of that ratio over all times
// is the worker's usual one, since workers may differ for good (data, placement). Over each of up to twelve stretches
// of at least five times the worker is late when the mean of its ratio is 10 % over both its usual one and 1: slower
// than it was, and slower than the others. Method: ratios to the cohort and to oneself, as in straggler detection by
// work share; the 10 % is assumed. Blind to a slowness that lasts all the time, and to one of fewer than five times in
// a row.
#pragma once

#include <vector>

#include "nameplate/facts/records.h"

namespace nameplate {

struct LateWorker {
  std::int64_t worker = 0;
  double first = 0;  // the times between which it was late, in the table's unit
  double last = 0;
  double slowdown = 1;     // mean ratio in the slowest stretch over the usual one
  double over_others = 1;  // mean ratio in the slowest stretch
  bool operator==(const LateWorker&) const = default;
};

// By worker, then by time; neighbouring stretches are one. Fewer than three workers or ten times tell nothing.
std::vector<LateWorker> find_late_workers(const std::vector<WorkerTime>& times);

}  // namespace nameplate
