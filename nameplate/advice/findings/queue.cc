// The job waited for the cluster: before it began, and whenever it was queued again after a failure. The wait counts
// against the wall-clock, although others may use the accelerators meanwhile.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_queue(const FindingInput& input) {
  const double share = run_share(input, LedgerRow::queue);
  if (share < 0.01) return std::nullopt;
  return Finding{
      {"finding.queue",
       {{"share", share}, {"seconds", input.m.wall->other_s.at(LedgerRow::queue)}, {"wall", input.m.wall->wall_s}}},
      LedgerRow::queue,
      worth_of_row(input, LedgerRow::queue),
      event_evidence(input.log, EventClass::queue)};
}

}  // namespace nameplate
