// The simulation that a model calls for, and a recorded run as one to be replayed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nameplate/analysis/resilience/event_model.h"
#include "nameplate/analysis/resilience/event_replication.h"
#include "nameplate/analysis/resilience/event_simulation.h"
#include "nameplate/facts/run.h"

namespace nameplate {

// simulate_job where is_memoryless(model), else simulate_fleet.
Replication simulate(const EventModel& model, std::uint64_t seed, std::uint32_t number,
                     std::vector<PathPoint>* path = nullptr);

struct RecordedRun {
  std::vector<RecordedFailure> failures;  // in order of time
  std::int64_t left_out = 0;              // without a time, or without a class that could be theirs
};

// The failures among the events of a log or of the cluster's records, from `start_s` on, their clock's time. One of the
// job is of the first class that takes no node away, one of a node, device or rank of the first that takes one. Nodes
// are numbered as they first appear among the subjects of events of nodes.
RecordedRun recorded_failures(std::span<const Event> events, double start_s, const EventModel& model);

}  // namespace nameplate
