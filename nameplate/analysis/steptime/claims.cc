#include "nameplate/analysis/steptime/claims.h"

#include <algorithm>

namespace nameplate {

double exposed_ratio(double from, double to) { return (1 - from) / (1 - to); }

double unseen_factor(double compute_factor, double mfu_before, double mfu_after) {
  return compute_factor * mfu_before / mfu_after;
}

CeilingBracket ceiling_with_bandwidth(const BandwidthStall& stall, double factor) {
  const double all = 1 / stall.ceiling - 1;
  const double bandwidth = stall.share * all;
  const double rest = all - bandwidth;
  return {1 / (1 + bandwidth / factor + rest), 1 / (std::max(1.0, (1 + bandwidth) / factor) + rest)};
}

std::optional<double> implied_share(double ceiling, double target, double factor) {
  const double all = 1 / ceiling - 1;
  const double share = (all - (1 / target - 1)) / (1 - 1 / factor) / all;
  return share >= 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

}  // namespace nameplate
