// Steady steps vary: the mean step lies above the median of its level (a shift of level is the finding slowdown). Worth
// is the time above the medians; from 1 % on.
#include "nameplate/advice/findings/levels.h"
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_jitter(const FindingInput& input) {
  const auto& t = input.m.step_time_s;
  if (!t || input.m.steady.size() < 20) return std::nullopt;
  double total = 0, above = 0;
  for (const Level& level : levels(input.m)) {
    for (std::size_t i = level.begin; i < level.end; ++i) {
      const double duration = input.m.times.rows[input.m.steady[i]].duration_s;
      total += duration;
      above += duration - level.median_s;
    }
  }
  const double share = above / total;
  if (share < 0.01) return std::nullopt;
  return Finding{{"finding.jitter", {{"mean", t->mean}, {"median", t->p50}, {"p95", t->p95}, {"share", share}}},
                 LedgerRow::unattributed,
                 worth_of_step_time(input, share),
                 {}};
}

}  // namespace nameplate
