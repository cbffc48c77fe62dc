// Failures: time until the run came back, and steps that were done again because the last checkpoint was older.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_restart(const FindingInput& input) {
  if (!input.m.wall || input.m.wall->attempts < 2) return std::nullopt;
  double seconds = 0;
  for (LedgerRow row : {LedgerRow::fault_detect, LedgerRow::fault_restart, LedgerRow::fault_lost_work}) {
    const auto found = input.m.wall->other_s.find(row);
    if (found != input.m.wall->other_s.end()) seconds += found->second;
  }
  if (seconds <= 0) return std::nullopt;
  const double share = seconds / input.m.wall->wall_s;
  return Finding{{"finding.restart",
                  {{"share", share},
                   {"restarts", input.m.wall->attempts - 1},
                   {"seconds", seconds},
                   {"redone", input.m.wall->redone_steps}}},
                 LedgerRow::fault_restart,
                 worth_of_time(input, input.m.run_ledger->total() * share),
                 event_evidence(input.log, EventClass::failure)};
}

}  // namespace nameplate
