// Where the wall-clock of a run went, from the timestamps of its log: the time between rows that steps do not fill,
// booked by the lines that explain it.
//
// The walk goes row by row inside each attempt. Between the lines of two rows lie `steps` training steps; what is left
// is a pause, and the events logged in between claim it in order: an evaluation line is written when it ends, a
// checkpoint line when it begins (and where a line carries both ends or a duration, those are taken). What no line
// explains stays `unattributed`. Time from the log's first line to its first step and all warm-up steps are `startup`,
// without the events in it whose beginning is told; time between attempts is `fault.detect` up to the first line of the
// new attempt or the failure's own line, then `fault.restart`; repeated steps are `fault.lost_work`. Where the
// cluster's records are joined to the log (analysis/records/join.h) the scheduler's waiting time is `queue`, before the
// log's first line and inside a restart, the time from the job's start to that line is `startup`, and a driver's error
// or a stuck collective is quoted as the evidence of `fault.detect`. A clock that goes back starts another segment;
// segments add up. Error: the resolution of the timestamps (often 1 s) per pause; nothing is booked twice, so the sum
// is exact.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "nameplate/analysis/mfu/step_times.h"

namespace nameplate {

struct WallClock {
  double wall_s = 0;
  double productive_s = 0;              // steps done for the first time, after warm-up
  std::map<LedgerRow, double> other_s;  // seconds of every other cause that was found; unattributed is the remainder
  std::map<LedgerRow, std::string> evidence;
  std::map<LedgerRow, std::int64_t> pauses;  // how many events the seconds of a row come from
  std::int64_t attempts = 1;
  std::int64_t redone_steps = 0;
  std::int64_t unlogged_steps = 0;  // steps between rows further apart than usual, taken at the median step time
};

// Nothing when the log has no clock, or the steps no absolute duration.
std::optional<WallClock> account_wall_clock(const RunLog& log, const StepTimes& times);

}  // namespace nameplate
