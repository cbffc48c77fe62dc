// Training blocked by saving. Worth saying from 0.1 % of the wall-clock on: an asynchronous save costs next to nothing.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_checkpoint(const FindingInput& input) {
  const double share = run_share(input, LedgerRow::checkpoint);
  if (share < 0.001) return std::nullopt;
  const auto pauses = input.m.wall->pauses.find(LedgerRow::checkpoint);
  const std::int64_t count = pauses == input.m.wall->pauses.end() ? 0 : pauses->second;
  return Finding{{"finding.checkpoint",
                  {{"share", share}, {"count", count}, {"seconds", input.m.wall->other_s.at(LedgerRow::checkpoint)}}},
                 LedgerRow::checkpoint,
                 worth_of_row(input, LedgerRow::checkpoint),
                 event_evidence(input.log, EventClass::checkpoint_save)};
}

}  // namespace nameplate
