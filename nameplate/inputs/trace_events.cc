#include "nameplate/inputs/trace_events.h"

namespace nameplate {
namespace {

constexpr std::int64_t kLongest = std::int64_t{86'400} * 1'000'000'000;  // nothing on a device lasts a day

template <class T>
void extend(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void extend(std::vector<std::int32_t>& all, const std::vector<std::int32_t>& more,
            const std::vector<std::int32_t>& new_id) {
  for (const std::int32_t id : more) all.push_back(id < 0 ? -1 : new_id[static_cast<std::size_t>(id)]);
}

void extend(EventColumns& all, const EventColumns& more, const std::vector<std::int32_t>& names) {
  extend(all.begin_ns, more.begin_ns);
  extend(all.duration_ns, more.duration_ns);
  extend(all.name, more.name, names);
  extend(all.correlation, more.correlation);
  extend(all.kind, more.kind);
}

void extend_collectives(TraceEvents& all, const TraceEvents& more) {
  const std::vector<std::int32_t> labels = all.labels.add_all(more.labels);
  const auto renumber = [&](std::int32_t& id) { id = id < 0 ? -1 : labels[static_cast<std::size_t>(id)]; };
  for (TraceCollective c : more.collectives) {
    for (std::int32_t* id : {&c.collective, &c.dtype, &c.group, &c.description, &c.ranks}) renumber(*id);
    all.collectives.push_back(c);
  }
}

void extend_device(DeviceColumns& all, const DeviceColumns& more, const std::vector<std::int32_t>& names,
                   std::int32_t collectives_before) {
  extend(static_cast<EventColumns&>(all), more, names);
  extend(all.device, more.device);
  extend(all.stream, more.stream);
  extend(all.bytes, more.bytes);
  for (const std::int32_t c : more.collective) all.collective.push_back(c < 0 ? -1 : c + collectives_before);
}

template <class T>
void keep_in(std::vector<T>& column, const std::vector<bool>& kept) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (kept[i]) column[size++] = column[i];
  }
  column.resize(size);
}

void keep_events(EventColumns& columns, const std::vector<bool>& kept) {
  keep_in(columns.begin_ns, kept);
  keep_in(columns.duration_ns, kept);
  keep_in(columns.name, kept);
  keep_in(columns.correlation, kept);
  keep_in(columns.kind, kept);
}

}  // namespace

void DeviceColumns::keep(const std::vector<bool>& kept) {
  keep_events(*this, kept);
  keep_in(device, kept);
  keep_in(stream, kept);
  keep_in(bytes, kept);
  keep_in(collective, kept);
  keep_in(flops, kept);
}

void HostColumns::keep(const std::vector<bool>& kept) {
  std::vector<std::int64_t> new_place(size(), -1);
  std::int64_t places = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) new_place[i] = places++;
  }
  for (auto* of_span : {&collective_of, &device_of}) {
    for (auto& [span, value] : *of_span) span = new_place[static_cast<std::size_t>(span)];
    std::erase_if(*of_span, [](const auto& entry) { return entry.first < 0; });
  }
  keep_events(*this, kept);
  keep_in(thread, kept);
  keep_in(operands, kept);
}

bool TraceEvents::accept(std::int64_t begin_ns, std::int64_t duration_ns) {
  const bool fits = begin_ns >= -(INT64_MAX - kLongest) && begin_ns <= INT64_MAX - kLongest;
  if (!fits) {
    count(EventDefect::invalid_time);
  } else if (duration_ns < 0 || duration_ns > kLongest) {
    count(EventDefect::absurd_duration);
  } else if (begin_ns == 0 && duration_ns == 0) {
    count(EventDefect::zero_time);
  } else {
    return true;
  }
  return false;
}

Defects TraceEvents::defects(const std::string& file) const {
  constexpr std::pair<const char*, Severity> kDefects[kEventDefects] = {
      {"trace.invalid_time", Severity::data_loss},      {"trace.zero_time", Severity::data_loss},
      {"trace.absurd_duration", Severity::data_loss},   {"trace.other_category", Severity::info},
      {"trace.other_phase", Severity::data_loss},       {"trace.unreadable_event", Severity::data_loss},
      {"trace.repaired_character", Severity::data_loss}};
  Defects found;
  for (std::size_t i = 0; i < kEventDefects; ++i) {
    if (counts[i] > 0) add_defect(found, {kDefects[i].first, {{"file", file}}}, kDefects[i].second, counts[i]);
  }
  return found;
}

void TraceEvents::append(TraceEvents&& later) {
  const std::vector<std::int32_t> new_names = names.add_all(later.names);
  const auto collectives_before = static_cast<std::int32_t>(collectives.size());
  const auto spans_before = static_cast<std::int64_t>(host.size());
  const std::vector<std::int32_t> new_threads = threads.add_all(later.threads);
  extend_collectives(*this, later);
  extend_device(device, later.device, new_names, collectives_before);
  extend(static_cast<EventColumns&>(host), later.host, new_names);
  extend(host.thread, later.host.thread, new_threads);
  extend(host.operands, later.host.operands, operands.add_all(later.operands));
  for (const auto& [span, c] : later.host.collective_of) {
    host.collective_of.emplace_back(span + spans_before, c + collectives_before);
  }
  for (const auto& [span, id] : later.host.device_of) host.device_of.emplace_back(span + spans_before, id);
  for (EventMark mark : later.marks) {
    mark.thread = new_threads[static_cast<std::size_t>(mark.thread)];
    mark.name = mark.name < 0 ? -1 : new_names[static_cast<std::size_t>(mark.name)];
    marks.push_back(mark);
  }
  extend(memory.time_ns, later.memory.time_ns);
  extend(memory.bytes, later.memory.bytes);
  extend(memory.allocated, later.memory.allocated);
  extend(memory.reserved, later.memory.reserved);
  for (EventStep step : later.device_steps) {
    step.name = new_names[static_cast<std::size_t>(step.name)];
    device_steps.push_back(step);
  }
  for (std::size_t i = 0; i < kEventDefects; ++i) counts[i] += later.counts[i];
}

}  // namespace nameplate
