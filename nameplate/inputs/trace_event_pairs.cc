// Beginnings and ends that a trace tells apart, made spans of (TraceEvents::pair_marks).
#include <algorithm>
#include <utility>
#include <vector>

#include "nameplate/inputs/trace_events.h"

namespace nameplate {
namespace {

void add_span(EventColumns& spans, const EventMark& begin, std::int64_t duration_ns) {
  spans.begin_ns.push_back(begin.time_ns);
  spans.duration_ns.push_back(duration_ns);
  spans.name.push_back(begin.name);
  spans.correlation.push_back(begin.correlation);
  spans.kind.push_back(*begin.kind);
}

void add_pair(const EventMark& begin, std::int64_t end_ns, TraceEvents& events) {
  std::int64_t duration_ns = 0;
  if (!begin.kind) return events.count(EventDefect::other_category);
  if (__builtin_sub_overflow(end_ns, begin.time_ns, &duration_ns)) return events.count(EventDefect::absurd_duration);
  if (!events.accept(begin.time_ns, duration_ns)) return;
  if (*begin.kind < EventKind::kernel) {
    add_span(events.host, begin, duration_ns);
    events.host.thread.push_back(begin.thread);
    events.host.operands.push_back(-1);
    return;
  }
  add_span(events.device, begin, duration_ns);
  events.device.device.push_back(begin.device);
  events.device.stream.push_back(begin.stream);
  events.device.bytes.push_back(begin.bytes);
  events.device.collective.push_back(-1);
}

}  // namespace

void TraceEvents::pair_marks() {
  std::stable_sort(marks.begin(), marks.end(), [](const EventMark& a, const EventMark& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.time_ns < b.time_ns;
  });
  std::vector<EventMark> open;
  std::int64_t alone = 0;
  for (const EventMark& mark : std::exchange(marks, {})) {
    if (!open.empty() && open.back().thread != mark.thread) {
      alone += static_cast<std::int64_t>(open.size());
      open.clear();
    }
    if (mark.begins) {
      open.push_back(mark);
    } else if (open.empty()) {
      ++alone;
    } else {
      add_pair(open.back(), mark.time_ns, *this);
      open.pop_back();
    }
  }
  count(EventDefect::other_phase, alone + static_cast<std::int64_t>(open.size()));
}

}  // namespace nameplate
