#include "nameplate/inputs/trace_xplane.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <protozero/exception.hpp>

#include "nameplate/core/text.h"
#include "nameplate/inputs/trace_events.h"
#include "nameplate/inputs/trace_timeline.h"
#include "nameplate/inputs/xplane_wire.h"

namespace nameplate {
namespace {

constexpr std::size_t kLongestName = 4096;
constexpr std::int64_t kMostDevices = 1024;

struct Device {
  std::int32_t id = 0;
  bool is_tpu = false;
};

// "/device:GPU:4"; nothing for other planes, such as those of a TPU's sparse cores.
std::optional<Device> device_of(std::string_view plane) {
  const bool tpu = plane.starts_with("/device:TPU:");
  if (!tpu && !plane.starts_with("/device:GPU:")) return std::nullopt;
  const auto id = parse_integer(plane.substr(std::string_view("/device:GPU:").size()));
  if (!id || *id < 0 || *id >= kMostDevices) return std::nullopt;
  return Device{static_cast<std::int32_t>(*id), tpu};
}

// The number behind `mark`: "kind:Unknown size:512 dest:1" has 512 behind "size:".
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return std::nullopt;
  const std::string_view rest = text.substr(at + mark.size());
  return parse_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
}

struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
std::int64_t rounded_down(std::int64_t ps) {
  return ps / kPicosecondsPerNanosecond - (ps % kPicosecondsPerNanosecond < 0 ? 1 : 0);
}

struct Op {
  Span when;
  std::int32_t name = 0;
  double flops = -1;
};

// What each op does alone: an op that encloses others is left with the pieces between them, which do no FLOPs of
// their own. Of two that overlap without nesting, the later has what they share.
class Untangler {
 public:
  explicit Untangler(std::vector<Op> ops) : ops_(std::move(ops)) {
    std::stable_sort(ops_.begin(), ops_.end(), [](const Op& a, const Op& b) {
      return a.when.begin_ns != b.when.begin_ns ? a.when.begin_ns < b.when.begin_ns : a.when.end_ns > b.when.end_ns;
    });
  }

  std::vector<Op> run() {
    for (const Op& op : ops_) {
      close_until(op.when.begin_ns);
      if (!open_.empty()) {
        give_piece(op.when.begin_ns);
        open_.back().encloses = true;
      }
      done_ns_ = op.when.begin_ns;
      open_.push_back({op, false});
    }
    close_until(INT64_MAX);
    return std::move(alone_);
  }

 private:
  struct Open {
    Op op;
    bool encloses = false;
  };

  void close_until(std::int64_t time_ns) {
    while (!open_.empty() && open_.back().op.when.end_ns <= time_ns) {
      give_piece(open_.back().op.when.end_ns);
      open_.pop_back();
    }
  }

  void give_piece(std::int64_t end_ns) {
    const Open& top = open_.back();
    if (top.encloses && end_ns <= done_ns_) return;
    Op piece = top.op;
    piece.when = {done_ns_, std::max(end_ns, done_ns_)};
    if (piece.when.end_ns < top.op.when.end_ns || top.encloses) piece.flops = 0;
    if (piece.when.end_ns > piece.when.begin_ns || !top.encloses) alone_.push_back(piece);
    done_ns_ = piece.when.end_ns;
  }

  std::vector<Op> ops_;
  std::vector<Open> open_;
  std::vector<Op> alone_;
  std::int64_t done_ns_ = 0;  // given away up to here
};

class XPlaneReader {
 public:
  // Throws what xplane_wire.h does.
  void read(std::string_view bytes) {
    const XSpace space = decode_space(bytes);
    for (const std::string_view plane : space.planes) read_plane(decode_plane(plane));
    errors_.assign(space.errors.begin(), space.errors.end());
    if (events_.device_steps.empty()) events_.device_steps = std::move(host_steps_);
  }

  Result<std::vector<RankTrace>> finish(const std::string& file, const KernelClasses& classes) {
    if (events_.device.size() + events_.host.size() == 0) {
      return Error{"a profile without one event", "planes /device:… or /host:… with events", {.file = file}, {}};
    }
    const bool absolute = earliest_line_ns_ > kYear2000;
    if (!absolute) header_.base_time_ns = profile_start_ns_;
    Defects defects = events_.defects(file);
    for (const std::string_view text : errors_) {
      add_defect(defects, {"trace.profiler_error", {{"file", file}, {"text", std::string(text.substr(0, 200))}}},
                 Severity::data_loss);
    }
    TraceTexts texts;
    for (std::int32_t i = 0; i < events_.names.size(); ++i) texts.names.emplace_back(events_.names[i]);
    std::vector<RankTrace> traces = timelines_of({std::move(events_), std::move(texts), header_, file}, classes);
    Defects& of_first = traces.front().defects;
    of_first.insert(of_first.begin(), defects.begin(), defects.end());
    return traces;
  }

 private:
  static constexpr std::int64_t kYear2000 = 946'684'800'000'000'000;

  void read_plane(const XPlane& plane) {
    if (const auto device = device_of(plane.name)) return read_device(plane, *device);
    if (plane.name.starts_with("/host:")) return read_host(plane);
    for (const std::string_view bytes : plane.stats) {
      const XStat stat = decode_stat(bytes, plane);
      if (stat_name(stat, plane) == "profile_start_time") profile_start_ns_ = stat.integer.value_or(0);
    }
  }

  static std::string_view stat_name(const XStat& stat, const XPlane& plane) {
    const auto name = plane.stat_names.find(stat.metadata_id);
    return name == plane.stat_names.end() ? std::string_view() : name->second;
  }

  // Calls use(name, stat) for each.
  template <class Use>
  static void each_stat(const std::vector<std::string_view>& stats, const XPlane& plane, Use use) {
    for (const std::string_view bytes : stats) {
      const XStat stat = decode_stat(bytes, plane);
      use(stat_name(stat, plane), stat);
    }
  }

  // Calls use(event, span, metadata) for each event of the line that has a place in time.
  template <class Use>
  void each_event(const XLine& line, const XPlane& plane, Use use) {
    static const XEventMetadata kNone;
    XEvent event;
    for (const std::string_view bytes : line.events) {
      decode_event(bytes, event);
      if (event.is_total) {
        events_.count(EventDefect::other_category);
        continue;
      }
      const auto span = span_of(line, event);
      if (!span) continue;
      const auto metadata = plane.events.find(event.metadata_id);
      use(event, *span, metadata == plane.events.end() ? kNone : metadata->second);
    }
  }

  std::optional<Span> span_of(const XLine& line, const XEvent& event) {
    Span span;
    std::int64_t end_ps = 0, length = 0;
    const bool overflows = __builtin_add_overflow(event.offset_ps, event.duration_ps, &end_ps) ||
                           __builtin_add_overflow(line.timestamp_ns, rounded_down(event.offset_ps), &span.begin_ns) ||
                           __builtin_add_overflow(line.timestamp_ns, rounded_down(end_ps), &span.end_ns) ||
                           __builtin_sub_overflow(span.end_ns, span.begin_ns, &length);
    if (overflows) {
      events_.count(EventDefect::invalid_time);
      return std::nullopt;
    }
    if (!events_.accept(span.begin_ns, length)) return std::nullopt;
    earliest_line_ns_ = std::min(earliest_line_ns_, span.begin_ns);
    return span;
  }

  void read_device(const XPlane& plane, Device device) {
    each_stat(plane.stats, plane, [&](std::string_view name, const XStat& stat) {
      if (name == "device_type_string") set_device_name(device.id, stat.text);
    });
    bool has_ops = false;
    std::vector<XLine> lines;
    for (const std::string_view bytes : plane.lines) {
      lines.push_back(decode_line(bytes));
      has_ops = has_ops || (lines.back().name == "XLA Ops" && !lines.back().events.empty());
    }
    for (const XLine& line : lines) {
      if (line.name == "Steps") {
        read_steps(line, plane, device.id);
      } else if (!device.is_tpu) {
        if (line.name.starts_with("Stream #")) read_stream(line, plane, device.id);
      } else if (line.name == (has_ops ? "XLA Ops" : "XLA Modules")) {
        add_ops(Untangler(read_ops(line, plane)).run(), device.id, 0);
      } else if (line.name == "Async XLA Ops") {
        add_ops(read_ops(line, plane), device.id, 1);
      }
    }
  }

  void set_device_name(std::int32_t id, std::string_view name) {
    const auto place = static_cast<std::size_t>(id);
    header_.device_names.resize(std::max(header_.device_names.size(), place + 1));
    header_.device_names[place] = name.substr(0, kLongestName);
  }

  void read_steps(const XLine& line, const XPlane& plane, std::int32_t device) {
    each_event(line, plane, [&](const XEvent&, Span span, const XEventMetadata& metadata) {
      const std::size_t digits = metadata.name.find_last_not_of("0123456789") + 1;  // 0 where all are digits
      add_step(metadata.name.substr(digits), span, device, events_.device_steps);
    });
  }

  void add_step(std::string_view number, Span span, std::int32_t device, std::vector<EventStep>& steps) {
    const std::string name = "step#" + (number.empty() ? std::to_string(steps.size()) : std::string(number));
    steps.push_back({events_.names.id(name), span.begin_ns, span.end_ns - span.begin_ns, device});
  }

  void add_device_event(const Op& op, std::int32_t device, std::int32_t stream, std::int64_t correlation,
                        std::int64_t bytes) {
    DeviceColumns& out = events_.device;
    const bool copies = events_.names[op.name].starts_with("Memcpy");
    const bool sets = events_.names[op.name].starts_with("Memset");
    out.begin_ns.push_back(op.when.begin_ns);
    out.duration_ns.push_back(op.when.end_ns - op.when.begin_ns);
    out.name.push_back(op.name);
    out.correlation.push_back(correlation);
    out.kind.push_back(copies ? EventKind::copy : sets ? EventKind::memset : EventKind::kernel);
    out.device.push_back(device);
    out.stream.push_back(stream);
    out.bytes.push_back(bytes);
    out.collective.push_back(-1);
    out.flops.push_back(op.flops);
  }

  void read_stream(const XLine& line, const XPlane& plane, std::int32_t device) {
    const auto stream = static_cast<std::int32_t>(number_behind(line.name, "Stream #").value_or(line.id) & INT32_MAX);
    each_event(line, plane, [&](const XEvent& event, Span span, const XEventMetadata& metadata) {
      std::int64_t correlation = -1, bytes = -1;
      each_stat(event.stats, plane, [&](std::string_view name, const XStat& stat) {
        if (name == "correlation_id") correlation = stat.integer.value_or(-1);
        if (name == "memcpy_details" || name == "memset_details") {
          bytes = number_behind(stat.text, "size:").value_or(number_behind(stat.text, "num_bytes:").value_or(-1));
        }
      });
      add_device_event({span, events_.names.id(metadata.name.substr(0, kLongestName))}, device, stream, correlation,
                       bytes);
    });
  }

  // What XLA says of an op is the same each time that it runs.
  std::vector<Op> read_ops(const XLine& line, const XPlane& plane) {
    std::unordered_map<std::int64_t, Op> known;
    std::vector<Op> ops;
    each_event(line, plane, [&](const XEvent& event, Span span, const XEventMetadata& metadata) {
      const auto [op, is_new] = known.try_emplace(event.metadata_id);
      if (is_new) op->second = describe(metadata, plane);
      ops.push_back({span, op->second.name, op->second.flops});
    });
    return ops;
  }

  Op describe(const XEventMetadata& metadata, const XPlane& plane) {
    Op op;
    std::string_view category;
    each_stat(metadata.stats, plane, [&](std::string_view name, const XStat& stat) {
      if (name == "hlo_category") category = stat.text.substr(0, kLongestName);
      if (name == "flops" && stat.integer && *stat.integer >= 0) op.flops = static_cast<double>(*stat.integer);
    });
    std::string_view name = metadata.display_name.empty() ? metadata.name : metadata.display_name;
    name = name.substr(0, std::min(name.find(" = "), kLongestName));  // else the text of the instruction follows
    op.name = category.empty() ? events_.names.id(name) : events_.names.id(fmt::format("{} ({})", name, category));
    return op;
  }

  void add_ops(const std::vector<Op>& ops, std::int32_t device, std::int32_t stream) {
    for (const Op& op : ops) add_device_event(op, device, stream, -1, -1);
  }

  void read_host(const XPlane& plane) {
    for (const std::string_view bytes : plane.lines) {
      const XLine line = decode_line(bytes);
      const std::int32_t thread = events_.threads.id(std::to_string(line.id));
      each_event(line, plane, [&](const XEvent& event, Span span, const XEventMetadata& metadata) {
        add_host_event(event, span, metadata, plane);
        events_.host.thread.push_back(thread);
      });
    }
  }

  void add_host_event(const XEvent& event, Span span, const XEventMetadata& metadata, const XPlane& plane) {
    std::int64_t correlation = -1;
    std::optional<std::int64_t> step;
    each_stat(event.stats, plane, [&](std::string_view name, const XStat& stat) {
      if (name == "correlation_id") correlation = stat.integer.value_or(-1);
      if (name == "step_num") step = stat.integer;
    });
    if (step) add_step(std::to_string(*step), span, -1, host_steps_);
    // Python's frames are marked: "$profiler.py:101 start_trace".
    const EventKind kind = correlation >= 0                 ? EventKind::runtime
                           : metadata.name.starts_with('$') ? EventKind::python
                                                            : EventKind::operation;
    HostColumns& host = events_.host;
    host.begin_ns.push_back(span.begin_ns);
    host.duration_ns.push_back(span.end_ns - span.begin_ns);
    host.name.push_back(events_.names.id(metadata.name.substr(0, kLongestName)));
    host.correlation.push_back(correlation);
    host.kind.push_back(kind);
    host.operands.push_back(-1);
  }

  TraceEvents events_;
  TraceHeader header_;
  std::vector<EventStep> host_steps_;
  std::vector<std::string> errors_;
  std::int64_t profile_start_ns_ = 0;
  std::int64_t earliest_line_ns_ = INT64_MAX;
};

// Copying a profile as text puts U+FFFD in the place of every byte that is no text.
bool went_through_text(std::string_view bytes) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  const std::string_view head = bytes.substr(0, 1024);
  int replaced = 0;
  for (std::size_t at = head.find(kReplacement); at != head.npos; at = head.find(kReplacement, at + 1)) ++replaced;
  return replaced > 8;
}

}  // namespace

Result<std::vector<RankTrace>> read_xplane(ByteStream stream, const KernelClasses& classes) {
  const std::string file = stream.name();
  NAMEPLATE_TRY(const std::string bytes, stream.read_all(kMostXPlaneBytes));
  XPlaneReader reader;
  try {
    reader.read(bytes);
  } catch (const protozero::exception& problem) {
    return Error{fmt::format("a profile whose bytes do not hold together: {}", problem.what()),
                 "an XPlane profile (.xplane.pb)",
                 {.file = file},
                 went_through_text(bytes) ? "it was copied as text, which replaced bytes (U+FFFD): copy the original"
                                          : "is it complete? lengths in it run past its end"};
  }
  return reader.finish(file, classes);
}

}  // namespace nameplate
