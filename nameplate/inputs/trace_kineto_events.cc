#include "nameplate/inputs/trace_kineto_events.h"

#include <simdjson.h>

#include "nameplate/inputs/trace_time.h"

namespace nameplate {
namespace {

namespace json = simdjson::ondemand;

// One event as it stands in the text; absent fields are empty.
struct RawEvent {
  std::string_view phase, category, name, process, thread, time, duration;
  std::string_view correlation, device, stream, bytes;
  std::string_view dims, types, values;
  std::string_view collective, dtype, group, description, ranks, in_elements, out_elements, group_size, sequence,
      source, destination;
  std::string_view memory_bytes, allocated, reserved, device_type;
};

std::string_view key_of(json::field& field) {
  const char* begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') ++end;  // a key with an escaped quote is none of ours, and is cut here without harm
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view scalar(json::value& value) {
  std::string_view text = value.raw_json_token();
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

// The text of an array; of anything else the scalar.
simdjson::error_code nested(json::value& value, std::string_view& out) {
  json::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) {
    out = {};
    return simdjson::SUCCESS;
  }
  return array.raw_json().get(out);
}

std::string_view RawEvent::*argument(std::string_view key) {
  using E = RawEvent;
  switch (key.size()) {
    case 3:
      return key == "Seq" ? &E::sequence : nullptr;
    case 5:
      return key == "bytes" ? &E::bytes : key == "dtype" ? &E::dtype : key == "Bytes" ? &E::memory_bytes : nullptr;
    case 6:
      return key == "stream" ? &E::stream : key == "device" ? &E::device : nullptr;
    case 8:
      return key == "Src Rank" ? &E::source : key == "Dst Rank" ? &E::destination : nullptr;
    case 10:
      return key == "Group size" ? &E::group_size : nullptr;
    case 11:
      return key == "correlation" ? &E::correlation : key == "Device Type" ? &E::device_type : nullptr;
    case 13:
      return key == "In msg nelems" ? &E::in_elements : nullptr;
    case 14:
      return key == "Out msg nelems" ? &E::out_elements : key == "Total Reserved" ? &E::reserved : nullptr;
    case 15:
      return key == "Collective name" ? &E::collective : key == "Total Allocated" ? &E::allocated : nullptr;
    case 18:
      return key == "Process Group Name" ? &E::group : nullptr;
    case 19:
      return key == "Process Group Ranks" ? &E::ranks : nullptr;
    case 25:
      return key == "Process Group Description" ? &E::description : nullptr;
    default:
      return nullptr;
  }
}

std::string_view RawEvent::*list_argument(std::string_view key) {
  if (key == "Input Dims" || key == "Input dims") return &RawEvent::dims;
  if (key == "Input type") return &RawEvent::types;
  if (key == "Concrete Inputs") return &RawEvent::values;
  return nullptr;
}

simdjson::error_code read_arguments(json::value& value, RawEvent& event) {
  json::object arguments;
  if (value.get_object().get(arguments) != simdjson::SUCCESS) return simdjson::SUCCESS;
  for (auto member : arguments) {
    json::field field;
    SIMDJSON_TRY(std::move(member).get(field));
    const std::string_view key = key_of(field);
    if (const auto place = argument(key)) {
      event.*place = scalar(field.value());
    } else if (const auto list = list_argument(key)) {
      SIMDJSON_TRY(nested(field.value(), event.*list));
    }
  }
  return simdjson::SUCCESS;
}

std::string_view RawEvent::*member_of_event(std::string_view key) {
  if (key == "ph") return &RawEvent::phase;
  if (key == "ts") return &RawEvent::time;
  if (key == "cat") return &RawEvent::category;
  if (key == "dur") return &RawEvent::duration;
  if (key == "name") return &RawEvent::name;
  if (key == "pid") return &RawEvent::process;
  if (key == "tid") return &RawEvent::thread;
  return nullptr;
}

// Python frames are the bulk of many traces, and nothing in their arguments is needed.
bool needs_arguments(const RawEvent& event) {
  return event.category != "python_function" &&
         (event.phase.empty() || event.phase == "X" || event.phase == "B" || event.phase == "i");
}

simdjson::error_code read_event(json::object object, RawEvent& event) {
  for (auto member : object) {
    json::field field;
    SIMDJSON_TRY(std::move(member).get(field));
    const std::string_view key = key_of(field);
    if (key == "args") {
      if (needs_arguments(event)) SIMDJSON_TRY(read_arguments(field.value(), event));
    } else if (const auto place = member_of_event(key)) {
      event.*place = scalar(field.value());
    }
  }
  return simdjson::SUCCESS;
}

// What an event is; nothing for what repeats others (projections of annotations) or is no work.
struct Category {
  std::string_view name;
  EventKind kind;
};
constexpr Category kCategories[] = {{"cpu_op", EventKind::operation},      {"python_function", EventKind::python},
                                    {"cuda_runtime", EventKind::runtime},  {"kernel", EventKind::kernel},
                                    {"cuda_driver", EventKind::runtime},   {"gpu_memcpy", EventKind::copy},
                                    {"gpu_memset", EventKind::memset},     {"user_annotation", EventKind::annotation},
                                    {"Operator", EventKind::operation},    {"Runtime", EventKind::runtime},
                                    {"Kernel", EventKind::kernel},         {"Memcpy", EventKind::copy},
                                    {"Memset", EventKind::memset},         {"overhead", EventKind::profiler},
                                    {"hip_runtime", EventKind::runtime},   {"hip_driver", EventKind::runtime},
                                    {"xpu_runtime", EventKind::runtime},   {"xpu_driver", EventKind::runtime},
                                    {"mtia_runtime", EventKind::runtime},  {"privateuse1_runtime", EventKind::runtime},
                                    {"hpu_op", EventKind::kernel},         {"privateuse1_driver", EventKind::runtime},
                                    {"mtia_ccp_events", EventKind::kernel}};
// Told elsewhere in the trace: projections, waits between streams, the capture itself.
constexpr std::string_view kRepeated[] = {"gpu_user_annotation", "cuda_sync", "cuda_event",   "Trace",
                                          "collective_comm",     "trace",     "mtia_insight", "cpu_instant_event",
                                          "external_correlation"};

// The profiler before Kineto puts devices under this process, each as a thread, or one device's streams ("stream 7").
constexpr std::string_view kLegacyDevices = "CUDA functions";

std::optional<EventKind> kind_of(const RawEvent& event) {
  if (event.category.empty()) { return event.process == kLegacyDevices ? EventKind::kernel : EventKind::operation; }
  for (const Category& known : kCategories) {
    if (known.name == event.category) return known.kind;
  }
  return std::nullopt;
}

bool is_repeated(std::string_view category) {
  for (const std::string_view known : kRepeated) {
    if (known == category) return true;
  }
  return false;
}

std::int64_t whole_or(std::string_view text, std::int64_t otherwise) {
  return text.empty() ? otherwise : parse_whole(text).value_or(otherwise);
}

// "7", "stream 7": the number at the end; -1 without one.
std::int32_t trailing_number(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9' && text.size() - begin < 9) --begin;
  return begin == text.size() ? -1 : static_cast<std::int32_t>(*parse_whole(text.substr(begin)));
}

std::int32_t device_of(const RawEvent& raw) {
  if (!raw.device.empty()) return trailing_number(raw.device);
  if (raw.process != kLegacyDevices) return trailing_number(raw.process);
  return static_cast<std::int32_t>(parse_whole(raw.thread).value_or(-1));
}

std::int32_t stream_of(const RawEvent& raw) { return trailing_number(raw.stream.empty() ? raw.thread : raw.stream); }

struct Span {
  std::int64_t begin_ns;
  std::int64_t duration_ns;
};

std::optional<Span> span_of(const RawEvent& raw, TraceEvents& events) {
  const auto begin = parse_microseconds(raw.time);
  const auto duration = parse_microseconds(raw.duration);
  if (!begin || !duration) {
    events.count(EventDefect::invalid_time);
    return std::nullopt;
  }
  if (!events.accept(*begin, *duration)) return std::nullopt;
  return Span{*begin, *duration};
}

}  // namespace

struct KinetoParser::State {
  json::parser parser;
  std::string key;  // of operands, and of the thread last seen
  std::string_view process, thread;
  std::int32_t thread_id = -1;

  void add(const RawEvent& raw, TraceEvents& events);
  void add_host(const RawEvent& raw, EventKind kind, Span span, TraceEvents& events);
  void add_mark(const RawEvent& raw, TraceEvents& events);
  std::int32_t thread_of(const RawEvent& raw, TraceEvents& events);
  std::int32_t operands_of(const RawEvent& raw, TraceEvents& events);
};

namespace {

std::int32_t label(std::string_view text, TraceEvents& events) { return text.empty() ? -1 : events.labels.id(text); }

std::int32_t add_collective(const RawEvent& raw, TraceEvents& events) {
  if (raw.collective.empty()) return -1;
  TraceCollective& c = events.collectives.emplace_back();
  c.collective = label(raw.collective, events);
  c.dtype = label(raw.dtype, events);
  c.group = label(raw.group, events);
  c.description = label(raw.description, events);
  c.ranks = label(raw.ranks, events);
  c.in_elements = whole_or(raw.in_elements, -1);
  c.out_elements = whole_or(raw.out_elements, -1);
  c.group_size = whole_or(raw.group_size, 0);
  c.sequence = whole_or(raw.sequence, -1);
  // The one of the two that PyTorch writes: a send's destination, a receive's source.
  c.peer = whole_or(raw.destination.empty() ? raw.source : raw.destination, -1);
  return static_cast<std::int32_t>(events.collectives.size()) - 1;
}

void add_span(EventColumns& spans, Span span, EventKind kind, const RawEvent& raw, TraceEvents& events) {
  spans.begin_ns.push_back(span.begin_ns);
  spans.duration_ns.push_back(span.duration_ns);
  spans.name.push_back(events.names.id(raw.name));
  spans.correlation.push_back(whole_or(raw.correlation, -1));
  spans.kind.push_back(kind);
}

void add_device(const RawEvent& raw, EventKind kind, Span span, TraceEvents& events) {
  DeviceColumns& device = events.device;
  add_span(device, span, kind, raw, events);
  device.device.push_back(device_of(raw));
  device.stream.push_back(stream_of(raw));
  device.bytes.push_back(whole_or(raw.bytes, -1));
  device.collective.push_back(add_collective(raw, events));
}

constexpr std::int64_t kCpuMemory = 0;  // PyTorch's DeviceType::CPU

void add_memory(const RawEvent& raw, TraceEvents& events) {
  if (whole_or(raw.device_type, kCpuMemory) == kCpuMemory) return;
  const auto time = parse_microseconds(raw.time);
  const auto bytes = raw.memory_bytes.empty() ? std::nullopt : parse_whole(raw.memory_bytes);
  if (!time || !bytes) return events.count(EventDefect::invalid_time);
  events.memory.time_ns.push_back(*time);
  events.memory.bytes.push_back(*bytes);
  events.memory.allocated.push_back(whole_or(raw.allocated, -1));
  events.memory.reserved.push_back(whole_or(raw.reserved, -1));
}

bool is_instant(std::string_view phase) { return phase == "i" || phase == "I"; }

void add_repeated(const RawEvent& raw, TraceEvents& events) {
  if (!raw.name.starts_with("ProfilerStep#")) return;
  if (const auto span = span_of(raw, events)) {
    events.device_steps.push_back(
        {events.names.id(raw.name), span->begin_ns, span->duration_ns, trailing_number(raw.process)});
  }
}

}  // namespace

std::int32_t KinetoParser::State::thread_of(const RawEvent& raw, TraceEvents& events) {
  if (thread_id < 0 || raw.thread != thread || raw.process != process) {
    key.assign(raw.process).append("/").append(raw.thread);
    thread_id = events.threads.id(key);
    thread = raw.thread;
    process = raw.process;
  }
  return thread_id;
}

std::int32_t KinetoParser::State::operands_of(const RawEvent& raw, TraceEvents& events) {
  if (raw.dims.empty()) return -1;
  // Values tell strides, paddings and masks. Elsewhere they are scalars that differ in every step.
  const bool with_values = raw.name.find("conv") != raw.name.npos || raw.name.find("attention") != raw.name.npos;
  key.assign(raw.dims).append(1, kOperandMark).append(raw.types).append(1, kOperandMark);
  if (with_values) key.append(raw.values);
  return events.operands.id(key);
}

void KinetoParser::State::add_host(const RawEvent& raw, EventKind kind, Span span, TraceEvents& events) {
  HostColumns& host = events.host;
  add_span(host, span, kind, raw, events);
  host.thread.push_back(thread_of(raw, events));
  host.operands.push_back(kind == EventKind::python ? -1 : operands_of(raw, events));
  const auto own = static_cast<std::int64_t>(host.size()) - 1;
  if (const std::int32_t collective = add_collective(raw, events); collective >= 0) {
    host.collective_of.emplace_back(own, collective);
  }
  if (!raw.device.empty()) host.device_of.emplace_back(own, trailing_number(raw.device));
}

void KinetoParser::State::add_mark(const RawEvent& raw, TraceEvents& events) {
  const auto time = parse_microseconds(raw.time);
  if (!time) return events.count(EventDefect::invalid_time);
  EventMark mark{.time_ns = *time, .thread = thread_of(raw, events), .begins = raw.phase == "B"};
  if (mark.begins) {
    mark.kind = kind_of(raw);
    mark.name = events.names.id(raw.name);
    mark.correlation = whole_or(raw.correlation, -1);
    mark.device = device_of(raw);
    mark.stream = stream_of(raw);
    mark.bytes = whole_or(raw.bytes, -1);
  }
  events.marks.push_back(mark);
}

void KinetoParser::State::add(const RawEvent& raw, TraceEvents& events) {
  if (raw.phase != "X") {
    if (is_instant(raw.phase) && raw.name == "[memory]") return add_memory(raw, events);
    if (raw.phase == "B" || raw.phase == "E") add_mark(raw, events);
    return;
  }
  const std::optional<EventKind> kind = kind_of(raw);
  if (!kind) {
    if (is_repeated(raw.category)) return add_repeated(raw, events);
    return events.count(EventDefect::other_category);
  }
  const std::optional<Span> span = span_of(raw, events);
  if (!span) return;
  if (*kind < EventKind::kernel) return add_host(raw, *kind, *span, events);
  add_device(raw, *kind, *span, events);
}

const std::size_t KinetoParser::kPadding = simdjson::SIMDJSON_PADDING;

KinetoParser::KinetoParser() : state_(std::make_unique<State>()) {}
KinetoParser::KinetoParser(KinetoParser&&) noexcept = default;
KinetoParser& KinetoParser::operator=(KinetoParser&&) noexcept = default;
KinetoParser::~KinetoParser() = default;

std::optional<std::size_t> KinetoParser::parse(std::string_view text, TraceEvents& events) {
  state_->thread_id = -1;
  json::document document;
  json::array array;
  if (state_->parser.iterate(text.data(), text.size(), text.size() + kPadding).get(document)) return std::nullopt;
  if (document.get_array().get(array)) return std::nullopt;
  for (auto element : array) {
    json::value value;
    if (std::move(element).get(value)) return std::nullopt;
    json::object object;
    if (value.get_object().get(object)) {
      events.count(EventDefect::unreadable);
      continue;
    }
    RawEvent raw;
    if (read_event(object, raw)) return std::nullopt;
    state_->add(raw, events);
  }
  const char* end = nullptr;
  const auto failure = document.current_location().get(end);
  if (failure == simdjson::OUT_OF_BOUNDS) return text.size();
  if (failure) return std::nullopt;
  return static_cast<std::size_t>(end - text.data());
}

}  // namespace nameplate
