#include "nameplate/inputs/trace_timeline.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "nameplate/inputs/host_span_class.h"
#include "nameplate/inputs/trace_collectives.h"
#include "nameplate/inputs/trace_time.h"

namespace nameplate {
namespace {

using Order = std::vector<std::uint32_t>;

// The order of (begin, then `second`), stable. Files are nearly in order, and then nothing is sorted.
template <class Second>
Order order_by(const std::vector<std::int64_t>& begin_ns, Second second) {
  struct Key {
    std::int64_t begin_ns;
    std::int64_t second;
    std::uint32_t index;
    bool operator<(const Key& o) const {
      if (begin_ns != o.begin_ns) return begin_ns < o.begin_ns;
      return second != o.second ? second < o.second : index < o.index;
    }
  };
  std::vector<Key> keys;
  keys.reserve(begin_ns.size());
  for (std::size_t i = 0; i < begin_ns.size(); ++i) {
    keys.push_back({begin_ns[i], second(i), static_cast<std::uint32_t>(i)});
  }
  if (!std::is_sorted(keys.begin(), keys.end())) std::sort(keys.begin(), keys.end());
  Order order;
  order.reserve(keys.size());
  for (const Key& key : keys) order.push_back(key.index);
  return order;
}

// The column in that order; what was there is given back at once, so that one column more is in memory, not all.
template <class T>
std::vector<T> take(std::vector<T>& column, const Order& order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const std::uint32_t i : order) out.push_back(column[i]);
  std::vector<T>().swap(column);
  return out;
}

std::string device_name(const DeviceColumns& device, const TraceHeader& header) {
  for (const std::int32_t id : device.device) {
    if (id >= 0 && static_cast<std::size_t>(id) < header.device_names.size()) {
      return header.device_names[static_cast<std::size_t>(id)];
    }
  }
  return header.device_names.empty() ? std::string() : header.device_names[0];
}

DeviceEventClass class_of(EventKind kind, DeviceEventClass by_name) {
  const bool is_copy = by_name == DeviceEventClass::copy || by_name == DeviceEventClass::copy_to_device ||
                       by_name == DeviceEventClass::copy_to_host;
  if (kind == EventKind::copy && !is_copy) return DeviceEventClass::copy;
  return kind == EventKind::memset ? DeviceEventClass::memset : by_name;
}

class Builder {
 public:
  Builder(ProcessTrace&& process, const KernelClasses& classes)
      : events_(std::move(process.events)), header_(std::move(process.header)), classes_(classes) {
    trace_.timeline.file = std::move(process.file);
    trace_.names = std::move(process.texts.names);
    trace_.operands = std::move(process.texts.operands);
    trace_.groups = std::move(header_.groups);
  }

  RankTrace build() {
    add_host();
    add_device();
    join_launches();
    add_collectives({events_, recorded_, recorded_on_host_, kinds_}, trace_);
    add_memory();
    add_steps();
    add_facts();
    return std::move(trace_);
  }

 private:
  std::vector<HostSpanClass> host_classes(const Order& order) {
    // A name is looked up once for each kind under which it occurs.
    constexpr std::size_t kKinds = 5;
    std::vector<std::int8_t> known(trace_.names.size() * kKinds, -1);
    std::vector<HostSpanClass> out;
    out.reserve(order.size());
    for (const std::uint32_t i : order) {
      const auto name = static_cast<std::size_t>(events_.host.name[i]);
      std::int8_t& place = known[name * kKinds + static_cast<std::size_t>(events_.host.kind[i])];
      if (place < 0) { place = static_cast<std::int8_t>(host_span_class(events_.host.kind[i], trace_.names[name])); }
      out.push_back(static_cast<HostSpanClass>(place));
    }
    return out;
  }

  void add_host() {
    HostColumns& in = events_.host;
    HostSpans& out = trace_.timeline.host;
    const Order order = order_by(in.begin_ns, [&](std::size_t i) { return -in.duration_ns[i]; });
    std::vector<std::int32_t> recorded(in.size(), -1);
    for (const auto& [span, c] : in.collective_of) recorded[static_cast<std::size_t>(span)] = c;
    recorded_on_host_ = take(recorded, order);
    out.span_class = host_classes(order);
    is_call_.reserve(order.size());
    for (const std::uint32_t i : order) is_call_.push_back(in.kind[i] == EventKind::runtime);
    out.begin_ns = take(in.begin_ns, order);
    out.duration_ns = take(in.duration_ns, order);
    out.thread = take(in.thread, order);
    out.name_id = take(in.name, order);
    out.correlation = take(in.correlation, order);
    out.operands = take(in.operands, order);
  }

  void add_device() {
    DeviceColumns& in = events_.device;
    DeviceEvents& out = trace_.timeline.device;
    trace_.timeline.device_name = device_name(in, header_);
    const Order order = order_by(in.begin_ns, [&](std::size_t i) { return std::int64_t{in.stream[i]}; });
    std::vector<std::optional<KernelClass>> classes(trace_.names.size());
    kinds_.resize(trace_.names.size());
    for (const std::uint32_t i : order) {
      const auto name = static_cast<std::size_t>(in.name[i]);
      if (!classes[name]) {
        classes[name] = classes_.classify(trace_.names[name]);
        kinds_[name] = classes[name]->collective;
      }
      out.event_class.push_back(class_of(in.kind[i], classes[name]->event_class));
    }
    out.begin_ns = take(in.begin_ns, order);
    out.duration_ns = take(in.duration_ns, order);
    out.stream = take(in.stream, order);
    out.name_id = take(in.name, order);
    out.correlation = take(in.correlation, order);
    out.bytes = take(in.bytes, order);
    if (!in.flops.empty()) out.flops = take(in.flops, order);
    recorded_ = take(in.collective, order);
    out.flags.assign(order.size(), 0);
  }

  void join_launches() {
    HostSpans& host = trace_.timeline.host;
    DeviceEvents& device = trace_.timeline.device;
    std::vector<std::pair<std::int64_t, std::int32_t>> calls;
    for (std::size_t i = 0; i < host.correlation.size(); ++i) {
      if (is_call_[i] && host.correlation[i] >= 0)
        calls.emplace_back(host.correlation[i], static_cast<std::int32_t>(i));
    }
    std::sort(calls.begin(), calls.end());
    device.launch.assign(device.begin_ns.size(), -1);
    for (std::size_t i = 0; i < device.launch.size(); ++i) {
      if (device.correlation[i] < 0) continue;
      const auto call =
          std::lower_bound(calls.begin(), calls.end(), std::pair{device.correlation[i], std::int32_t{-1}});
      if (call == calls.end() || call->first != device.correlation[i]) continue;
      const auto span = static_cast<std::size_t>(call->second);
      device.launch[i] = call->second;
      if (host.span_class[span] == HostSpanClass::other) host.span_class[span] = HostSpanClass::launch;
      const std::string& name = trace_.names[static_cast<std::size_t>(host.name_id[span])];
      if (name.find("GraphLaunch") != name.npos) device.flags[i] |= kInGraph;
    }
  }

  void add_memory() {
    MemoryColumns& in = events_.memory;
    const Order order = order_by(in.time_ns, [](std::size_t) { return std::int64_t{0}; });
    trace_.timeline.memory = {take(in.time_ns, order), take(in.bytes, order), take(in.allocated, order),
                              take(in.reserved, order)};
  }

  void add_step(std::int32_t name, std::int64_t begin_ns, std::int64_t duration_ns) {
    const std::string& text = trace_.names[static_cast<std::size_t>(name)];
    const std::size_t mark = text.find('#');
    const auto index = mark == text.npos ? std::nullopt : parse_whole(std::string_view(text).substr(mark + 1));
    if (index) trace_.timeline.steps.push_back({*index, begin_ns, duration_ns});
  }

  void add_steps() {
    const HostSpans& host = trace_.timeline.host;
    for (std::size_t i = 0; i < host.begin_ns.size(); ++i) {
      if (host.span_class[i] == HostSpanClass::step) add_step(host.name_id[i], host.begin_ns[i], host.duration_ns[i]);
    }
    std::vector<StepSpan>& steps = trace_.timeline.steps;
    if (!steps.empty()) return;
    for (const EventStep& step : events_.device_steps) add_step(step.name, step.begin_ns, step.duration_ns);
    std::stable_sort(steps.begin(), steps.end(),
                     [](const StepSpan& a, const StepSpan& b) { return a.begin_ns < b.begin_ns; });
    // One range a stream: the step is what they span.
    std::vector<StepSpan> merged;
    for (const StepSpan& step : steps) {
      if (merged.empty() || merged.back().index != step.index) {
        merged.push_back(step);
        continue;
      }
      StepSpan& last = merged.back();
      last.duration_ns = std::max(last.duration_ns, step.begin_ns + step.duration_ns - last.begin_ns);
    }
    steps = std::move(merged);
  }

  template <class Spans>
  static void widen(const Spans& spans, std::int64_t& begin, std::int64_t& end) {
    for (std::size_t i = 0; i < spans.begin_ns.size(); ++i) {
      begin = std::min(begin, spans.begin_ns[i]);
      end = std::max(end, spans.begin_ns[i] + spans.duration_ns[i]);
    }
  }

  void add_facts() {
    RankTimeline& timeline = trace_.timeline;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    widen(timeline.device, begin, end);
    widen(timeline.host, begin, end);
    timeline.window_begin_ns = begin <= end ? begin : 0;
    timeline.window_end_ns = begin <= end ? end : 0;
    timeline.base_time_ns = header_.base_time_ns;
    trace_.rank = header_.rank;
    trace_.ranks_total = header_.ranks_total;
  }

  TraceEvents events_;
  TraceHeader header_;
  const KernelClasses& classes_;
  RankTrace trace_;
  std::vector<std::int32_t> recorded_;                // by device event, into events_.collectives
  std::vector<std::int32_t> recorded_on_host_;        // by host span
  std::vector<std::optional<CollectiveKind>> kinds_;  // by name
  std::vector<bool> is_call_;                         // by host span: a call of the runtime
};

bool is_kernel(EventKind kind) { return kind == EventKind::kernel; }

// No host has as many; a file that names more does not make a timeline of each.
constexpr std::size_t kMostDevices = 64;
// What the host did is copied for each device, up to this many spans in all.
constexpr std::size_t kMostCopiedSpans = std::size_t{1} << 25;

// The devices that run kernels, the lowest kMostDevices of them; `others` are the events of all others.
std::set<std::int32_t> busy_devices(const DeviceColumns& device, std::int64_t& others) {
  std::set<std::int32_t> busy;
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (is_kernel(device.kind[i])) busy.insert(device.device[i]);
    if (busy.size() > kMostDevices) busy.erase(std::prev(busy.end()));
  }
  others = std::count_if(device.device.begin(), device.device.end(), [&](auto id) { return !busy.contains(id); });
  return busy;
}

// Leaves out the host's spans that are of another device alone.
void keep_host(std::int32_t id, HostColumns& host) {
  if (host.device_of.empty()) return;
  std::vector<bool> kept(host.size(), true);
  for (const auto& [span, device] : host.device_of) kept[static_cast<std::size_t>(span)] = device == id;
  host.keep(kept);
}

void keep_device(std::int32_t id, TraceEvents& events) {
  keep_host(id, events.host);
  DeviceColumns& device = events.device;
  std::vector<bool> kept;
  kept.reserve(device.size());
  for (const std::int32_t own : device.device) kept.push_back(own == id);
  device.keep(kept);
  std::erase_if(events.device_steps, [&](const EventStep& step) { return step.device >= 0 && step.device != id; });
}

}  // namespace

std::vector<RankTrace> timelines_of(ProcessTrace&& process, const KernelClasses& classes) {
  const std::string file = process.file;
  std::int64_t others = 0;
  const std::set<std::int32_t> devices = busy_devices(process.events.device, others);
  std::vector<RankTrace> traces;
  if (devices.size() < 2) {
    if (devices.size() == 1 && others > 0) keep_device(*devices.begin(), process.events);
    traces.push_back(Builder(std::move(process), classes).build());
  } else {
    // Which device an allocation or the file's rank belongs to is not told apart.
    process.events.memory = {};
    process.header.rank.reset();
    const std::size_t spans = process.events.host.size();
    const bool too_many = spans > kMostCopiedSpans / devices.size();
    if (too_many) process.events.host = {};
    for (const std::int32_t id : devices) {
      ProcessTrace one = process;
      keep_device(id, one.events);
      traces.push_back(Builder(std::move(one), classes).build());
    }
    add_defect(traces.front().defects,
               {"trace.several_devices", {{"file", file}, {"devices", static_cast<std::int64_t>(devices.size())}}},
               Severity::info);
    if (too_many) {
      add_defect(traces.front().defects, {"trace.host_left_out", {{"file", file}}}, Severity::data_loss,
                 static_cast<std::int64_t>(spans));
    }
  }
  if (!devices.empty() && others > 0) {
    add_defect(traces.front().defects, {"trace.device_without_kernels", {{"file", file}}}, Severity::info, others);
  }
  return traces;
}

}  // namespace nameplate
