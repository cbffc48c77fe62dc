#include "nameplate/analysis/resilience/event_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nameplate/analysis/resilience/job_failures.h"

namespace nameplate {
namespace {

Error out_of_range(const std::string& what, double value, std::string expected) {
  Error result = error(fmt::format("{} is {}", what, value));
  result.expected = std::move(expected);
  return result;
}

Status check_probability(const std::string& what, double value) {
  if (value >= 0 && value <= 1) return std::nullopt;
  return out_of_range(what, value, "a probability, 0 to 1");
}

Status check_not_negative(const std::string& what, double value) {
  if (value >= 0 && std::isfinite(value)) return std::nullopt;
  return out_of_range(what, value, "zero or more");
}

Status check_positive(const std::string& what, double value) {
  if (value > 0 && std::isfinite(value)) return std::nullopt;
  return out_of_range(what, value, "more than zero");
}

Status first_of(std::initializer_list<Status> checks) {
  for (const Status& status : checks) {
    if (status) return status;
  }
  return std::nullopt;
}

Status check_class(const FailureClass& failure) {
  const std::string name = "failure class '" + failure.name + "': ";
  return first_of({check_not_negative(name + "rate", failure.rate.rate.base()),
                   check_positive(name + "shape", failure.shape),
                   check_positive(name + "nodes of its domain", static_cast<double>(failure.domain_nodes)),
                   check_probability(name + "share of its domain", failure.domain_share),
                   check_probability(name + "recurrence", failure.recurs),
                   check_not_negative(name + "detection", failure.detect.base())});
}

Status check_level(const CheckpointLevel& level) {
  const std::string name = "checkpoint level '" + level.name + "': ";
  if (level.every == Seconds{} && level.block > Seconds{}) {
    return out_of_range(name + "interval", 0, "more than zero where saving blocks");
  }
  return first_of({check_not_negative(name + "interval", level.every.base()),
                   check_not_negative(name + "blocking time", level.block.base()),
                   check_not_negative(name + "total time", level.total.base()),
                   check_not_negative(name + "load time", level.load.base()),
                   check_probability(name + "coverage", level.covers)});
}

Status check_repair(const RepairStage& stage) {
  const std::string name = "repair stage '" + stage.name + "': ";
  return first_of({check_not_negative(name + "duration", stage.duration.base()),
                   check_probability(name + "success", stage.success),
                   check_probability(name + "silent failure", stage.silent_failure),
                   check_not_negative(name + "crews", static_cast<double>(stage.crews))});
}

Status check_pool(const SparePool& pool) {
  return first_of({check_not_negative("spare nodes", static_cast<double>(pool.nodes)),
                   check_not_negative("ready time of spares", pool.ready.base()),
                   check_not_negative("failure factor of spares", pool.failure_factor)});
}

Status check_fleet(const SimulationInput& input) {
  const FailureModel& model = input.failures;
  return first_of(
      {check_positive("nodes of the job", static_cast<double>(input.nodes)),
       check_positive("devices of a node", static_cast<double>(input.devices_per_node)),
       check_positive("length of the simulation", input.length.base()),
       check_positive("time of giving up", input.give_up.base()), check_not_negative("startup", input.startup.base()),
       check_not_negative("time of recurrence", input.recurs_after.base()),
       check_probability("wrong diagnosis", model.wrong_unit), check_probability("share of lemons", model.lemon_share),
       check_positive("factor of lemons", model.lemon_factor),
       check_not_negative("age of the fleet", model.fleet_age.value_or(Seconds{}).base()),
       check_probability("least share of nodes", model.elastic.value_or(ElasticRun{}).least_ratio)});
}

Status check(const SimulationInput& input) {
  const FailureModel& model = input.failures;
  if (model.classes.size() > kMaxFailureClasses) {
    return out_of_range("the number of failure classes", static_cast<double>(model.classes.size()), "at most 16");
  }
  if (model.checkpoints.size() > kMaxCheckpointLevels) {
    return out_of_range("the number of checkpoint levels", static_cast<double>(model.checkpoints.size()), "at most 4");
  }
  Status status = check_fleet(input);
  for (std::size_t i = 0; !status && i < model.classes.size(); ++i) status = check_class(model.classes[i]);
  for (std::size_t i = 0; !status && i < model.checkpoints.size(); ++i) status = check_level(model.checkpoints[i]);
  for (std::size_t i = 0; !status && i < model.repair.size(); ++i) status = check_repair(model.repair[i]);
  for (std::size_t i = 0; !status && i < model.spares.size(); ++i) status = check_pool(model.spares[i]);
  return status;
}

double units_of_job(const FailureClass& failure, const SimulationInput& input) {
  return units_of(failure, {input.nodes, input.devices_per_node});
}

SimulatedClass compile_class(const FailureClass& failure, const SimulationInput& input) {
  SimulatedClass result;
  result.unit_rate = failure.rate.rate.base();
  result.unit = failure.rate.unit;
  result.job_rate = result.unit_rate * units_of_job(failure, input);
  result.shape = failure.shape;
  result.domain_share = failure.rate.unit == RateUnit::domain ? 1 : failure.domain_share;
  result.domain = failure.domain;
  result.domain_nodes = failure.domain_nodes;
  result.detect = failure.detect.base();
  result.restart = at_scale(failure.restart, input.nodes).base();
  result.recurs = failure.recurs;
  result.silent = failure.cause == FailureCause::silent_corruption;
  result.takes_nodes = failure.rate.unit != RateUnit::job && failure.cause != FailureCause::software &&
                       failure.cause != FailureCause::planned;
  return result;
}

double shortest_interval(const std::vector<CheckpointLevel>& levels) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const CheckpointLevel& level : levels) {
    if (level.every > Seconds{}) shortest = std::min(shortest, level.every.base());
  }
  return shortest;
}

SimulatedLevel compile_level(const CheckpointLevel& level, double interval) {
  SimulatedLevel result;
  result.every = level.every > Seconds{} ? std::llround(level.every.base() / interval) : 0;
  result.block = level.block.base();
  result.latency = std::max(level.block, level.total).base();
  result.load = level.load.base();
  result.covers = level.covers;
  result.outside = level.outside;
  return result;
}

void compile_fleet(const SimulationInput& input, EventModel& result) {
  const FailureModel& model = input.failures;
  const ElasticRun elastic = model.elastic.value_or(ElasticRun{});
  const double least = std::ceil(elastic.least_ratio * static_cast<double>(input.nodes) - 1e-9);
  result.least_nodes = std::max<std::int64_t>(1, static_cast<std::int64_t>(least));
  result.scaling_loss = elastic.scaling_loss;
  result.rejoin = elastic.rejoin.base();
  result.repair = model.repair;
  result.spares = model.spares;
  result.wrong_unit = model.wrong_unit;
  result.lemon_share = model.lemon_share;
  result.lemon_factor = model.lemon_factor;
  result.fleet_age = model.fleet_age.value_or(Seconds{}).base();
}

}  // namespace

Seconds work_for(Tokens tokens, TokensPerSecond at_full_speed) { return tokens / at_full_speed; }

Result<EventModel> compile(const SimulationInput& input) {
  if (Status status = check(input)) return *status;
  EventModel result;
  for (const FailureClass& failure : input.failures.classes) result.classes.push_back(compile_class(failure, input));
  result.interval = shortest_interval(input.failures.checkpoints);
  for (const CheckpointLevel& level : input.failures.checkpoints) {
    result.levels.push_back(compile_level(level, result.interval));
  }
  result.nodes = input.nodes;
  result.devices_per_node = input.devices_per_node;
  result.startup = input.startup.base();
  result.end = input.end;
  result.length = input.length.base();
  result.give_up = input.give_up.base();
  result.fails_while_stopped = input.fails_while_stopped;
  result.recurs_after = input.recurs_after.base();
  compile_fleet(input, result);
  return result;
}

bool is_memoryless(const EventModel& model) {
  for (const SimulatedClass& failure : model.classes) {
    if (failure.shape != 1 || failure.recurs > 0) return false;
  }
  return model.repair.empty() && model.lemon_share == 0 && model.wrong_unit == 0 && model.fails_while_stopped;
}

}  // namespace nameplate
