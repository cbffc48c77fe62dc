// Recomputed forward work counts in HFU and not in MFU: memory that is free could buy it back.
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_recompute(const FindingInput& input) {
  if (!input.m.hfu_step || !input.m.mfu_step || *input.m.hfu_step - *input.m.mfu_step < 0.005) return std::nullopt;
  // Repeated work takes its share of the step at the rate the rest runs at: (HFU - MFU) / HFU of the compute time.
  const double share = (*input.m.hfu_step - *input.m.mfu_step) / *input.m.hfu_step;
  return Finding{{"finding.recompute", {{"mfu", *input.m.mfu_step}, {"hfu", *input.m.hfu_step}}},
                 LedgerRow::recompute,
                 worth_of_step_time(input, share),
                 {}};
}

}  // namespace nameplate
