#include "nameplate/analysis/attribution/booked.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "nameplate/analysis/attribution/event_rows.h"
#include "nameplate/analysis/attribution/host_tree.h"
#include "nameplate/analysis/attribution/idle.h"
#include "nameplate/analysis/attribution/kernel_work.h"

namespace nameplate {
namespace {

constexpr std::size_t kLayers = 3;

std::size_t layer_of(DeviceEventClass c) {
  if (c == DeviceEventClass::collective) return 1;
  return is_copy(c) ? 2 : 0;
}

struct Border {
  std::int64_t time_ns;
  std::int32_t event;
  bool begins;
};

std::vector<Border> borders(const DeviceEvents& device, Stretch window) {
  std::vector<Border> all;
  for (std::size_t i = 0; i < device.begin_ns.size(); ++i) {
    const std::int64_t begin = std::max(device.begin_ns[i], window.begin_ns);
    const std::int64_t end = std::min(device.begin_ns[i] + device.duration_ns[i], window.end_ns);
    if (begin >= end) continue;
    all.push_back({begin, static_cast<std::int32_t>(i), true});
    all.push_back({end, static_cast<std::int32_t>(i), false});
  }
  std::sort(all.begin(), all.end(), [](const Border& a, const Border& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.event < b.event;
  });
  return all;
}

}  // namespace

std::vector<BookedSlice> booked_slices(const Timeline& timeline, const RankTimeline& rank,
                                       const std::vector<GroupUse>& roles, Stretch window) {
  const std::vector<std::int32_t> enclosing = enclosing_spans(rank.host);
  const std::vector<LedgerRow> rows = event_rows(timeline, rank, roles, enclosing);
  std::array<std::set<std::int32_t>, kLayers> active;  // events are numbered by when they begin
  std::vector<BookedSlice> slices;
  Stretches idle;
  std::int64_t now = window.begin_ns;
  const auto pass = [&](std::int64_t until) {
    if (until <= now) return;
    const Stretch when{std::exchange(now, until), until};
    const auto busy = std::find_if(active.begin(), active.end(), [](const auto& events) { return !events.empty(); });
    if (busy == active.end()) return idle.push_back(when);
    const std::int32_t event = *busy->begin();
    if (!slices.empty() && slices.back().event == event && slices.back().when.end_ns == when.begin_ns) {
      slices.back().when.end_ns = until;
      return;
    }
    const auto e = static_cast<std::size_t>(event);
    slices.push_back({when, rows[e], event, rank.device.name_id[e]});
  };
  for (const Border& border : borders(rank.device, window)) {
    pass(border.time_ns);
    auto& events = active[layer_of(rank.device.event_class[static_cast<std::size_t>(border.event)])];
    if (border.begins) {
      events.insert(border.event);
    } else {
      events.erase(border.event);
    }
  }
  pass(window.end_ns);
  for (const IdleClaim& claim : claim_idle(timeline, rank, idle, enclosing)) {
    slices.push_back({claim.when, claim.row, -1, claim.name_id});
  }
  std::sort(slices.begin(), slices.end(),
            [](const BookedSlice& a, const BookedSlice& b) { return a.when.begin_ns < b.when.begin_ns; });
  return slices;
}

}  // namespace nameplate
