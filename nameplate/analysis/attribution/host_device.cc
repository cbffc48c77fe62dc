#include "nameplate/analysis/attribution/host_device.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "nameplate/analysis/attribution/operator_flops.h"

namespace nameplate {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool is_operator(HostSpanClass c, std::string_view name) {
  return c == HostSpanClass::operation && holds(name, "::") && !holds(name, "autograd::");
}

bool is_beside_training(HostSpanClass c) {
  return c == HostSpanClass::data_wait || c == HostSpanClass::checkpoint || c == HostSpanClass::evaluation;
}

DeviceEventClass class_of(std::string_view name) {
  if (holds(name, "attention")) return DeviceEventClass::attention;
  if (holds(name, "conv")) return DeviceEventClass::convolution;
  if (has_flops_formula(name)) return DeviceEventClass::matmul;
  return holds(name, "embedding") ? DeviceEventClass::embedding : DeviceEventClass::memory_bound;
}

struct Piece {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::size_t span;
};

// The stretches of each operator that no operator inside it covers: a parent stands before its children, so what is
// left of it ends where the next child begins.
std::vector<Piece> own_time(const HostSpans& host, const std::vector<std::int32_t>& parent) {
  std::vector<std::int64_t> covered(host.begin_ns.size());  // up to here a span's time is booked
  std::vector<Piece> pieces;
  const auto end_of = [&](std::size_t i) { return host.begin_ns[i] + host.duration_ns[i]; };
  const auto add = [&](std::size_t span, std::int64_t until) {
    if (until > covered[span]) pieces.push_back({covered[span], until, span});
    covered[span] = std::max(covered[span], until);
  };
  for (std::size_t i = 0; i < host.begin_ns.size(); ++i) {
    covered[i] = host.begin_ns[i];
    if (parent[i] < 0) continue;
    const auto p = static_cast<std::size_t>(parent[i]);
    add(p, std::min(host.begin_ns[i], end_of(p)));
    covered[p] = std::max(covered[p], end_of(i));
  }
  for (std::size_t i = 0; i < host.begin_ns.size(); ++i) add(i, end_of(i));
  return pieces;
}

}  // namespace

DeviceEvents host_as_device(const Timeline& timeline, const RankTimeline& rank,
                            const std::vector<std::int32_t>& enclosing) {
  const HostSpans& host = rank.host;
  const auto name_of = [&](std::size_t span) -> std::string_view {
    return timeline.names[static_cast<std::size_t>(host.name_id[span])];
  };
  // The nearest operator around each span, and whether an optimizer's step or work beside the training is.
  std::vector<std::int32_t> operator_around(enclosing.size(), -1);
  std::vector<bool> optimizer(enclosing.size());
  std::vector<bool> beside(enclosing.size());
  for (std::size_t i = 0; i < enclosing.size(); ++i) {
    optimizer[i] = holds(name_of(i), "Optimizer.step");
    beside[i] = is_beside_training(host.span_class[i]);
    if (enclosing[i] < 0) continue;
    const auto p = static_cast<std::size_t>(enclosing[i]);
    optimizer[i] = optimizer[i] || optimizer[p];
    beside[i] = beside[i] || beside[p];
    operator_around[i] = is_operator(host.span_class[p], name_of(p)) ? enclosing[i] : operator_around[p];
  }
  std::vector<Piece> pieces = own_time(host, operator_around);
  std::erase_if(
      pieces, [&](const Piece& p) { return beside[p.span] || !is_operator(host.span_class[p.span], name_of(p.span)); });
  std::sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
    return std::pair(a.begin_ns, host.thread[a.span]) < std::pair(b.begin_ns, host.thread[b.span]);
  });
  DeviceEvents device;
  std::vector<bool> seen(enclosing.size());
  std::map<std::int32_t, std::int64_t> end_of_thread;
  for (Piece& p : pieces) {
    // Rounded times can let an operator end after the one around it.
    std::int64_t& busy_until = end_of_thread.try_emplace(host.thread[p.span], INT64_MIN).first->second;
    p.begin_ns = std::max(p.begin_ns, busy_until);
    if (p.begin_ns >= p.end_ns) continue;
    busy_until = p.end_ns;
    const DeviceEventClass own = class_of(name_of(p.span));
    const bool updates = optimizer[p.span] && own == DeviceEventClass::memory_bound;
    device.begin_ns.push_back(p.begin_ns);
    device.duration_ns.push_back(p.end_ns - p.begin_ns);
    device.stream.push_back(host.thread[p.span]);
    device.name_id.push_back(host.name_id[p.span]);
    device.event_class.push_back(updates ? DeviceEventClass::optimizer : own);
    device.correlation.push_back(-1);
    device.launch.push_back(static_cast<std::int32_t>(p.span));
    device.bytes.push_back(-1);
    device.flags.push_back(seen[p.span] ? kContinued : 0);
    seen[p.span] = true;
  }
  return device;
}

}  // namespace nameplate
