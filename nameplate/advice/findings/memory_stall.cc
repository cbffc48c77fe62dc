// The device stands still for memory: the host calls the device's allocator (cudaMalloc, cudaFree), each of which may
// stop it, or parameters and activations are moved to and from the host with no work beside.
#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_memory_stall(const TraceFindingInput& input) {
  const double share = input.ledger.share(LedgerRow::memory_stall).value_or(0);
  if (share < kLeastTraceShare) return std::nullopt;
  const bool allocates = input.allocator_calls > 0;
  return Finding{{allocates ? "finding.memory_stall_allocator" : "finding.memory_stall",
                  {{"share", share}, {"calls", input.allocator_calls}}},
                 LedgerRow::memory_stall,
                 worth_in_trace(input, *input.ledger.value(LedgerRow::memory_stall)),
                 {input.ledger.evidence(LedgerRow::memory_stall)}};
}

}  // namespace nameplate
