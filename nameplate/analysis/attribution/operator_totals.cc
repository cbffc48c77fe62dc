#include "nameplate/analysis/attribution/operator_totals.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "nameplate/analysis/attribution/operator_bytes.h"

namespace nameplate {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// "[2048, 384] [384, 1536]": tensors only.
std::string shapes_of(const Operands& operands) {
  std::string text;
  for (const std::vector<std::int64_t>& dims : operands.dims) {
    if (!dims.empty()) text += fmt::format("{}[{}]", text.empty() ? "" : " ", fmt::join(dims, ", "));
  }
  return text;
}

bool is_users_frame(std::string_view name) {
  return holds(name, ".py(") && !name.starts_with("torch/") && !holds(name, "/site-packages/torch/") &&
         !holds(name, "/dist-packages/torch/");
}

// The innermost of the user's own frames around a span; empty where frames are not recorded.
std::string site_of(const Timeline& timeline, const HostSpans& host, std::int32_t span,
                    const std::vector<std::int32_t>& enclosing) {
  for (; span >= 0; span = enclosing[static_cast<std::size_t>(span)]) {
    const auto s = static_cast<std::size_t>(span);
    const std::string& name = timeline.names[static_cast<std::size_t>(host.name_id[s])];
    if (host.span_class[s] == HostSpanClass::python && is_users_frame(name)) return name;
  }
  return {};
}

}  // namespace

bool is_operator_name(std::string_view name) { return holds(name, "::") && !holds(name, "autograd::"); }

std::vector<OperatorTotal> operator_totals(const Timeline& timeline, const SweptRank& r,
                                           const std::vector<std::int32_t>& enclosing, const PeakOfEvent& peak) {
  const HostSpans& host = r.rank.host;
  std::vector<bool> is_operator;
  for (const std::string& name : timeline.names) is_operator.push_back(is_operator_name(name));
  const auto operator_of = [&](std::size_t event) {
    if (r.work[event].owner >= 0) return r.work[event].owner;
    std::int32_t span = r.rank.device.launch[event];
    while (span >= 0 && !is_operator[static_cast<std::size_t>(host.name_id[static_cast<std::size_t>(span)])]) {
      span = enclosing[static_cast<std::size_t>(span)];
    }
    return span;
  };
  std::map<std::pair<std::int32_t, std::int32_t>, OperatorTotal> by_shape;
  std::map<std::pair<std::int32_t, std::int32_t>, double> inside_calls;  // calls, by the part that is in the window
  std::vector<bool> counted(host.begin_ns.size());
  std::vector<std::int64_t> call_ns(host.begin_ns.size());  // of all kernels of a call
  for (std::size_t i = 0; i < r.work.size(); ++i) {
    const std::int32_t owner = is_compute(r.rank.device.event_class[i]) ? operator_of(i) : -1;
    if (owner >= 0) call_ns[static_cast<std::size_t>(owner)] += r.rank.device.duration_ns[i];
  }
  for (std::size_t i = 0; i < r.work.size(); ++i) {
    const std::int64_t inside = r.inside_ns(i);
    if (inside == 0 || !is_compute(r.rank.device.event_class[i])) continue;
    const std::int32_t owner = operator_of(i);
    if (owner < 0) continue;
    const auto span = static_cast<std::size_t>(owner);
    const std::pair key(host.name_id[span], host.operands[span]);
    OperatorTotal& total = by_shape[key];
    inside_calls[key] += static_cast<double>(inside) / static_cast<double>(call_ns[span]);
    if (total.calls == 0) total.site = site_of(timeline, host, owner, enclosing);
    if (!counted[span]) ++total.calls;
    counted[span] = true;
    total.device_ns += inside;
    if (!r.work[i].flops) total.unknown_ns += inside;
    const double part = static_cast<double>(inside) / static_cast<double>(r.rank.device.duration_ns[i]);
    const double flops = r.work[i].flops.value_or(0) * part;
    total.flops += flops;
    if (const auto own = peak(i); own && flops > 0) total.at_peak_ns += flops / own->base() * 1e9;
  }
  std::vector<OperatorTotal> totals;
  for (auto& [key, total] : by_shape) {
    total.name = timeline.names[static_cast<std::size_t>(key.first)];
    if (key.second >= 0) {
      const Operands& operands = timeline.operands[static_cast<std::size_t>(key.second)];
      total.shapes = shapes_of(operands);
      if (const auto bytes = operator_bytes(total.name, operands)) { total.bytes = *bytes * inside_calls[key]; }
    }
    totals.push_back(std::move(total));
  }
  std::stable_sort(totals.begin(), totals.end(),
                   [](const OperatorTotal& a, const OperatorTotal& b) { return a.device_ns > b.device_ns; });
  return totals;
}

std::vector<PhaseTotal> phase_totals(const Timeline& timeline, const SweptRank& r,
                                     const std::vector<std::int32_t>& enclosing) {
  std::vector<Phase> of_name;
  for (const std::string& name : timeline.names) {
    const bool backward = name.starts_with("autograd::engine::evaluate_function");
    of_name.push_back(holds(name, "Optimizer.step") ? Phase::optimizer : backward ? Phase::backward : Phase::forward);
  }
  std::vector<Phase> of_span(enclosing.size());
  for (std::size_t i = 0; i < enclosing.size(); ++i) {
    of_span[i] = of_name[static_cast<std::size_t>(r.rank.host.name_id[i])];
    const bool inherits = of_span[i] == Phase::forward && enclosing[i] >= 0;
    if (inherits) of_span[i] = of_span[static_cast<std::size_t>(enclosing[i])];
  }
  std::vector<PhaseTotal> totals(kPhases);
  for (std::size_t i = 0; i < r.work.size(); ++i) {
    const std::int32_t launch = r.rank.device.launch[i];
    const std::int64_t inside = r.inside_ns(i);
    if (inside == 0 || launch < 0 || !is_compute(r.rank.device.event_class[i])) continue;
    PhaseTotal& total = totals[static_cast<std::size_t>(of_span[static_cast<std::size_t>(launch)])];
    total.kernel_ns += r.swept.exclusive_ns[i];
    if (!r.work[i].flops) total.unknown_ns += r.swept.exclusive_ns[i];
    if (r.work[i].recompute) continue;
    const double part = static_cast<double>(inside) / static_cast<double>(r.rank.device.duration_ns[i]);
    total.flops += r.work[i].flops.value_or(0) * part;
  }
  if (totals[static_cast<std::size_t>(Phase::backward)].kernel_ns <= 0) return {};
  return totals;
}

MemoryUse memory_use(const MemoryEvents& memory, const HostSpans& host, Stretch window) {
  constexpr std::int64_t kParts = 128;
  MemoryUse use;
  for (std::size_t i = 0; i < host.begin_ns.size(); ++i) {
    const bool inside = host.begin_ns[i] >= window.begin_ns && host.begin_ns[i] < window.end_ns;
    use.device_calls += inside && host.span_class[i] == HostSpanClass::allocator;
  }
  if (memory.time_ns.empty()) return use;
  const auto [first, last] = std::minmax_element(memory.time_ns.begin(), memory.time_ns.end());
  const std::int64_t length = *last - *first + 1;
  std::map<std::int64_t, MemoryPoint> points;
  for (std::size_t i = 0; i < memory.time_ns.size(); ++i) {
    use.most_allocated = std::max(use.most_allocated, memory.allocated[i]);
    const auto part = static_cast<std::int64_t>(static_cast<double>(memory.time_ns[i] - *first) /
                                                static_cast<double>(length) * static_cast<double>(kParts));
    MemoryPoint& point = points[part];
    if (memory.allocated[i] > point.allocated) {
      point = {memory.time_ns[i] - *first, memory.allocated[i], memory.reserved[i]};
    }
    if (memory.reserved[i] < use.most_reserved) continue;
    if (memory.reserved[i] > use.most_reserved) use.allocated_then = -1;
    use.most_reserved = memory.reserved[i];
    use.allocated_then = std::max(use.allocated_then, memory.allocated[i]);
  }
  for (const auto& [part, point] : points) {
    if (point.allocated >= 0) use.points.push_back(point);
  }
  return use;
}

}  // namespace nameplate
