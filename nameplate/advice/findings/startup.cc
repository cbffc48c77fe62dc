// Initialisation and warm-up. A short log shows a large share that a long run does not have, which the sentence says.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_startup(const FindingInput& input) {
  const double share = run_share(input, LedgerRow::startup);
  if (share < 0.01) return std::nullopt;
  return Finding{
      {"finding.startup",
       {{"share", share}, {"seconds", input.m.wall->other_s.at(LedgerRow::startup)}, {"wall", input.m.wall->wall_s}}},
      LedgerRow::startup,
      worth_of_row(input, LedgerRow::startup),
      {}};
}

}  // namespace nameplate
