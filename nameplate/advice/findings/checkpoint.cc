// Training blocked by saving. Worth saying from 0.1 % of the wall-clock on: an asynchronous save costs next to nothing.
#include <algorithm>

#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_checkpoint(const FindingInput& input) {
  const double share = run_share(input, LedgerRow::checkpoint);
  if (share < 0.001) return std::nullopt;
  const auto count = std::count_if(input.log.events.begin(), input.log.events.end(), [](const Event& e) {
    return e.event_class == EventClass::checkpoint_save && e.blocking;
  });
  return Finding{{"finding.checkpoint",
                  {{"share", share},
                   {"count", static_cast<std::int64_t>(count)},
                   {"seconds", input.m.wall->other_s.at(LedgerRow::checkpoint)}}},
                 LedgerRow::checkpoint,
                 worth_of_row(input, LedgerRow::checkpoint),
                 event_evidence(input.log, EventClass::checkpoint_save)};
}

}  // namespace nameplate
