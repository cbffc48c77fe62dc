// The device idles because the host launches late. Where many kernels are short, one launch for all of them helps: a
// CUDA graph, or fewer kernels by compiling; else the host's own work between launches is what to look at.
#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_host_bound(const TraceFindingInput& input) {
  constexpr double kMostlyShort = 0.5;
  // Copies that hold the host up are a finding of their own.
  const double late_s = input.ledger.value(LedgerRow::host_bound).value_or(0) - input.blocking_copies_s;
  const double share = input.ledger.total() > 0 ? late_s / input.ledger.total() : 0;
  if (share < kLeastTraceShare) return std::nullopt;
  const double short_share = input.shares.short_kernels.value_or(0);
  return Finding{{short_share >= kMostlyShort ? "finding.host_bound_short_kernels" : "finding.host_bound",
                  {{"share", share}, {"short", short_share}, {"depth", input.shares.queue_depth.value_or(0)}}},
                 LedgerRow::host_bound,
                 worth_in_trace(input, late_s),
                 {input.ledger.evidence(LedgerRow::host_bound)}};
}

}  // namespace nameplate
