// The device idles while the host is inside a call that copies: from or to pageable memory such a call returns only
// when the data is staged, even where it is named asynchronous.
#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_blocking_copies(const TraceFindingInput& input) {
  const double share = input.ledger.total() > 0 ? input.blocking_copies_s / input.ledger.total() : 0;
  if (share < kLeastTraceShare) return std::nullopt;
  return Finding{{"finding.blocking_copies", {{"share", share}}},
                 LedgerRow::host_bound,
                 worth_in_trace(input, input.blocking_copies_s),
                 {input.ledger.evidence(LedgerRow::host_bound)}};
}

}  // namespace nameplate
