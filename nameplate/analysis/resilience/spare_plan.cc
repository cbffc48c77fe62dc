#include "nameplate/analysis/resilience/spare_plan.h"

#include <algorithm>
#include <cmath>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

constexpr std::int64_t kMostSpares = 100'000;
constexpr std::int64_t kGrid = 250;
// Nodes by which two choices may differ and still cost the same: borrowed spares that are never needed cost nothing.
constexpr double kAsCheap = 1e-3;

bool is_borrowed(const FailureModel& model) {
  return !model.spares.empty() && model.spares.front().kind == SpareKind::borrowed;
}

SpareChoice choice_of(const FailureModel& model, const JobSize& job, const SpareEconomy& economy, std::int64_t spares) {
  SpareChoice choice{spares, availability(model, job, spares), 0};
  const double away = static_cast<double>(spares) - choice.nodes.spares_held;
  choice.cost_nodes = (is_borrowed(model) ? away : static_cast<double>(spares) * (1 - economy.salvage)) +
                      economy.stall_multiple * static_cast<double>(job.nodes) * (1 - choice.nodes.computes);
  return choice;
}

}  // namespace

double waiting_cost(const FailureModel& model, const SpareEconomy& economy) {
  return is_borrowed(model) ? 0 : 1 - economy.salvage;
}

std::vector<SpareChoice> spare_choices(const FailureModel& model, const JobSize& job, const SpareEconomy& economy) {
  NAMEPLATE_CHECK(nodes_down_is_exact(model, job));
  std::vector<SpareChoice> choices;
  // Beyond this quantile a spare that is free earns less than a millionth of the job.
  const std::int64_t most = std::min(kMostSpares, quantile(nodes_down(model, job, 0), 1 - 1e-7) + 4);
  // Large fleets: a grid, then every number around its best.
  const std::int64_t step = most / kGrid + 1;
  for (std::int64_t spares = 0; spares <= most; spares += step)
    choices.push_back(choice_of(model, job, economy, spares));
  const std::int64_t near = cheapest(choices).spares;
  for (std::int64_t spares = std::max<std::int64_t>(0, near - 2 * step); spares <= near + 2 * step; ++spares) {
    if (spares % step != 0) choices.push_back(choice_of(model, job, economy, spares));
  }
  std::sort(choices.begin(), choices.end(),
            [](const SpareChoice& a, const SpareChoice& b) { return a.spares < b.spares; });
  return choices;
}

const SpareChoice& cheapest(const std::vector<SpareChoice>& choices) {
  double least = choices.front().cost_nodes;
  for (const SpareChoice& choice : choices) least = std::min(least, choice.cost_nodes);
  return *std::find_if(choices.begin(), choices.end(),
                       [&](const SpareChoice& choice) { return choice.cost_nodes <= least + kAsCheap; });
}

double minute_worth_nodes(const FailureModel& model, const JobSize& job, const SpareEconomy& economy) {
  constexpr double kStep = 0.99;
  const SpareChoice now = cheapest(spare_choices(model, job, economy));
  const SpareChoice faster = choice_of(scaled(model, Lever::repair, kStep), job, economy, now.spares);
  return (now.cost_nodes - faster.cost_nodes) / ((1 - kStep) * mean_repair(model).base() / 60);
}

std::vector<RepairExchange> repair_exchange(const FailureModel& model, const JobSize& job,
                                            const SpareEconomy& economy) {
  std::vector<RepairExchange> result;
  for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    const FailureModel other = scaled(model, Lever::repair, factor);
    if (!nodes_down_is_exact(other, job)) continue;
    result.push_back({factor, mean_repair(other), cheapest(spare_choices(other, job, economy))});
  }
  return result;
}

std::vector<CrewChoice> crew_choices(const FailureModel& model, const JobSize& job, const SpareEconomy& economy) {
  std::vector<CrewChoice> result;
  if (model.repair.size() != 1) return result;
  FailureModel other = model;
  const auto busy = static_cast<std::int64_t>(std::floor(repair_loads(model, job).front().work));
  constexpr std::int64_t kMostRows = 12;
  for (std::int64_t crews = busy + 1; crews <= busy + kMostRows; ++crews) {
    other.repair.front().crews = crews;
    if (!repair_is_stable(other, job)) continue;
    result.push_back({crews, repair_loads(other, job).front().margin, cheapest(spare_choices(other, job, economy)),
                      availability(other, job, spare_nodes(model)).ratio});
    const std::size_t n = result.size();
    if (n > 2 && result[n - 1].best.spares == result[n - 3].best.spares) break;
  }
  return result;
}

}  // namespace nameplate
