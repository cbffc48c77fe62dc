// The simulated time as ledgers, so that it can be subtracted from a measured run row by row.
#pragma once

#include <optional>
#include <span>

#include "nameplate/analysis/resilience/event_model.h"
#include "nameplate/analysis/resilience/event_replication.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {

// Mean over the replications (at least one), in accelerator-seconds of the nodes that the job was given. What was
// productive is split as `step` is; without it, it stays in `unattributed`, which says so.
Ledger run_ledger(const EventModel& model, std::span<const Replication> replications,
                  const std::optional<Ledger>& step = std::nullopt);
// Everything that the fleet pays for: the job's nodes, spares and nodes in repair; borrowed spares while they are away
// from their own work. Of replications by simulate_fleet.
Ledger fleet_ledger(const EventModel& model, std::span<const Replication> replications,
                    const std::optional<Ledger>& step = std::nullopt);
// Accelerator-hours that the job was given, mean over the replications.
double accelerator_hours(const EventModel& model, std::span<const Replication> replications);

}  // namespace nameplate
