#include "nameplate/advice/findings/trace_findings.h"

#include <algorithm>

namespace nameplate {

Worth worth_in_trace(const TraceFindingInput& input, double accelerator_s) {
  Worth worth{.accelerator_s = accelerator_s};
  const double rest = input.ledger.total() - accelerator_s;
  if (input.shares.mfu && rest > 0) worth.mfu_points = *input.shares.mfu * (input.ledger.total() / rest - 1);
  return worth;
}

std::vector<Finding> find_in_trace(const TraceFindingInput& input) {
  using Rule = std::optional<Finding> (*)(const TraceFindingInput&);
  constexpr Rule kRules[] = {find_host_bound,      find_data_wait,     find_exposed_communication,
                             find_straggler,       find_slow_operator, find_synchronisation,
                             find_blocking_copies, find_memory_stall,  find_memory_bound};
  std::vector<Finding> findings;
  if (input.host_only) return findings;
  for (const Rule rule : kRules) {
    if (auto finding = rule(input)) findings.push_back(std::move(*finding));
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.worth->accelerator_s > b.worth->accelerator_s; });
  return findings;
}

}  // namespace nameplate
