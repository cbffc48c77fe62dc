// What failures leave of a job's time, what today's intervals cost, what each number is worth, and how sure that is.
//
// Method: the exact chain over checkpoint levels (closed_form_levels.h) gives the share of work while nodes are there;
// the distribution of nodes down (job_failures.h) the time that the job waits for nodes; ETTR is their product. An
// elastic job computes on with the nodes that are left: of its time then (nodes/N)^(1 + loss) counts.
// Rates carry the counts that they come from: their posterior under the prior 1/rate is Gamma(count, exposure), drawn
// class by class: its mean is the rate that the headline takes, and classes sum to the Gamma of their total. The
// interval is of the expected ETTR over those draws, not of one run's luck.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nameplate/analysis/resilience/closed_form_levels.h"
#include "nameplate/analysis/resilience/closed_form_scope.h"
#include "nameplate/analysis/resilience/event_replications.h"
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

// What simulated runs make of the horizon, where the closed forms do not hold: means over the runs.
struct SimulatedShares {
  double ettr = 0;
  Interval interval;  // of the mean, 95 %
  std::size_t runs = 0;
  TimeAccount job;     // shares of the wall-clock
  FleetAccount fleet;  // nodes
};
SimulatedShares simulated_shares(std::span<const Replication> runs);

struct Survival {
  PerSecond interruptions;
  LevelPlan best;
  TimeShares at_best;
  std::optional<LevelPlan> today;
  std::optional<TimeShares> at_today;
  std::optional<Availability> nodes;         // where repair is known and its closed form holds
  std::optional<SimulatedShares> simulated;  // set where the closed forms do not hold; the figures are then these

  const LevelPlan& plan() const { return today ? *today : best; }
  const TimeShares& shares() const { return at_today ? *at_today : at_best; }
  double computes() const { return nodes ? nodes->computes : 1; }
  double ettr() const { return simulated ? simulated->ettr : shares().work * computes(); }
  // The best intervals are the chain's; simulated runs gain by them what the chain does.
  double best_ettr() const {
    if (!simulated) return at_best.work * computes();
    return shares().work > 0 ? simulated->ettr * at_best.work / shares().work : simulated->ettr;
  }
};
// `model` has at least one checkpoint level.
Survival survival_of(const FailureModel& model, const JobSize& job);

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
  // Relative change of the best ETTR for a relative change of the number, with the sign turned: at the model, or, where
  // no closed form holds, between half and twice.
  double elasticity = 0;
};
using BestEttr = std::function<double(const FailureModel&)>;
// The largest first. Of the model's own MFU the elasticity is 1. `simulated` gives the best ETTR over the horizon of
// models that the closed forms do not hold for.
std::vector<Sensitivity> sensitivities(const FailureModel& model, const JobSize& job, Seconds horizon,
                                       const BestEttr& simulated);

// Nodes at which one per cent fewer failures is worth one per cent more MFU, intervals always at their best; nothing
// below `most`.
std::optional<std::int64_t> reliability_overtakes(const FailureModel& model, const JobSize& job, std::int64_t most);

}  // namespace nameplate
