// A failure model seen by one gang job: how often it is interrupted, from which level it comes back, which nodes leave.
//
// Rules (the event simulation's, event_model.h): all of a job's nodes are exposed; software failures, planned stops and
// failures counted per job take no node away; silent corruption is noticed late, its work since then is done again from
// the last level, and what corrupts it again before is mended with it (rate r, noticed after d: r / (1 + r d)
// rollbacks). Levels are nested: what a fast one covers, a slower one covers, too; the last covers all. Lemons and
// shapes other than 1 enter by their mean: right for the mean of a fleet that is old, not for a young one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/resilience/closed_form_levels.h"
#include "nameplate/analysis/resilience/closed_form_spares.h"
#include "nameplate/facts/failures.h"

namespace nameplate {

struct JobSize {
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
};

// How many of what the class's rate is of the job has.
double units_of(const FailureClass& failure, const JobSize& job);
// Failures of the class that interrupt the job.
PerSecond job_rate(const FailureModel& model, const FailureClass& failure, const JobSize& job);
PerSecond job_rate(const FailureModel& model, const JobSize& job);  // of all classes

bool takes_nodes(const FailureClass& failure);

std::vector<RecoveryPath> recovery_paths(const FailureModel& model, const JobSize& job);
// Saves of the model's levels as it states them, each interval rounded to a multiple of the one before; nothing when a
// level does not say how often.
std::optional<LevelPlan> stated_plan(const FailureModel& model);
std::vector<Seconds> blocking_times(const FailureModel& model);

// Time from a node's failure to its return, all stages and repairs that did not hold included; queues for crews are
// not.
Seconds mean_repair(const FailureModel& model);
// Failures per second that take nodes of the job away, and how many each takes.
struct NodeLosses {
  PerSecond events;
  std::vector<EventSize> sizes;
  double nodes_per_event() const;
};
NodeLosses node_losses(const FailureModel& model, const JobSize& job);
bool fail_one_by_one(const NodeLosses& losses);

// Of one stage of the repair: nodes that arrive x time in hand / crews; at 1 and above it never catches up.
struct RepairLoad {
  std::string name;
  std::int64_t crews = 0;  // 0: unlimited
  double work = 0;         // crews that are busy on average
  double margin = 0;       // crews / work; infinite when unlimited
};
std::vector<RepairLoad> repair_loads(const FailureModel& model, const JobSize& job);

// Nodes down at any time, each repaired by itself. With crews, or where events take several nodes, a chain with
// arrivals in groups, exact for one exponential stage; else Poisson, for stages of any kind. Holds where
// closed_form_scope.h says so.
CountDistribution nodes_down(const FailureModel& model, const JobSize& job, std::int64_t spares);

}  // namespace nameplate
