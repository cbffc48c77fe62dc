// Steady steps vary: the mean step lies above the median. Worth is the time above the median; from 1 % on.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_jitter(const FindingInput& input) {
  const auto& t = input.m.step_time_s;
  if (!t || input.m.steps_steady < 20) return std::nullopt;
  const double share = 1 - t->p50 / t->mean;
  if (share < 0.01) return std::nullopt;
  return Finding{{"finding.jitter", {{"mean", t->mean}, {"median", t->p50}, {"p95", t->p95}, {"share", share}}},
                 LedgerRow::unattributed,
                 worth_of_step_time(input, share),
                 {}};
}

}  // namespace nameplate
