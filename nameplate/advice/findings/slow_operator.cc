// A matrix operator far below what peak and memory bandwidth allow it: the one that loses most time.
#include <algorithm>

#include <fmt/format.h>

#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {

std::optional<Finding> find_slow_operator(const TraceFindingInput& input) {
  constexpr double kFarBelow = 0.5;
  const auto lost_s = [](const RoofPoint& p) { return p.roof_ratio < kFarBelow ? p.device_s * (1 - p.roof_ratio) : 0; };
  const auto most = std::max_element(input.roof.begin(), input.roof.end(),
                                     [&](const RoofPoint& a, const RoofPoint& b) { return lost_s(a) < lost_s(b); });
  if (most == input.roof.end() || lost_s(*most) < kLeastTraceShare * input.ledger.total()) return std::nullopt;
  return Finding{
      {"finding.slow_operator",
       {{"operator", most->name}, {"roof", most->roof_ratio}, {"share", most->device_s / input.ledger.total()}}},
      LedgerRow::kernel_matmul,
      worth_in_trace(input, lost_s(*most)),
      {fmt::format("{} on {}{}{}", most->name, most->shapes, most->site.empty() ? "" : ", called in ", most->site)}};
}

}  // namespace nameplate
