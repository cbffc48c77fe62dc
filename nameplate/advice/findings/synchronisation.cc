// The device stands still though its work was queued, or the host waits for it: streams that wait for each other, calls
// that synchronise, values that the host reads.
#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_synchronisation(const TraceFindingInput& input) {
  const double share = input.ledger.share(LedgerRow::sync).value_or(0);
  if (share < kLeastTraceShare) return std::nullopt;
  return Finding{{"finding.synchronisation", {{"share", share}}},
                 LedgerRow::sync,
                 worth_in_trace(input, *input.ledger.value(LedgerRow::sync)),
                 {input.ledger.evidence(LedgerRow::sync)}};
}

}  // namespace nameplate
