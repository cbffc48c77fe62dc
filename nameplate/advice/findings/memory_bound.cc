// Kernels that move data rather than compute: normalisation, activations, layout, the optimizer. Fused, what one writes
// the next need not read again; what has to move at least stays, so the worth is an upper bound. Every step has some:
// only a share beyond what well-fused training has is worth a sentence.
#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_memory_bound(const TraceFindingInput& input) {
  constexpr double kMuch = 0.15;  // assumed
  const double share = input.ledger.share(LedgerRow::kernel_memory_bound).value_or(0);
  if (share < kMuch) return std::nullopt;
  return Finding{{"finding.memory_bound", {{"share", share}}},
                 LedgerRow::kernel_memory_bound,
                 worth_in_trace(input, *input.ledger.value(LedgerRow::kernel_memory_bound)),
                 {input.ledger.evidence(LedgerRow::kernel_memory_bound)}};
}

}  // namespace nameplate
