#include "nameplate/inputs/trace.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/byte_stream.h"
#include "nameplate/core/executor.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/file_copies.h"
#include "nameplate/inputs/folder_files.h"
#include "nameplate/inputs/run_files.h"
#include "nameplate/inputs/trace_kineto.h"
#include "nameplate/inputs/trace_merge.h"
#include "nameplate/inputs/trace_nsight.h"
#include "nameplate/inputs/trace_xplane.h"

namespace nameplate {
namespace {

constexpr std::size_t kHeadBytes = 1 << 20;

bool holds(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

Error refusal(TraceKind kind, const std::string& path) {
  switch (kind) {
    case TraceKind::nsight_report:
      return {"an Nsight Systems report, which only Nsight Systems can read",
              "its export",
              {.file = path},
              fmt::format("nsys export --type sqlite {}", path)};
    case TraceKind::chakra:
      return {"a Chakra execution trace: it has operators but no times",
              "a trace with times",
              {.file = path},
              "give the Kineto trace of the same run"};
    default:
      return {"not a profiler trace that is known",
              "a Kineto trace (JSON), an Nsight Systems export (SQLite) or an XPlane profile (.xplane.pb)",
              {.file = path},
              "torch.profiler writes a Kineto trace with export_chrome_trace or tensorboard_trace_handler"};
  }
}

Result<TraceKind> kind_of(const std::string& path) {
  NAMEPLATE_TRY(const std::string head, read_head(path, kHeadBytes));
  return trace_kind(head);
}

Result<std::vector<std::string>> folder_traces(const std::string& folder) {
  NAMEPLATE_TRY(std::vector<std::string> files, files_below(folder));
  std::erase_if(files, [](const std::string& file) {
    const auto kind = kind_of(file);
    return !kind.ok() || *kind == TraceKind::unknown;
  });
  if (files.empty()) {
    return Error{fmt::format("no trace in this folder, nor in those up to {} levels below it", kMostFolderDepth),
                 {},
                 {.file = folder},
                 fmt::format("name the files, or a glob: '{}/*/*.json.gz'", folder)};
  }
  return files;
}

// "…/rank-34.Jul_15.json" is 34: the digits behind the last "rank" of the path that has some.
std::optional<std::int64_t> rank_in_name(const std::string& path) {
  const std::string lower = to_lower(path);
  for (std::size_t at = lower.rfind("rank"); at != lower.npos;
       at = at == 0 ? lower.npos : lower.rfind("rank", at - 1)) {
    std::size_t begin = at + 4;
    if (begin < lower.size() && (lower[begin] == '-' || lower[begin] == '_' || lower[begin] == '=')) ++begin;
    std::size_t end = begin;
    while (end < lower.size() && end - begin < 9 && lower[end] >= '0' && lower[end] <= '9') ++end;
    if (end > begin) return parse_integer(std::string_view(lower).substr(begin, end - begin));
  }
  return std::nullopt;
}

Result<std::vector<RankTrace>> written_by(Profiler profiler, Result<std::vector<RankTrace>> traces) {
  if (traces.ok()) {
    for (RankTrace& trace : traces.value()) trace.profiler = profiler;
  }
  return traces;
}

Result<std::vector<RankTrace>> read_by_kind(const std::string& path, const KernelClasses& classes, unsigned threads) {
  NAMEPLATE_TRY(ByteSource source, ByteSource::open(path));
  ByteStream stream(std::move(source), path);
  const std::string_view head = stream.peek(kHeadBytes);
  if (head.empty() && stream.error()) return *stream.error();
  switch (const TraceKind kind = trace_kind(head)) {
    case TraceKind::kineto:
      return read_kineto(std::move(stream), classes, {.threads = threads});
    case TraceKind::nsight_sqlite:
      return written_by(Profiler::nsight, read_nsight(std::move(stream), classes));
    case TraceKind::xplane:
      return written_by(Profiler::xla, read_xplane(std::move(stream), classes));
    default:
      return refusal(kind, path);
  }
}

}  // namespace

TraceKind trace_kind(std::string_view head) {
  if (head.starts_with("SQLite format 3")) return TraceKind::nsight_sqlite;
  if (head.starts_with("NVIDIA Tegra Profiler Report") || holds(head.substr(0, 256), "Tegra Profiler")) {
    return TraceKind::nsight_report;
  }
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const std::string_view text = trim(head);
  if (!text.empty() && (text[0] == '{' || text[0] == '[')) {
    if (holds(text, "\"traceEvents\"")) return TraceKind::kineto;
    if (text[0] == '[' && holds(text, "\"ph\"") && holds(text, "\"ts\"")) return TraceKind::kineto;
    if (holds(text, "\"nodes\"") && holds(text, "\"schema\"")) return TraceKind::chakra;
    return TraceKind::unknown;
  }
  // The protobuf XSpace: field 1, a plane, whose name (field 2) is a path. A log may begin with a new line, too.
  const bool planes = holds(head, "/host:") || holds(head, "/device:");
  return head.starts_with('\n') && holds(head.substr(0, 16), "\x12") && planes ? TraceKind::xplane : TraceKind::unknown;
}

Result<KernelClasses> kernel_classes(const TraceReading& reading) {
  NAMEPLATE_TRY(KernelClasses classes, KernelClasses::built_in());
  for (const std::string& path : reading.kernel_rules) {
    NAMEPLATE_TRY(const std::string text, read_file(path));
    if (Status bad = classes.add(text, path)) return *bad;
  }
  return classes;
}

Result<TraceFiles> trace_files(const std::vector<std::string>& paths) {
  TraceFiles files;
  for (const std::string& path : paths) {
    NAMEPLATE_TRY(const std::vector<std::string> expanded, expand_pattern(path, {}));
    for (const std::string& one : expanded) {
      if (one == "-" || !is_directory(one)) {
        files.paths.push_back(one);
        continue;
      }
      NAMEPLATE_TRY(const std::vector<std::string> inside, folder_traces(one));
      files.paths.insert(files.paths.end(), inside.begin(), inside.end());
    }
  }
  for (const FileCopy& copy : take_copies(files.paths)) {
    const bool named_twice = copy.path == copy.first;
    const Message message = named_twice ? Message{"trace.named_twice", {{"file", copy.path}}}
                                        : Message{"trace.copy", {{"file", copy.path}, {"first", copy.first}}};
    add_defect(files.defects, message, named_twice ? Severity::info : Severity::error);
  }
  return files;
}

Result<std::vector<RankTrace>> read_trace_file(const std::string& path, const KernelClasses& classes,
                                               unsigned threads) {
  NAMEPLATE_TRY(std::vector<RankTrace> traces, read_by_kind(path, classes, threads));
  const std::optional<std::int64_t> named = traces.size() == 1 ? rank_in_name(path) : std::nullopt;
  for (RankTrace& trace : traces) {
    trace.timeline.rank = trace.rank.value_or(named.value_or(0));
    trace.timeline.rank_source = trace.rank ? RankSource::file : named ? RankSource::name : RankSource::order;
  }
  return traces;
}

Result<Timeline> read_traces(const std::vector<std::string>& paths, const TraceReading& reading) {
  NAMEPLATE_TRY(const KernelClasses classes, kernel_classes(reading));
  NAMEPLATE_TRY(TraceFiles found, trace_files(paths));
  const std::vector<std::string>& files = found.paths;
  const unsigned threads = thread_count(reading.threads);
  const auto at_once = static_cast<unsigned>(std::clamp<std::size_t>(files.size(), 1, threads));
  std::vector<std::optional<Result<std::vector<RankTrace>>>> results(files.size());
  parallel_for(files.size(), at_once, [&](std::size_t i) {
    results[i] = read_trace_file(files[i], classes, std::max(1u, threads / at_once));
  });
  TimelineMerger merger;
  merger.defects() = std::move(found.defects);
  std::vector<RankTrace> traces;
  std::optional<Error> first_error;
  for (auto& result : results) {
    if (result->ok()) {
      for (RankTrace& trace : result->value()) traces.push_back(std::move(trace));
      continue;
    }
    if (!first_error) first_error = result->error();
    add_defect(merger.defects(), {"trace.unreadable_file", {{"reason", render(result->error())}}}, Severity::error);
  }
  if (traces.empty()) return first_error.value_or(error("no trace was named"));
  std::vector<RankNumber> numbers;
  for (const RankTrace& trace : traces) numbers.push_back({trace.timeline.rank, trace.timeline.rank_source});
  number_ranks(numbers, merger.defects());
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i].timeline.rank = numbers[i].rank;
    merger.add(std::move(traces[i]));
  }
  return merger.finish();
}

}  // namespace nameplate
