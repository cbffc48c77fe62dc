// How far the steps are from the best matmul measured in public on this part: the honest ceiling of any kernel.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_below_matmul(const FindingInput& input) {
  if (!input.m.share_of_achievable || !input.facts.peak) return std::nullopt;
  const double ceiling = input.facts.achievable->base() / input.facts.peak->base();
  if (*input.m.share_of_achievable > 0.97) return std::nullopt;
  return Finding{{"finding.below_matmul",
                  {{"share", *input.m.share_of_achievable},
                   {"ceiling", ceiling},
                   {"rate", input.facts.achievable->base() / 1e12}}},
                 LedgerRow::unattributed,
                 std::nullopt,  // a ceiling, not a loss that anyone can have back
                 {}};
}

}  // namespace nameplate
