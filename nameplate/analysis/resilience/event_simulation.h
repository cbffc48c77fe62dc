// Event simulation of one gang job on a fleet that fails (resilience-economics: Young 1974, Daly 2006 and the exact
// form are its checks, docs/models/resilience-simulation.md).
//
// Two ways, the same rules (event_model.h). Where failures are memoryless and a spare is always at hand, the job's
// failures are one Poisson stream and no node has a state: millions of failures a second. Else every node has its own
// lifetimes, and spares, repair and lemons follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nameplate/analysis/resilience/event_job.h"
#include "nameplate/analysis/resilience/event_model.h"
#include "nameplate/analysis/resilience/event_replication.h"

namespace nameplate {

// Replication `number` is a function of (model, seed, number) alone. `path`, if given, receives the job's path.
Replication simulate_job(const EventModel& model, std::uint64_t seed, std::uint32_t number,
                         std::vector<PathPoint>* path = nullptr);

// A failure that happened, to be replayed in place of sampled ones.
struct RecordedFailure {
  double at = 0;            // seconds since the run began
  std::size_t failure = 0;  // index of its class
  std::optional<std::int64_t> node;
  bool operator==(const RecordedFailure&) const = default;
};

// `recorded` in order of time. Random is left only which checkpoints survive, where a level covers a share.
Replication replay_job(const EventModel& model, std::span<const RecordedFailure> recorded, std::uint64_t seed,
                       std::uint32_t number, std::vector<PathPoint>* path = nullptr);

}  // namespace nameplate
