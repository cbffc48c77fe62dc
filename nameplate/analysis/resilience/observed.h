// What a run's own log says of its failures: when it stopped, how long until it computed again, what was done again,
// and what its checkpoints blocked.
//
// A restart is a later attempt (the step index goes back, or the log begins anew). Its pause runs from the last row of
// the attempt before to the beginning of the first step of the next one. The part until the first line that tells of
// the failure is detection (log or cluster records; analysis/records/join.h), the rest restart. What stopped it follows
// from the events in the pause: a driver's error is hardware, a stuck collective network, else unknown. Exposure is the
// time that the log covers without the pauses, the time behind the last failure included (censored). Error: the
// resolution of the timestamps; a failure before the first step of an attempt is one failure, not two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/mfu/step_times.h"
#include "nameplate/core/maybe.h"
#include "nameplate/facts/failures.h"
#include "nameplate/facts/run.h"

namespace nameplate {

struct ObservedFailure {
  FailureCause cause = FailureCause::unknown;
  std::string subject;  // "node017", where an event names it
  Maybe detect_s;
  Maybe restart_s;
  double pause_s = 0;
  std::int64_t redone_steps = 0;
};

struct ObservedRun {
  Seconds exposure;  // computing, checkpoints included
  std::vector<ObservedFailure> failures;
  std::vector<double> blocking_s;  // of each save that held training up
  Maybe checkpoint_interval_s;     // median time between two saves
};

// Nothing when the log has no clock or no durations.
std::optional<ObservedRun> observe(const RunLog& log, const StepTimes& times);

}  // namespace nameplate
