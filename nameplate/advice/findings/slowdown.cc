// The level of the step time shifted during the run and stayed worse than its best level: a slow node, a throttled
// part, a longer sequence. Worth is the time of steady steps above the best level that lasted at least a tenth of the
// run.
#include <algorithm>

#include "nameplate/advice/findings/levels.h"
#include "nameplate/advice/findings/rules.h"

namespace nameplate {
namespace {

// Whether a run that prints its loss prints none here: the optimizer skips such steps, so they are fast for nothing.
bool trains_nothing(const FindingInput& input, const Level& level) {
  const auto has_loss = [](const Step& step) { return step.loss.has_value(); };
  if (std::none_of(input.log.steps.begin(), input.log.steps.end(), has_loss)) return false;
  for (std::size_t i = level.begin; i < level.end; ++i) {
    if (has_loss(input.log.steps[input.m.times.rows[input.m.steady[i]].row])) return false;
  }
  return true;
}

}  // namespace

std::optional<Finding> find_slowdown(const FindingInput& input) {
  const Measurement& m = input.m;
  if (m.change_points.empty() || !m.step_time_s) return std::nullopt;
  const std::vector<Level> all = levels(m);
  const Level* best = nullptr;
  for (const Level& level : all) {
    if ((level.end - level.begin) * 10 < m.steady.size() || trains_nothing(input, level)) continue;
    if (best == nullptr || level.median_s < best->median_s) best = &level;
  }
  if (best == nullptr) return std::nullopt;
  double total = 0, lost = 0;
  const Level* worst = best;
  for (const Level& level : all) {
    for (std::size_t i = level.begin; i < level.end; ++i) total += m.times.rows[m.steady[i]].duration_s;
    lost += std::max(0.0, level.median_s - best->median_s) * static_cast<double>(level.end - level.begin);
    const bool lasts = (level.end - level.begin) * 20 >= m.steady.size();
    if (lasts && level.median_s > worst->median_s) worst = &level;
  }
  const double share = lost / total;
  if (share < 0.005 || worst == best) return std::nullopt;
  const Step& first = input.log.steps[m.times.rows[m.steady[worst->begin]].row];
  return Finding{{"finding.slowdown",
                  {{"from", best->median_s},
                   {"to", worst->median_s},
                   {"step", first.index},
                   {"last", input.log.steps[m.times.rows[m.steady[worst->end - 1]].row].index},
                   {"share", share}}},
                 LedgerRow::unattributed,
                 worth_of_step_time(input, share),
                 {to_text({input.log.files.front(), first.line, {}})}};
}

}  // namespace nameplate
