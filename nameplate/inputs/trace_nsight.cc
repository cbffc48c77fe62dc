#include "nameplate/inputs/trace_nsight.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "nameplate/inputs/trace_events.h"
#include "nameplate/inputs/trace_kineto_values.h"
#include "nameplate/inputs/trace_timeline.h"

namespace nameplate {
namespace {

constexpr std::size_t kLongestName = 4096;
constexpr std::int64_t kMostDevices = 1024;

// A thread's number holds its process in the upper bits ("Serialized GlobalId" of the schema).
constexpr std::int64_t kThreadBits = 0xffffff;
std::int64_t process_of(std::int64_t thread) { return thread & ~kThreadBits; }
std::int64_t pid_of(std::int64_t process) { return (process >> 24) & 0xffffff; }

// "cudaLaunchKernel_v7000" is cudaLaunchKernel since version 7.0.
std::string_view without_version(std::string_view name) {
  const std::size_t mark = name.rfind("_v");
  if (mark == name.npos || mark + 2 == name.size()) return name;
  const std::string_view digits = name.substr(mark + 2);
  const bool is_version = digits.size() >= 4 && digits.find_first_not_of("0123456789") == digits.npos;
  return is_version ? name.substr(0, mark) : name;
}

// What PyTorch's emit_nvtx writes of an operator; nothing of other ranges.
struct MarkedOperator {
  std::string_view name;
  std::string_view sizes;  // JSON; empty: not recorded
};
std::optional<MarkedOperator> marked_operator(std::string_view text) {
  if (text.find(", op_id = ") == text.npos && text.find(", seq = ") == text.npos) return std::nullopt;
  MarkedOperator found{text.substr(0, std::min(text.find(", seq = "), text.find(", op_id = "))), {}};
  constexpr std::string_view kSizes = ", sizes = ";
  const std::size_t sizes = text.find(kSizes);
  if (sizes == text.npos) return found;
  found.sizes = text.substr(sizes + kSizes.size());
  found.sizes = found.sizes.substr(0, found.sizes.find(", input_op_ids"));
  return found;
}

// CUPTI's kinds of copies, as Kineto spells them; rules of data/kernels know these names.
std::string_view copy_name(std::optional<std::int64_t> kind) {
  switch (kind.value_or(0)) {
    case 1:   // host to device
    case 3:   // host to array
    case 11:  // of unified memory
      return "Memcpy HtoD";
    case 2:
    case 4:
    case 12:
      return "Memcpy DtoH";
    case 10:
      return "Memcpy PtoP";
    default:
      return "Memcpy DtoD";
  }
}

// A copy between arrays of the host (9) is no work of the device.
constexpr std::int64_t kCopyOnHost = 9;

class NsightReader {
 public:
  explicit NsightReader(const SqliteFile& file) : file_(file) {}

  void read() {
    read_strings();
    read_kernels();
    read_copies();
    read_graphs();
    read_calls("CUPTI_ACTIVITY_KIND_RUNTIME", EventKind::runtime);
    read_ranges();
    read_calls("OSRT_API", EventKind::annotation);
    read_devices();
    read_clock();
  }

  Result<std::vector<RankTrace>> finish(const KernelClasses& classes) {
    keep_processes();
    if (processes_.empty()) {
      return Error{"a database without one event of a device or a host",
                   "an export of Nsight Systems (CUPTI_ACTIVITY_KIND_KERNEL, NVTX_EVENTS, …)",
                   {.file = file_.name()},
                   {}};
    }
    std::vector<RankTrace> traces;
    for (auto& [process, events] : processes_) {
      TraceTexts texts = decode(events);
      for (RankTrace& trace :
           timelines_of({std::move(events), std::move(texts), header_of(process), file_.name()}, classes)) {
        traces.push_back(std::move(trace));
      }
    }
    Defects& of_first = traces.front().defects;
    const Defects damaged = damage_.defects(file_.name());
    defects_.insert(defects_.end(), damaged.begin(), damaged.end());
    of_first.insert(of_first.begin(), defects_.begin(), defects_.end());
    return traces;
  }

 private:
  using Columns = std::initializer_list<std::string_view>;

  template <class Use>
  void each_row(std::string_view table, Columns columns, Use use) {
    const auto rows = file_.each_row(table, {columns.begin(), columns.size()}, use);
    if (rows.ok()) return;
    add_defect(defects_, {"trace.damaged_table", {{"table", std::string(table)}, {"reason", render(rows.error())}}},
               Severity::data_loss);
  }

  // The columns 0 and 1 of a row; nothing when they are no stretch of time, which is counted.
  struct Span {
    std::int64_t begin_ns;
    std::int64_t duration_ns;
  };
  std::optional<Span> span_of(const SqliteRow& row) {
    const auto begin = row.integer(0), end = row.integer(1);
    std::int64_t duration = 0;
    if (!begin || !end || __builtin_sub_overflow(*end, *begin, &duration)) {
      damage_.count(EventDefect::invalid_time);
      return std::nullopt;
    }
    if (!damage_.accept(*begin, duration)) return std::nullopt;
    return Span{*begin, duration};
  }

  void read_strings() {
    each_row("StringIds", {"id", "value"}, [&](const SqliteRow& row) {
      if (const auto id = row.integer(0)) strings_.emplace(*id, row.text(1).substr(0, kLongestName));
    });
  }
  std::string_view string(std::optional<std::int64_t> id) const {
    const auto found = id ? strings_.find(*id) : strings_.end();
    return found == strings_.end() ? std::string_view() : std::string_view(found->second);
  }

  // Columns 0 to 5 of every table of device events: start, end, deviceId, streamId, correlationId, globalPid.
  void add_device(const SqliteRow& row, EventKind kind, std::string_view name, std::int64_t bytes) {
    const auto span = span_of(row);
    if (!span) return;
    TraceEvents& events = processes_[row.integer(5).value_or(0)];
    DeviceColumns& device = events.device;
    const auto small = [&](int column) {
      return static_cast<std::int32_t>(std::clamp<std::int64_t>(row.integer(column).value_or(-1), -1, INT32_MAX));
    };
    device.begin_ns.push_back(span->begin_ns);
    device.duration_ns.push_back(span->duration_ns);
    device.name.push_back(events.names.id(name));
    device.correlation.push_back(row.integer(4).value_or(-1));
    device.kind.push_back(kind);
    device.device.push_back(small(2));
    device.stream.push_back(small(3));
    device.bytes.push_back(bytes);
    device.collective.push_back(-1);
  }

  void read_kernels() {
    each_row("CUPTI_ACTIVITY_KIND_KERNEL",
             {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName", "shortName"},
             [&](const SqliteRow& row) {
               const std::string_view full = string(row.integer(6));
               add_device(row, EventKind::kernel, full.empty() ? string(row.integer(7)) : full, -1);
             });
  }

  void read_copies() {
    each_row("CUPTI_ACTIVITY_KIND_MEMCPY",
             {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind"},
             [&](const SqliteRow& row) {
               const auto kind = row.integer(7);
               if (kind != kCopyOnHost) add_device(row, EventKind::copy, copy_name(kind), row.integer(6).value_or(-1));
             });
    each_row("CUPTI_ACTIVITY_KIND_MEMSET",
             {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes"},
             [&](const SqliteRow& row) { add_device(row, EventKind::memset, "Memset", row.integer(6).value_or(-1)); });
  }

  // Graphs that were recorded whole (--cuda-graph-trace=graph): what ran in them is not known.
  void read_graphs() {
    std::int64_t graphs = 0;
    each_row("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {"start", "end", "deviceId", "streamId", "correlationId", "globalPid"},
             [&](const SqliteRow& row) {
               add_device(row, EventKind::kernel, "CUDA graph, recorded whole", -1);
               ++graphs;
             });
    if (graphs > 0) add_defect(defects_, {"trace.whole_graphs", {{"file", file_.name()}}}, Severity::info, graphs);
  }

  TraceEvents* add_host(Span span, std::int64_t thread, EventKind kind, std::string_view name) {
    TraceEvents& events = processes_[process_of(thread)];
    HostColumns& host = events.host;
    host.begin_ns.push_back(span.begin_ns);
    host.duration_ns.push_back(span.duration_ns);
    host.name.push_back(events.names.id(name));
    host.correlation.push_back(-1);
    host.kind.push_back(kind);
    host.thread.push_back(events.threads.id(std::to_string(thread)));
    host.operands.push_back(-1);
    return &events;
  }

  void read_calls(std::string_view table, EventKind kind) {
    each_row(table, {"start", "end", "globalTid", "correlationId", "nameId"}, [&](const SqliteRow& row) {
      const auto span = span_of(row);
      if (!span) return;
      TraceEvents* events = add_host(*span, row.integer(2).value_or(0), kind, without_version(string(row.integer(4))));
      if (kind == EventKind::runtime) events->host.correlation.back() = row.integer(3).value_or(-1);
    });
  }

  void read_ranges() {
    constexpr std::int64_t kPushed = 59, kStarted = 60;  // NvtxPushPopRange, NvtxStartEndRange; others mark an instant
    std::int64_t open = 0;
    each_row("NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "text", "textId"}, [&](const SqliteRow& row) {
      const auto type = row.integer(2);
      if (type != kPushed && type != kStarted) return;
      if (!row.integer(1)) return void(++open);
      const auto span = span_of(row);
      if (!span) return;
      const std::string_view own = row.text(4).substr(0, kLongestName);
      add_range(*span, row.integer(3).value_or(0), own.empty() ? string(row.integer(5)) : own);
    });
    if (open > 0) add_defect(defects_, {"trace.open_ranges", {{"file", file_.name()}}}, Severity::info, open);
  }

  void add_range(Span span, std::int64_t thread, std::string_view text) {
    const auto marked = marked_operator(text);
    if (!marked) return void(add_host(span, thread, EventKind::annotation, text));
    TraceEvents* events = add_host(span, thread, EventKind::operation, marked->name);
    if (marked->sizes.empty()) return;
    const std::string key = std::string(marked->sizes) + kOperandMark + kOperandMark;
    events->host.operands.back() = events->operands.id(key);
  }

  void read_devices() {
    std::map<std::int64_t, std::string> by_gpu;
    each_row("TARGET_INFO_GPU", {"id", "name"}, [&](const SqliteRow& row) {
      const auto id = row.integer(0);
      if (!id || *id < 0 || *id >= kMostDevices) return;
      by_gpu.emplace(*id, row.text(1).substr(0, kLongestName));
      set_name(device_names_, *id, by_gpu[*id]);
    });
    // A process may see some of the devices, under numbers of its own.
    each_row("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}, [&](const SqliteRow& row) {
      const auto gpu = by_gpu.find(row.integer(0).value_or(-1));
      const auto id = row.integer(1), pid = row.integer(2);
      if (gpu == by_gpu.end() || !id || *id < 0 || *id >= kMostDevices || !pid) return;
      set_name(names_seen_by_[*pid], *id, gpu->second);
    });
  }
  static void set_name(std::vector<std::string>& names, std::int64_t id, const std::string& name) {
    const auto place = static_cast<std::size_t>(id);
    names.resize(std::max(names.size(), place + 1));
    names[place] = name;
  }

  // Event times count from the session's start, or, where both are recorded as one, from the boot of the machine.
  void read_clock() {
    std::optional<std::int64_t> utc_ns, machine_ns, begin_ns;
    each_row("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs", "systemClockNs"}, [&](const SqliteRow& row) {
      utc_ns = row.integer(0);
      machine_ns = row.integer(1);
    });
    each_row("ANALYSIS_DETAILS", {"startTime"}, [&](const SqliteRow& row) { begin_ns = row.integer(0); });
    if (!utc_ns) return;
    base_time_ns_ = *utc_ns;
    const bool by_machine = machine_ns && begin_ns == machine_ns && *machine_ns >= 0 && *utc_ns >= 0;
    if (by_machine) base_time_ns_ -= *machine_ns;
  }

  TraceHeader header_of(std::int64_t process) const {
    TraceHeader header;
    const auto seen = names_seen_by_.find(pid_of(process));
    header.device_names = seen == names_seen_by_.end() ? device_names_ : seen->second;
    header.base_time_ns = base_time_ns_;
    return header;
  }

  // Processes that run kernels speak for the job: launchers and loaders beside them have no device. Where none does,
  // those with any device event; else all.
  void keep_processes() {
    const auto rank = [](const TraceEvents& events) {
      const auto& kinds = events.device.kind;
      if (std::find(kinds.begin(), kinds.end(), EventKind::kernel) != kinds.end()) return 2;
      return kinds.empty() ? 0 : 1;
    };
    int best = 0;
    for (const auto& [process, events] : processes_) best = std::max(best, rank(events));
    const auto left_out = static_cast<std::int64_t>(
        std::erase_if(processes_, [&](const auto& process) { return rank(process.second) < best; }));
    if (left_out > 0) {
      add_defect(defects_, {"trace.processes_without_kernels", {{"file", file_.name()}}}, Severity::info, left_out);
    }
  }

  static TraceTexts decode(const TraceEvents& events) {
    TraceTexts texts;
    for (std::int32_t i = 0; i < events.names.size(); ++i) texts.names.emplace_back(events.names[i]);
    for (std::int32_t i = 0; i < events.operands.size(); ++i) {
      texts.operands.push_back(parse_operands(events.operands[i]));
    }
    return texts;
  }

  const SqliteFile& file_;
  std::unordered_map<std::int64_t, std::string> strings_;
  std::map<std::int64_t, TraceEvents> processes_;
  std::vector<std::string> device_names_;
  std::map<std::int64_t, std::vector<std::string>> names_seen_by_;  // by the pid of the process
  std::int64_t base_time_ns_ = 0;
  TraceEvents damage_;  // its counts alone
  Defects defects_;
};

bool lies_plain_on_disk(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  auto source = ByteSource::open(path);
  constexpr std::string_view kMagic = "SQLite format 3";
  std::array<char, kMagic.size()> head{};
  return source.ok() && source->read(head.data(), head.size()) == static_cast<std::ptrdiff_t>(head.size()) &&
         std::string_view(head.data(), head.size()) == kMagic;
}

}  // namespace

Result<std::vector<RankTrace>> read_nsight(const SqliteFile& file, const KernelClasses& classes) {
  NsightReader reader(file);
  reader.read();
  return reader.finish(classes);
}

Result<std::vector<RankTrace>> read_nsight(ByteStream stream, const KernelClasses& classes) {
  if (lies_plain_on_disk(stream.name())) {
    NAMEPLATE_TRY(const SqliteFile file, SqliteFile::open(stream.name()));
    return read_nsight(file, classes);
  }
  NAMEPLATE_TRY(std::string bytes, stream.read_all(kMostNsightBytes));
  NAMEPLATE_TRY(const SqliteFile file, SqliteFile::from_bytes(std::move(bytes), stream.name()));
  return read_nsight(file, classes);
}

}  // namespace nameplate
