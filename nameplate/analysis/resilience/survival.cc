#include "nameplate/analysis/resilience/survival.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "nameplate/analysis/resilience/special_functions.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

constexpr std::array kLevers = {Lever::failure_rate, Lever::blocking, Lever::detection, Lever::restart, Lever::repair};

double best_ettr(const FailureModel& model, const JobSize& job) { return survival_of(model, job).best_ettr(); }

// d ln(best ETTR) / d ln(lever), turned: what a per cent less of it gives.
double slope(double less, double more, double factor) { return std::log(less / more) / (2 * std::log(factor)); }

double elasticity(const FailureModel& model, const JobSize& job, Lever lever) {
  constexpr double kStep = 1.02;
  const double more = best_ettr(scaled(model, lever, kStep), job),
               less = best_ettr(scaled(model, lever, 1 / kStep), job);
  return slope(less, more, kStep);
}

ScaledDuration times(const ScaledDuration& duration, double factor) {
  ScaledDuration result{duration.at_one_node * factor, duration.per_doubling * factor, duration.points};
  for (ScalePoint& point : result.points) point.duration = point.duration * factor;
  return result;
}

}  // namespace

Availability availability(const FailureModel& model, const JobSize& job, std::int64_t spares) {
  const CountDistribution down = nodes_down(model, job, spares);
  Availability result{.ratio = at_most(down, spares), .computes = 0, .nodes_down = mean(down)};
  for (std::size_t k = 0; k < down.probability.size(); ++k) {
    const auto short_of = static_cast<std::int64_t>(k) - spares;
    result.spares_held += down.probability[k] * static_cast<double>(std::max<std::int64_t>(0, -short_of));
    const double left = 1 - static_cast<double>(std::max<std::int64_t>(0, short_of)) / static_cast<double>(job.nodes);
    if (short_of <= 0) {
      result.computes += down.probability[k];
    } else if (model.elastic && left >= model.elastic->least_ratio && left > 0) {
      result.computes += down.probability[k] * std::pow(left, 1 + model.elastic->scaling_loss);
    }
  }
  return result;
}

Survival survival_of(const FailureModel& model, const JobSize& job) {
  const std::vector<RecoveryPath> paths = recovery_paths(model, job);
  Survival result;
  result.interruptions = job_rate(model, job);
  result.best = best_plan(paths, blocking_times(model), kLeastInterval);
  result.at_best = time_shares(paths, result.best);
  result.today = stated_plan(model);
  if (result.today) result.at_today = time_shares(paths, *result.today);
  if (!model.repair.empty() && nodes_down_is_exact(model, job)) {
    result.nodes = availability(model, job, spare_nodes(model));
  }
  return result;
}

std::optional<Interval> ettr_interval(const FailureModel& model, const JobSize& job, std::uint64_t seed, int draws) {
  const bool counted = std::any_of(model.classes.begin(), model.classes.end(),
                                   [](const FailureClass& c) { return c.rate.events.has_value(); });
  if (!counted) return std::nullopt;
  const Survival now = survival_of(model, job);
  const double computes = now.nodes ? now.nodes->computes : 1;
  std::vector<double> ettrs;
  for (int draw = 0; draw < draws; ++draw) {
    RandomStream random(seed, static_cast<std::uint64_t>(draw));
    FailureModel drawn = model;
    for (FailureClass& c : drawn.classes) {
      const double u = random.next_uniform();  // one a class, drawn or not, so that classes keep their numbers
      if (!c.rate.events) continue;
      c.rate.rate = c.rate.rate * (gamma_quantile(*c.rate.events, std::max(u, 1e-12)) / *c.rate.events);
    }
    ettrs.push_back(time_shares(recovery_paths(drawn, job), now.plan()).work * computes);
  }
  return Interval{quantile(ettrs, 0.025), quantile(ettrs, 0.975)};
}

std::string_view name(Lever lever) {
  switch (lever) {
    case Lever::failure_rate:
      return "failure_rate";
    case Lever::blocking:
      return "blocking";
    case Lever::detection:
      return "detection";
    case Lever::restart:
      return "restart";
    case Lever::repair:
      return "repair";
  }
  return "";
}

FailureModel scaled(const FailureModel& model, Lever lever, double factor) {
  FailureModel other = model;
  switch (lever) {
    case Lever::failure_rate:
      for (FailureClass& c : other.classes) c.rate.rate = c.rate.rate * factor;
      break;
    case Lever::blocking:
      for (CheckpointLevel& level : other.checkpoints) {
        if (level.total <= level.block) level.total = level.total * factor;  // else written behind training, as before
        level.block = level.block * factor;
      }
      break;
    case Lever::detection:
      for (FailureClass& c : other.classes) c.detect = c.detect * factor;
      break;
    case Lever::restart:
      for (FailureClass& c : other.classes) c.restart = times(c.restart, factor);
      for (CheckpointLevel& level : other.checkpoints) level.load = level.load * factor;
      break;
    case Lever::repair:
      for (RepairStage& stage : other.repair) stage.duration = stage.duration * factor;
      break;
  }
  return other;
}

SimulatedShares simulated_shares(std::span<const Replication> runs) {
  const FigureSpread spread = distribution(runs, ettr, 0.95);
  SimulatedShares result{spread.mean, spread.mean_interval, runs.size(), {}, {}};
  for (const Replication& run : runs) {
    const double weight = 1 / (run.wall * static_cast<double>(runs.size()));
    result.job += scaled(run.time, weight);
    result.fleet.job += scaled(run.fleet.job, weight);
    result.fleet.held_spare += run.fleet.held_spare * weight;
    result.fleet.in_repair += run.fleet.in_repair * weight;
    result.fleet.lent += run.fleet.lent * weight;
  }
  return result;
}

std::vector<Sensitivity> sensitivities(const FailureModel& model, const JobSize& job, Seconds horizon,
                                       const BestEttr& simulated) {
  constexpr double kNear = 1.02, kNothing = 1e-6;  // an ETTR below it is none
  const auto holds = [&](const FailureModel& other) { return outside_closed_form(other, job, horizon).empty(); };
  const auto best = [&](const FailureModel& other) { return holds(other) ? best_ettr(other, job) : simulated(other); };
  std::vector<Sensitivity> result;
  for (const Lever lever : kLevers) {
    if (scaled(model, lever, 2) == model) continue;
    Sensitivity s{lever, best(scaled(model, lever, 0.5)), best(scaled(model, lever, 2)), 0};
    const bool near = holds(scaled(model, lever, kNear)) && holds(scaled(model, lever, 1 / kNear));
    s.elasticity =
        near ? elasticity(model, job, lever) : slope(std::max(s.halved, kNothing), std::max(s.doubled, kNothing), 2);
    result.push_back(s);
  }
  std::stable_sort(result.begin(), result.end(), [](const Sensitivity& a, const Sensitivity& b) {
    return a.halved - a.doubled > b.halved - b.doubled;
  });
  return result;
}

std::optional<std::int64_t> reliability_overtakes(const FailureModel& model, const JobSize& job, std::int64_t most) {
  FailureModel without_repair = model;  // spares grow with the fleet; here only the job's own time counts
  without_repair.repair.clear();
  const auto overtakes = [&](std::int64_t nodes) {
    // Not below 1: where nothing is left the quotient is no number.
    return !(elasticity(without_repair, {nodes, job.devices_per_node}, Lever::failure_rate) < 1);
  };
  if (!overtakes(most)) return std::nullopt;
  std::int64_t low = 0, high = most;  // overtakes(high), not overtakes(low)
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (overtakes(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace nameplate
