// The fleet behind one gang job, node by node: which of them work, stand by, are on their way or in repair, and when
// each fails next. Rules: event_model.h; besides them:
// - Repair begins at the failure; without repair stages a failed node is replaced by a new one at once.
// - A spare is sent for at the failure and takes the place after detection and its pool's ready time. A node that comes
//   back from repair takes a free place at once, else it fills the pools in their order.
// - Nodes on their way or in repair do not fail; spares fail at their pool's factor, and then stop no job.
// - Domains are consecutive nodes; the spares' numbers follow those of the job.
// - A wrong diagnosis sends a random node of the job to repair; the bad one stays and fails again after `recurs_after`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nameplate/analysis/resilience/event_job.h"
#include "nameplate/analysis/resilience/event_model.h"
#include "nameplate/analysis/resilience/event_replication.h"
#include "nameplate/analysis/resilience/event_simulation.h"

namespace nameplate {

// As simulate_job, with a state for every node.
Replication simulate_fleet(const EventModel& model, std::uint64_t seed, std::uint32_t number,
                           std::vector<PathPoint>* path = nullptr);
// `recorded` in order of time, in place of sampled failures; one without a node, or whose node is not at work, strikes
// a random one of the job.
Replication replay_fleet(const EventModel& model, std::span<const RecordedFailure> recorded, std::uint64_t seed,
                         std::uint32_t number, std::vector<PathPoint>* path = nullptr);

}  // namespace nameplate
