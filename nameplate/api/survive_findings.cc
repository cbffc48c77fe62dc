// What to change: intervals and spares that cost more than the best.
#include <algorithm>
#include <cmath>

#include "nameplate/api/survive_case.h"

namespace nameplate {
namespace {

// Below a twentieth of a point nobody acts.
constexpr double kLeastShare = 0.0005;

std::optional<Finding> interval_finding(const SurviveCase& c, const Survival& s) {
  const double gained = s.best_ettr() - s.ettr();
  if (!s.today || gained < kLeastShare) return std::nullopt;
  Finding finding;
  finding.message = {"survive.finding.interval",
                     {{"today", s.today->interval.base()}, {"best", s.best.interval.base()}, {"gained", gained}}};
  finding.row = s.best.interval > s.today->interval ? LedgerRow::checkpoint : LedgerRow::fault_lost_work;
  finding.worth = Worth{.accelerator_s = gained * c.accelerators() * c.horizon.base()};
  if (c.mfu_step) finding.worth->mfu_points = gained * *c.mfu_step;
  return finding;
}

std::optional<Finding> spare_finding(const SurviveCase& c, const Survival& s) {
  const std::int64_t today = spare_nodes(c.failures.model);
  if (!s.nodes || today == 0) return std::nullopt;
  const std::vector<SpareChoice> choices = spare_choices(c.failures.model, c.job, c.economy);
  const SpareChoice& best = cheapest(choices);
  // The last choice of at most today's spares; beyond the last of all a spare adds nothing but its price.
  const auto after = std::upper_bound(choices.begin(), choices.end(), today,
                                      [](std::int64_t n, const SpareChoice& choice) { return n < choice.spares; });
  const SpareChoice& known = *(after - 1);
  const double cost =
      known.cost_nodes + static_cast<double>(today - known.spares) * waiting_cost(c.failures.model, c.economy);
  const double saved = cost - best.cost_nodes;  // nodes
  if (saved < kLeastShare * static_cast<double>(c.job.nodes)) return std::nullopt;
  Finding finding;
  finding.message = {today > best.spares ? "survive.finding.spares_many" : "survive.finding.spares_few",
                     {{"today", today}, {"best", best.spares}, {"saved", saved}}};
  finding.row = today > best.spares ? LedgerRow::held_spare : LedgerRow::queue;
  finding.worth = Worth{.accelerator_s = saved * static_cast<double>(c.job.devices_per_node) * c.horizon.base()};
  return finding;
}

}  // namespace

void add_survive_findings(const SurviveCase& c, const Survival& s, Document& d) {
  for (std::optional<Finding> finding : {interval_finding(c, s), spare_finding(c, s)}) {
    if (finding) d.findings.push_back(std::move(*finding));
  }
  std::stable_sort(d.findings.begin(), d.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.worth->accelerator_s > b.worth->accelerator_s; });
}

}  // namespace nameplate
