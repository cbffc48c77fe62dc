#include "nameplate/analysis/attribution/totals.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace nameplate {
namespace {

constexpr std::int64_t kShortKernelNs = 10'000;

}  // namespace

std::int64_t SweptRank::inside_ns(std::size_t event) const {
  const std::int64_t begin = rank.device.begin_ns[event];
  const std::int64_t end = begin + rank.device.duration_ns[event];
  return std::max<std::int64_t>(0, std::min(end, window.end_ns) - std::max(begin, window.begin_ns));
}

std::vector<KernelTotal> kernel_totals(const SweptRank& r) {
  std::map<std::int32_t, KernelTotal> by_name;
  for (std::size_t i = 0; i < r.work.size(); ++i) {
    const std::int64_t inside = r.inside_ns(i);
    if (inside == 0) continue;
    KernelTotal& total = by_name[r.rank.device.name_id[i]];
    total.name_id = r.rank.device.name_id[i];
    total.event_class = r.rank.device.event_class[i];
    total.count += (r.rank.device.flags[i] & kContinued) == 0;
    total.time_ns += inside;
    total.exclusive_ns += r.swept.exclusive_ns[i];
    if (!r.work[i].flops) total.unknown_ns += inside;
    if (r.work[i].recompute) total.recompute_ns += inside;
    const double part = static_cast<double>(inside) / static_cast<double>(r.rank.device.duration_ns[i]);
    total.flops += r.work[i].flops.value_or(0) * part;
  }
  std::vector<KernelTotal> totals;
  for (const auto& [name_id, total] : by_name) totals.push_back(total);
  std::stable_sort(totals.begin(), totals.end(),
                   [](const KernelTotal& a, const KernelTotal& b) { return a.time_ns > b.time_ns; });
  return totals;
}

std::vector<CollectiveTotal> collective_totals(const SweptRank& r, const std::vector<GroupUse>& roles) {
  std::map<std::tuple<CollectiveKind, std::int32_t, std::int64_t>, CollectiveTotal> by_key;
  const Collectives& collectives = r.rank.collectives;
  for (std::size_t c = 0; c < collectives.event.size(); ++c) {
    const auto event = static_cast<std::size_t>(collectives.event[c]);
    const std::int64_t inside = r.inside_ns(event);
    if (inside == 0) continue;
    CollectiveTotal& total = by_key[{collectives.kind[c], collectives.group[c], collectives.bytes[c]}];
    total.kind = collectives.kind[c];
    total.group = collectives.group[c];
    total.role = role_of(roles, collectives, c);
    total.bytes = collectives.bytes[c];
    ++total.count;
    total.time_ns += inside;
    total.exposed_ns += r.swept.exclusive_ns[event];
    const std::int64_t whole = r.rank.device.duration_ns[event];
    if (inside == whole && (total.least_ns == 0 || whole < total.least_ns)) total.least_ns = whole;
  }
  std::vector<CollectiveTotal> totals;
  for (const auto& [key, total] : by_key) totals.push_back(total);
  std::stable_sort(totals.begin(), totals.end(),
                   [](const CollectiveTotal& a, const CollectiveTotal& b) { return a.time_ns > b.time_ns; });
  return totals;
}

LaunchStatistics launch_statistics(const SweptRank& r) {
  LaunchStatistics s;
  std::vector<std::int64_t> begins;    // of events with a launch
  std::vector<std::int64_t> launches;  // of those events: what has been launched and not begun is the difference
  for (std::size_t i = 0; i < r.work.size(); ++i) {
    if (r.inside_ns(i) == 0) continue;
    const std::int32_t launch = r.rank.device.launch[i];
    if (launch >= 0) {
      begins.push_back(r.rank.device.begin_ns[i]);
      launches.push_back(r.rank.host.begin_ns[static_cast<std::size_t>(launch)]);
    }
    if (!is_compute(r.rank.device.event_class[i])) continue;
    ++s.kernels;
    s.short_kernels += r.rank.device.duration_ns[i] < kShortKernelNs;
    s.in_graph += (r.rank.device.flags[i] & kInGraph) != 0;
  }
  if (launches.empty()) return s;
  std::sort(begins.begin(), begins.end());
  std::sort(launches.begin(), launches.end());
  double sum = 0;
  std::size_t begun = 0;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    while (begun < begins.size() && begins[begun] <= launches[l]) ++begun;
    // Clocks that disagree can let a kernel begin before its launch; a queue is never shorter than empty.
    sum += static_cast<double>(l + 1 > begun ? l + 1 - begun : 0);
  }
  s.queue_depth = sum / static_cast<double>(launches.size());
  return s;
}

}  // namespace nameplate
