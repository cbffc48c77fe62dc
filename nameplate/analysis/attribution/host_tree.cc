#include "nameplate/analysis/attribution/host_tree.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace nameplate {

std::vector<std::int32_t> enclosing_spans(const HostSpans& host) {
  std::vector<std::int32_t> parents(host.begin_ns.size(), -1);
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> open_of_thread;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    std::vector<std::int32_t>& open = open_of_thread[host.thread[i]];
    const auto ended = [&](std::int32_t span) {
      const auto s = static_cast<std::size_t>(span);
      return host.begin_ns[s] + host.duration_ns[s] <= host.begin_ns[i];
    };
    while (!open.empty() && ended(open.back())) open.pop_back();
    if (!open.empty()) parents[i] = open.back();
    open.push_back(static_cast<std::int32_t>(i));
  }
  return parents;
}

std::optional<std::int32_t> main_thread(const HostSpans& host) {
  std::map<std::int32_t, std::int64_t> launches;
  for (std::size_t i = 0; i < host.thread.size(); ++i) {
    if (host.span_class[i] == HostSpanClass::step) return host.thread[i];
    launches[host.thread[i]] += host.span_class[i] == HostSpanClass::launch;
  }
  if (launches.empty()) return std::nullopt;
  return std::max_element(launches.begin(), launches.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace nameplate
