// The device idles while the host waits for a batch, or copies one without anything beside it.
#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_data_wait(const TraceFindingInput& input) {
  const double share = input.ledger.share(LedgerRow::data_wait).value_or(0);
  if (share < kLeastTraceShare) return std::nullopt;
  return Finding{{"finding.data_wait", {{"share", share}}},
                 LedgerRow::data_wait,
                 worth_in_trace(input, *input.ledger.value(LedgerRow::data_wait)),
                 {input.ledger.evidence(LedgerRow::data_wait)}};
}

}  // namespace nameplate
