// Timelines written by hand for the tests of this folder.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "nameplate/facts/timeline.h"

namespace nameplate {

struct TestSpan {
  std::string name;
  HostSpanClass span_class = HostSpanClass::operation;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::int32_t thread = 1;
  std::optional<Operands> operands;
  std::int64_t correlation = -1;
};

struct TestEvent {
  std::string name;
  DeviceEventClass event_class = DeviceEventClass::memory_bound;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::int32_t stream = 7;
  std::int64_t correlation = -1;  // of the span that launched it
  std::int64_t bytes = -1;
  std::uint8_t flags = 0;
  std::int32_t group = -1;  // collectives only
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::int64_t sequence = -1;
  std::int64_t peer = -1;
};

// A timeline of one rank; spans and events are added in any order and sorted by `build`.
class TimelineForTest {
 public:
  TimelineForTest& span(TestSpan s) { return spans_.push_back(std::move(s)), *this; }
  TimelineForTest& event(TestEvent e) { return events_.push_back(std::move(e)), *this; }
  TimelineForTest& step(std::int64_t begin_ns, std::int64_t duration_ns) {
    steps_.push_back({static_cast<std::int64_t>(steps_.size()), begin_ns, duration_ns});
    return *this;
  }
  TimelineForTest& group(Group g) { return groups_.push_back(std::move(g)), *this; }
  // A launch of `duration_ns` at `begin_ns`, and what it launches.
  TimelineForTest& launch(std::int64_t begin_ns, TestEvent e, std::int32_t thread = 1,
                          std::int64_t duration_ns = 1000) {
    e.correlation = ++correlation_;
    span({"cudaLaunchKernel", HostSpanClass::launch, begin_ns, duration_ns, thread, {}, e.correlation});
    return event(std::move(e));
  }

  std::vector<TestSpan>& spans() { return spans_; }
  std::vector<TestEvent>& events() { return events_; }

  Timeline build() const {
    Timeline t;
    t.groups = groups_;
    t.ranks_total = 8;
    t.ranks.resize(1);
    RankTimeline& rank = t.ranks[0];
    rank.steps = steps_;
    add_spans(t, rank.host);
    add_events(t, rank);
    return t;
  }

 private:
  static std::int32_t id_of(std::vector<std::string>& names, const std::string& name) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) names.push_back(name);
    return static_cast<std::int32_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  void add_spans(Timeline& t, HostSpans& host) const {
    std::vector<TestSpan> sorted = spans_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const TestSpan& a, const TestSpan& b) {
      return std::pair(a.begin_ns, -a.duration_ns) < std::pair(b.begin_ns, -b.duration_ns);
    });
    for (const TestSpan& s : sorted) {
      host.begin_ns.push_back(s.begin_ns);
      host.duration_ns.push_back(s.duration_ns);
      host.thread.push_back(s.thread);
      host.name_id.push_back(id_of(t.names, s.name));
      host.span_class.push_back(s.span_class);
      host.correlation.push_back(s.correlation);
      host.operands.push_back(s.operands ? static_cast<std::int32_t>(t.operands.size()) : -1);
      if (s.operands) t.operands.push_back(*s.operands);
    }
  }

  void add_events(Timeline& t, RankTimeline& rank) const {
    std::vector<TestEvent> sorted = events_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const TestEvent& a, const TestEvent& b) {
      return std::pair(a.begin_ns, a.stream) < std::pair(b.begin_ns, b.stream);
    });
    for (const TestEvent& e : sorted) {
      if (e.event_class == DeviceEventClass::collective) {
        rank.collectives.event.push_back(static_cast<std::int32_t>(rank.device.begin_ns.size()));
        rank.collectives.group.push_back(e.group);
        rank.collectives.kind.push_back(e.kind);
        rank.collectives.bytes.push_back(e.bytes);
        rank.collectives.dtype.emplace_back();
        rank.collectives.sequence.push_back(e.sequence);
        rank.collectives.peer.push_back(e.peer);
      }
      rank.device.begin_ns.push_back(e.begin_ns);
      rank.device.duration_ns.push_back(e.duration_ns);
      rank.device.stream.push_back(e.stream);
      rank.device.name_id.push_back(id_of(t.names, e.name));
      rank.device.event_class.push_back(e.event_class);
      rank.device.correlation.push_back(e.correlation);
      const auto launch = std::find(rank.host.correlation.begin(), rank.host.correlation.end(), e.correlation);
      const bool launched = e.correlation >= 0 && launch != rank.host.correlation.end();
      rank.device.launch.push_back(launched ? static_cast<std::int32_t>(launch - rank.host.correlation.begin()) : -1);
      rank.device.bytes.push_back(e.bytes);
      rank.device.flags.push_back(e.flags);
    }
  }

  std::vector<TestSpan> spans_;
  std::vector<TestEvent> events_;
  std::vector<StepSpan> steps_;
  std::vector<Group> groups_;
  std::int64_t correlation_ = 0;
};

}  // namespace nameplate
