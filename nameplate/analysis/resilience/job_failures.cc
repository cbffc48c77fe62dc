#include "nameplate/analysis/resilience/job_failures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "nameplate/analysis/resilience/closed_form_repair.h"

namespace nameplate {
namespace {

// Share of the class's events that take the whole domain.
double whole_domain(const FailureClass& failure) {
  return failure.rate.unit == RateUnit::domain ? 1 : failure.domain_share;
}

// Share of the class's events after which the level can be restored from.
double usable(const CheckpointLevel& level, const FailureClass& failure) {
  const bool inside = level.outside && failure.domain > *level.outside;
  return level.covers * (inside ? 1 - whole_domain(failure) : 1);
}

// Corruptions that come before one is noticed are mended with it: of those that begin, so much of the rate is left.
double first_corruptions(const FailureModel& model, const JobSize& job) {
  double latent = 0;
  for (const FailureClass& failure : model.classes) {
    if (failure.cause == FailureCause::silent_corruption) latent += job_rate(model, failure, job) * failure.detect;
  }
  return 1 / (1 + latent);
}

RecoveryPath path_of(const FailureModel& model, const FailureClass& failure, const JobSize& job) {
  RecoveryPath path;
  const bool silent = failure.cause == FailureCause::silent_corruption;
  (silent ? path.redone : path.detect) = failure.detect;
  Seconds restart = at_scale(failure.restart, job.nodes);
  if (takes_nodes(failure) && !model.spares.empty()) restart += model.spares.front().ready;
  for (const CheckpointLevel& level : model.checkpoints) path.restart.push_back(restart + level.load);
  return path;
}

// One passage through the stages: how long, and with which probability the node is not repaired after all.
struct RepairVisit {
  Seconds duration;
  double broken = 0;
};
RepairVisit visit_of(const FailureModel& model) {
  RepairVisit visit;
  double arrives = 1;
  for (std::size_t i = 0; i < model.repair.size(); ++i) {
    const RepairStage& stage = model.repair[i];
    const double leaves = i + 1 == model.repair.size() ? 1 : stage.success;
    visit.duration += stage.duration * arrives;
    visit.broken += arrives * leaves * stage.silent_failure;
    arrives *= 1 - leaves;
  }
  return visit;
}

}  // namespace

double units_of(const FailureClass& failure, const JobSize& job) {
  const auto nodes = static_cast<double>(job.nodes);
  switch (failure.rate.unit) {
    case RateUnit::device:
      return nodes * static_cast<double>(job.devices_per_node);
    case RateUnit::node:
      return nodes;
    case RateUnit::domain:
      return std::ceil(nodes / static_cast<double>(failure.domain_nodes));
    case RateUnit::job:
      return 1;
  }
  return 0;
}

PerSecond job_rate(const FailureModel& model, const FailureClass& failure, const JobSize& job) {
  const bool per_job = failure.rate.unit == RateUnit::job;
  const double lemons = per_job ? 1 : 1 + model.lemon_share * (model.lemon_factor - 1);
  return failure.rate.rate * units_of(failure, job) * lemons;
}

PerSecond job_rate(const FailureModel& model, const JobSize& job) {
  PerSecond sum;
  for (const FailureClass& failure : model.classes) sum += job_rate(model, failure, job);
  return sum;
}

bool takes_nodes(const FailureClass& failure) {
  return failure.rate.unit != RateUnit::job && failure.cause != FailureCause::software &&
         failure.cause != FailureCause::planned;
}

std::vector<RecoveryPath> recovery_paths(const FailureModel& model, const JobSize& job) {
  std::vector<RecoveryPath> paths;
  const std::size_t last = model.checkpoints.size() - 1;
  for (const FailureClass& failure : model.classes) {
    const bool silent = failure.cause == FailureCause::silent_corruption;
    const PerSecond rate = job_rate(model, failure, job) * (silent ? first_corruptions(model, job) : 1);
    double covered = 0;  // by faster levels
    for (std::size_t l = silent ? last : 0; l <= last; ++l) {
      const double reached = l == last ? 1 : std::max(covered, usable(model.checkpoints[l], failure));
      if (reached <= covered) continue;
      RecoveryPath path = path_of(model, failure, job);
      path.rate = rate * (reached - covered);
      path.level = l;
      paths.push_back(std::move(path));
      covered = reached;
    }
  }
  return paths;
}

std::optional<LevelPlan> stated_plan(const FailureModel& model) {
  LevelPlan plan{{}, blocking_times(model), {}};
  for (const CheckpointLevel& level : model.checkpoints) {
    if (level.every <= Seconds{}) return std::nullopt;
    if (plan.every.empty()) plan.interval = level.every;
    const std::int64_t before = plan.every.empty() ? 1 : plan.every.back();
    const double multiple = level.every / (plan.interval * static_cast<double>(before));
    plan.every.push_back(before * std::max<std::int64_t>(1, std::llround(multiple)));
  }
  return plan;
}

std::vector<Seconds> blocking_times(const FailureModel& model) {
  std::vector<Seconds> block;
  for (const CheckpointLevel& level : model.checkpoints) block.push_back(level.block);
  return block;
}

Seconds mean_repair(const FailureModel& model) {
  const RepairVisit visit = visit_of(model);
  return visit.broken < 1 ? visit.duration / (1 - visit.broken) : seconds(std::numeric_limits<double>::infinity());
}

double NodeLosses::nodes_per_event() const {
  double mean = 0;
  for (const EventSize& size : sizes) mean += size.share * static_cast<double>(size.units);
  return mean;
}

NodeLosses node_losses(const FailureModel& model, const JobSize& job) {
  NodeLosses losses;
  std::vector<std::pair<std::int64_t, double>> by_size;  // size, rate
  const auto add = [&](std::int64_t size, double rate) {
    const auto same = std::find_if(by_size.begin(), by_size.end(), [&](const auto& s) { return s.first == size; });
    if (rate <= 0) return;
    if (same == by_size.end()) {
      by_size.emplace_back(size, rate);
    } else {
      same->second += rate;
    }
  };
  for (const FailureClass& failure : model.classes) {
    if (!takes_nodes(failure)) continue;
    const double rate = job_rate(model, failure, job).base();
    losses.events += PerSecond::from_base(rate);
    add(std::min(failure.domain_nodes, job.nodes), rate * whole_domain(failure));
    add(1, rate * (1 - whole_domain(failure)));
  }
  for (const auto& [size, rate] : by_size) losses.sizes.push_back({size, rate / losses.events.base()});
  return losses;
}

bool fail_one_by_one(const NodeLosses& losses) {
  return losses.sizes.empty() || (losses.sizes.size() == 1 && losses.sizes.front().units == 1);
}

std::vector<RepairLoad> repair_loads(const FailureModel& model, const JobSize& job) {
  const NodeLosses losses = node_losses(model, job);
  // Those that come back broken arrive again.
  double arrives = losses.events.base() * losses.nodes_per_event() / (1 - visit_of(model).broken);
  std::vector<RepairLoad> loads;
  for (const RepairStage& stage : model.repair) {
    RepairLoad load{stage.name, stage.crews, arrives * stage.duration.base(), std::numeric_limits<double>::infinity()};
    if (stage.crews > 0) load.margin = static_cast<double>(stage.crews) / load.work;
    loads.push_back(load);
    arrives *= 1 - stage.success;
  }
  return loads;
}

CountDistribution nodes_down(const FailureModel& model, const JobSize& job, std::int64_t spares) {
  const NodeLosses losses = node_losses(model, job);
  const double spare_rate = model.spares.empty() ? 1 : model.spares.front().failure_factor;
  const PerSecond of_node = losses.events / static_cast<double>(job.nodes);
  const std::int64_t crews = model.repair.size() == 1 ? model.repair.front().crews : 0;
  if (crews > 0 || !fail_one_by_one(losses)) {
    return nodes_down(RepairShop{.nodes = job.nodes,
                                 .spares = spares,
                                 .failure_rate = of_node,
                                 .repair = mean_repair(model),
                                 .crews = crews,
                                 .spares_fail = spare_rate,
                                 .sizes = losses.sizes});
  }
  const double exposed = static_cast<double>(job.nodes) + spare_rate * static_cast<double>(spares);
  return compound_poisson(of_node * exposed * mean_repair(model), losses.sizes);
}

}  // namespace nameplate
