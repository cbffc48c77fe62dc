// Evaluation pauses: all accelerators wait for, or take part in, validation. Worth saying from 0.5 % of the wall-clock
// on.
#include <algorithm>

#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_evaluation(const FindingInput& input) {
  const double share = run_share(input, LedgerRow::evaluation);
  if (share < 0.005) return std::nullopt;
  const auto count = std::count_if(input.log.events.begin(), input.log.events.end(),
                                   [](const Event& e) { return e.event_class == EventClass::evaluation; });
  return Finding{{"finding.evaluation",
                  {{"share", share},
                   {"count", static_cast<std::int64_t>(count)},
                   {"seconds", input.m.wall->other_s.at(LedgerRow::evaluation)}}},
                 LedgerRow::evaluation,
                 worth_of_row(input, LedgerRow::evaluation),
                 event_evidence(input.log, EventClass::evaluation)};
}

}  // namespace nameplate
