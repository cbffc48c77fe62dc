#include "nameplate/analysis/resilience/closed_form_scope.h"

#include <algorithm>
#include <cmath>

namespace nameplate {
namespace {

bool crews_or_racks_in_stages(const FailureModel& model, const JobSize& job) {
  if (model.repair.size() < 2) return false;
  const bool crews = std::any_of(model.repair.begin(), model.repair.end(), [](const auto& s) { return s.crews > 0; });
  return crews || !fail_one_by_one(node_losses(model, job));
}

bool repairs_break(const FailureModel& model) {
  return model.wrong_unit > 0 ||
         std::any_of(model.repair.begin(), model.repair.end(), [](const auto& s) { return s.silent_failure > 0; }) ||
         std::any_of(model.classes.begin(), model.classes.end(), [](const auto& c) { return c.recurs > 0; });
}

bool ages(const FailureModel& model) {
  return std::any_of(model.classes.begin(), model.classes.end(), [](const auto& c) { return c.shape != 1; });
}

// A corruption and a further failure before it is noticed: the closed form takes the corruptions that one rollback
// mends together, but redoes work at the pace of a run without saves, and charges failures of other kinds in full.
bool corruption_is_late(const FailureModel& model, const JobSize& job) {
  double both = 0;
  for (const FailureClass& failure : model.classes) {
    if (failure.cause != FailureCause::silent_corruption) continue;
    both += job_rate(model, failure, job) * failure.detect * (job_rate(model, job) * failure.detect);
  }
  return both > kNegligibleShare;
}

// Until a save can be restored from, a failure goes back to the one before.
bool saves_are_late(const FailureModel& model, const JobSize& job) {
  Seconds late;
  for (const CheckpointLevel& level : model.checkpoints) late = std::max(late, level.total - level.block);
  return job_rate(model, job) * late > kNegligibleShare;
}

bool pools_differ(const FailureModel& model) {
  return std::any_of(model.spares.begin(), model.spares.end(), [&](const SparePool& pool) {
    return pool.ready != model.spares.front().ready || pool.failure_factor != model.spares.front().failure_factor;
  });
}

Seconds filling_time(const FailureModel& model, const JobSize& job) {
  const RepairStage& stage = model.repair.front();
  if (model.repair.size() > 1 || stage.crews == 0) return mean_repair(model);
  const NodeLosses losses = node_losses(model, job);
  double squares = 0;
  for (const EventSize& size : losses.sizes) squares += size.share * static_cast<double>(size.units * size.units);
  const double arrivals = losses.events.base() * losses.nodes_per_event();
  const double capacity = static_cast<double>(stage.crews) / mean_repair(model).base();
  const double spare = std::sqrt(capacity) - std::sqrt(arrivals);
  return seconds(squares / losses.nodes_per_event() / (spare * spare));
}

// Nodes are short for less of the run than in the long run while the queue fills.
bool queue_is_slow(const FailureModel& model, const JobSize& job, Seconds horizon) {
  if (model.repair.empty() || !nodes_down_is_exact(model, job)) return false;
  const std::int64_t spares = spare_nodes(model);
  const double lacking = 1 - at_most(nodes_down(model, job, spares), spares);
  return lacking * std::min(1.0, filling_time(model, job) / horizon) > kNegligibleShare;
}

}  // namespace

std::string_view name(OutsideClosedForm why) {
  switch (why) {
    case OutsideClosedForm::unstable_repair:
      return "unstable_repair";
    case OutsideClosedForm::slow_queue:
      return "slow_queue";
    case OutsideClosedForm::elastic:
      return "elastic";
    case OutsideClosedForm::several_crews:
      return "several_crews";
    case OutsideClosedForm::broken_repairs:
      return "broken_repairs";
    case OutsideClosedForm::lemons:
      return "lemons";
    case OutsideClosedForm::ages:
      return "ages";
    case OutsideClosedForm::late_corruption:
      return "late_corruption";
    case OutsideClosedForm::late_saves:
      return "late_saves";
    case OutsideClosedForm::several_spare_pools:
      return "several_spare_pools";
  }
  return "";
}

bool repair_is_stable(const FailureModel& model, const JobSize& job) {
  const std::vector<RepairLoad> loads = repair_loads(model, job);
  const NodeLosses losses = node_losses(model, job);
  const double down = losses.events * mean_repair(model) * losses.nodes_per_event();
  return down <= static_cast<double>(job.nodes) &&
         std::all_of(loads.begin(), loads.end(), [](const RepairLoad& load) { return load.margin > 1; });
}

bool nodes_down_is_exact(const FailureModel& model, const JobSize& job) {
  return repair_is_stable(model, job) && !crews_or_racks_in_stages(model, job);
}

std::vector<OutsideClosedForm> outside_closed_form(const FailureModel& model, const JobSize& job, Seconds horizon) {
  std::vector<OutsideClosedForm> result;
  const auto add = [&](bool applies, OutsideClosedForm why) {
    if (applies) result.push_back(why);
  };
  add(!model.repair.empty() && !repair_is_stable(model, job), OutsideClosedForm::unstable_repair);
  add(queue_is_slow(model, job, horizon), OutsideClosedForm::slow_queue);
  add(model.elastic.has_value(), OutsideClosedForm::elastic);
  add(crews_or_racks_in_stages(model, job), OutsideClosedForm::several_crews);
  add(repairs_break(model), OutsideClosedForm::broken_repairs);
  add(model.lemon_share > 0 && model.lemon_factor != 1, OutsideClosedForm::lemons);
  add(ages(model), OutsideClosedForm::ages);
  add(corruption_is_late(model, job), OutsideClosedForm::late_corruption);
  add(saves_are_late(model, job), OutsideClosedForm::late_saves);
  add(pools_differ(model), OutsideClosedForm::several_spare_pools);
  return result;
}

}  // namespace nameplate
