// What holds for every timeline that a reader of traces gives, whatever it was given.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nameplate/core/check.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

template <class Spans>
inline void check_spans(const Spans& spans, std::size_t names) {
  const std::size_t size = spans.begin_ns.size();
  NAMEPLATE_CHECK(spans.duration_ns.size() == size && spans.name_id.size() == size && spans.correlation.size() == size);
  for (std::size_t i = 0; i < size; ++i) {
    NAMEPLATE_CHECK(spans.duration_ns[i] >= 0 && static_cast<std::size_t>(spans.name_id[i]) < names);
    NAMEPLATE_CHECK(spans.begin_ns[i] <= INT64_MAX - spans.duration_ns[i]);
    NAMEPLATE_CHECK(i == 0 || spans.begin_ns[i - 1] <= spans.begin_ns[i]);
  }
}

inline void check(const RankTrace& trace) {
  const RankTimeline& t = trace.timeline;
  check_spans(t.device, trace.names.size());
  check_spans(t.host, trace.names.size());
  NAMEPLATE_CHECK(t.device.launch.size() == t.device.begin_ns.size());
  NAMEPLATE_CHECK(t.device.flops.empty() || t.device.flops.size() == t.device.begin_ns.size());
  for (const std::int32_t launch : t.device.launch) {
    NAMEPLATE_CHECK(launch >= -1 && launch < static_cast<std::int64_t>(t.host.begin_ns.size()));
  }
  for (const std::int32_t operands : t.host.operands) {
    NAMEPLATE_CHECK(operands >= -1 && operands < static_cast<std::int64_t>(trace.operands.size()));
  }
  for (std::size_t i = 0; i < t.collectives.event.size(); ++i) {
    const auto event = static_cast<std::size_t>(t.collectives.event[i]);
    NAMEPLATE_CHECK(t.device.event_class.at(event) == DeviceEventClass::collective);
    NAMEPLATE_CHECK(t.collectives.group[i] < static_cast<std::int64_t>(trace.groups.size()));
  }
  NAMEPLATE_CHECK(t.window_begin_ns <= t.window_end_ns);
}

}  // namespace nameplate
