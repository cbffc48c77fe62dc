#include "nameplate/analysis/attribution/uncounted.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "nameplate/analysis/attribution/operator_flops.h"
#include "nameplate/analysis/attribution/operator_totals.h"

namespace nameplate {
namespace {

class Reasons {
 public:
  Reasons(const Timeline& timeline, const RankTimeline& rank, const std::vector<std::int32_t>& enclosing)
      : timeline_(timeline), rank_(rank), enclosing_(enclosing) {}

  // The name to count the event under, and why its FLOPs are not known.
  std::pair<std::int32_t, UncountedReason> of(std::size_t event) const {
    const std::int32_t kernel = rank_.device.name_id[event];
    if (rank_.device.launch[event] < 0) return {kernel, UncountedReason::no_launch};
    std::int32_t innermost = -1;
    bool shapes = false, formula = false;
    for (std::int32_t span = rank_.device.launch[event]; span >= 0; span = enclosing_[static_cast<std::size_t>(span)]) {
      const auto s = static_cast<std::size_t>(span);
      const std::string& name = timeline_.names[static_cast<std::size_t>(rank_.host.name_id[s])];
      if (!is_operator_name(name)) continue;
      if (innermost < 0) innermost = rank_.host.name_id[s];
      shapes = shapes || rank_.host.operands[s] >= 0;
      formula = formula || has_flops_formula(name);
    }
    if (innermost < 0) return {kernel, UncountedReason::no_operator};
    if (!shapes) return {innermost, UncountedReason::no_shapes};
    return {innermost, formula ? UncountedReason::arguments_missing : UncountedReason::no_formula};
  }

 private:
  const Timeline& timeline_;
  const RankTimeline& rank_;
  const std::vector<std::int32_t>& enclosing_;
};

}  // namespace

std::string_view name(UncountedReason reason) {
  constexpr std::string_view kNames[] = {"no_launch", "no_operator", "no_shapes", "arguments_missing", "no_formula"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::vector<UncountedTotal> uncounted_totals(const Timeline& timeline, const SweptRank& r,
                                             const std::vector<std::int32_t>& enclosing) {
  const Reasons reasons(timeline, r.rank, enclosing);
  std::map<std::pair<std::int32_t, UncountedReason>, UncountedTotal> totals;
  for (std::size_t i = 0; i < r.work.size(); ++i) {
    if (r.work[i].flops || !is_compute(r.rank.device.event_class[i]) || r.inside_ns(i) == 0) continue;
    UncountedTotal& total = totals[reasons.of(i)];
    ++total.kernels;
    total.ns += r.swept.exclusive_ns[i];
  }
  std::vector<UncountedTotal> sorted;
  for (auto& [key, total] : totals) {
    total.name = timeline.names[static_cast<std::size_t>(key.first)];
    total.reason = key.second;
    sorted.push_back(std::move(total));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const UncountedTotal& a, const UncountedTotal& b) { return a.ns > b.ns; });
  return sorted;
}

}  // namespace nameplate
