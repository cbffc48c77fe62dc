// Communication that no compute hides, all groups together, tied to the group that holds most of it.
#include <algorithm>

#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_exposed_communication(const TraceFindingInput& input) {
  constexpr LedgerRow kRows[] = {LedgerRow::comm_dp, LedgerRow::comm_tp, LedgerRow::comm_pp,
                                 LedgerRow::comm_cp, LedgerRow::comm_ep, LedgerRow::comm_other};
  const auto held = [&](LedgerRow row) { return input.ledger.value(row).value_or(0); };
  double sum = 0;
  for (const LedgerRow row : kRows) sum += held(row);
  if (sum < kLeastTraceShare * input.ledger.total() || sum <= 0) return std::nullopt;
  const LedgerRow most = *std::max_element(std::begin(kRows), std::end(kRows),
                                           [&](LedgerRow a, LedgerRow b) { return held(a) < held(b); });
  // With several ranks waiting is a row of its own.
  const bool transfer = input.ledger.value(LedgerRow::straggler_wait).has_value();
  return Finding{{transfer ? "finding.exposed_transfer" : "finding.exposed_communication",
                  {{"share", sum / input.ledger.total()}, {"most", held(most) / sum}}},
                 most,
                 worth_in_trace(input, sum),
                 {input.ledger.evidence(most)}};
}

}  // namespace nameplate
