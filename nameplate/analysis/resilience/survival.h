// What failures leave of a job's time, what today's intervals cost, what each number is worth, and how sure that is.
//
// Method: the exact chain over checkpoint levels (closed_form_levels.h) gives the share of work while nodes are there;
// the distribution of nodes down (job_failures.h) the time that the job waits for nodes; ETTR is their product. An
// elastic job computes on with the nodes that are left: of its time then (nodes/N)^(1 + loss) counts.
// Rates carry the counts that they come from: their posterior under the prior rate^(-1/2) (Jeffreys) is Gamma(count +
// 1/2, exposure), drawn class by class; the interval is of the expected ETTR over those draws, not of one run's luck.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/resilience/closed_form_levels.h"
#include "nameplate/analysis/resilience/job_failures.h"
#include "nameplate/core/statistics.h"
#include "nameplate/facts/failures.h"

namespace nameplate {

// Shortest interval looked at: a step is the least that a checkpoint can follow.
inline constexpr Seconds kLeastInterval = Seconds::from_base(1);

struct Availability {
  double ratio = 1;     // share of the time in which the job has all its nodes
  double computes = 1;  // what it gets done of what it would with all of them
  double nodes_down = 0;
  double spares_held = 0;  // ready, on average
};
Availability availability(const FailureModel& model, const JobSize& job, std::int64_t spares);

struct Survival {
  PerSecond interruptions;
  LevelPlan best;
  TimeShares at_best;
  std::optional<LevelPlan> today;
  std::optional<TimeShares> at_today;
  std::optional<Availability> nodes;  // where repair is known and keeps up

  const LevelPlan& plan() const { return today ? *today : best; }
  const TimeShares& shares() const { return at_today ? *at_today : at_best; }
  double ettr() const { return shares().work * (nodes ? nodes->computes : 1); }
  double best_ettr() const { return at_best.work * (nodes ? nodes->computes : 1); }
};
// `model` has at least one checkpoint level.
Survival survival_of(const FailureModel& model, const JobSize& job);
// Whether every stage of the repair keeps up with the failures, and no more nodes are down than there are.
bool repair_is_stable(const FailureModel& model, const JobSize& job);

// 95 % interval of the expected ETTR over the posterior of the rates; nothing where no class says how many were
// counted.
std::optional<Interval> ettr_interval(const FailureModel& model, const JobSize& job, std::uint64_t seed,
                                      int draws = 400);

// One number of the model, halved and doubled.
enum class Lever { failure_rate, blocking, detection, restart, repair };
std::string_view name(Lever lever);
FailureModel scaled(const FailureModel& model, Lever lever, double factor);
struct Sensitivity {
  Lever lever = Lever::failure_rate;
  double halved = 0;  // best ETTR with half of it
  double doubled = 0;
  double elasticity = 0;  // relative change of the best ETTR for a relative change of the number, with the sign turned
};
// The largest first. Of the model's own MFU the elasticity is 1.
std::vector<Sensitivity> sensitivities(const FailureModel& model, const JobSize& job);

// Nodes at which one per cent fewer failures is worth one per cent more MFU, intervals always at their best; nothing
// below `most`.
std::optional<std::int64_t> reliability_overtakes(const FailureModel& model, const JobSize& job, std::int64_t most);

}  // namespace nameplate
