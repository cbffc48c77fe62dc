// Evaluation pauses: all accelerators wait for, or take part in, validation. Worth saying from 0.5 % of the wall-clock
// on.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_evaluation(const FindingInput& input) {
  const double share = run_share(input, LedgerRow::evaluation);
  if (share < 0.005) return std::nullopt;
  const auto pauses = input.m.wall->pauses.find(LedgerRow::evaluation);
  const std::int64_t count = pauses == input.m.wall->pauses.end() ? 0 : pauses->second;
  return Finding{{"finding.evaluation",
                  {{"share", share}, {"count", count}, {"seconds", input.m.wall->other_s.at(LedgerRow::evaluation)}}},
                 LedgerRow::evaluation,
                 worth_of_row(input, LedgerRow::evaluation),
                 event_evidence(input.log, EventClass::evaluation)};
}

}  // namespace nameplate
