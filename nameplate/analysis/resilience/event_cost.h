// How many events a replication handles, estimated before it runs, so that no command runs without end.
//
// A clock that renews has handled about t / E[min(X, t)] lives X by the time t (Wald's equation; within a factor of 2,
// Lorden 1970); for a Weibull E[min(X, t)] = mean * P(1/k, (t/scale)^k) with the regularised incomplete gamma P. So the
// early failures of a young fleet count, and the lives that an old one has behind it. A fault that recurs comes back
// 1 / (1 - recurs) times, at most once in its time of recurrence.
#pragma once

#include "nameplate/analysis/resilience/event_model.h"

namespace nameplate {

// One event: a failure with what follows from it, node by node; a microsecond or so. Where only the job is simulated a
// failure is a fifth of one.
double expected_events(const EventModel& model);

}  // namespace nameplate
