#include "nameplate/inputs/trace.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/byte_stream.h"
#include "nameplate/core/executor.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/name_table.h"
#include "nameplate/inputs/run_files.h"
#include "nameplate/inputs/trace_kineto.h"

namespace nameplate {
namespace {

constexpr std::size_t kHeadBytes = 1 << 20;

bool holds(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

Error not_read(const std::string& path, std::string_view what, std::string hint) {
  return {fmt::format("{}: not read yet", what), "a Kineto trace (JSON)", {.file = path}, std::move(hint)};
}

Error refusal(TraceKind kind, const std::string& path) {
  switch (kind) {
    case TraceKind::nsight_sqlite:
      return not_read(path, "an Nsight Systems export (SQLite)", {});
    case TraceKind::nsight_report:
      return not_read(path, "an Nsight Systems report", {});
    case TraceKind::xplane:
      return not_read(path, "an XPlane profile (JAX, TensorFlow)", {});
    case TraceKind::chakra:
      return {"a Chakra execution trace: it has operators but no times",
              "a trace with times",
              {.file = path},
              "give the Kineto trace of the same run"};
    default:
      return {"not a profiler trace that is known",
              "a Kineto trace (JSON, plain, .gz or .zst)",
              {.file = path},
              "torch.profiler writes one with export_chrome_trace or tensorboard_trace_handler"};
  }
}

Result<TraceKind> kind_of(const std::string& path) {
  NAMEPLATE_TRY(const std::string head, read_head(path, kHeadBytes));
  return trace_kind(head);
}

Result<std::vector<std::string>> folder_traces(const std::string& folder) {
  std::error_code failure;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    std::error_code ignored;
    if (!entry.is_regular_file(ignored)) continue;
    const auto kind = kind_of(entry.path().string());
    if (kind.ok() && *kind != TraceKind::unknown) files.push_back(entry.path().string());
  }
  if (failure) return Error{failure.message(), {}, {.file = folder}, {}};
  if (files.empty()) return Error{"no trace in this folder", {}, {.file = folder}, {}};
  std::sort(files.begin(), files.end());
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

void renumber(std::vector<std::int32_t>& column, const std::vector<std::int32_t>& ids) {
  for (std::int32_t& id : column) id = id < 0 ? -1 : ids[static_cast<std::size_t>(id)];
}

// Puts ranks side by side under one numbering.
class Merger {
 public:
  void add(RankTrace&& trace) {
    std::vector<std::int32_t> names;
    for (const std::string& name : trace.names) names.push_back(names_.id(name));
    RankTimeline& rank = trace.timeline;
    renumber(rank.device.name_id, names);
    renumber(rank.host.name_id, names);
    renumber(rank.host.operands, numbers_of(trace.operands));
    renumber(rank.collectives.group, numbers_of(trace.groups));
    for (Defect& defect : trace.defects) {
      add_defect(timeline_.defects, std::move(defect.message), defect.severity, defect.count);
    }
    timeline_.ranks_total = std::max(timeline_.ranks_total, trace.ranks_total.value_or(0));
    timeline_.ranks.push_back(std::move(rank));
  }

  Timeline finish() {
    std::stable_sort(timeline_.ranks.begin(), timeline_.ranks.end(),
                     [](const RankTimeline& a, const RankTimeline& b) { return a.rank < b.rank; });
    timeline_.ranks_total = std::max(timeline_.ranks_total, static_cast<std::int64_t>(timeline_.ranks.size()));
    for (std::int32_t i = 0; i < names_.size(); ++i) timeline_.names.emplace_back(names_[i]);
    return std::move(timeline_);
  }

  Defects& defects() { return timeline_.defects; }

 private:
  std::vector<std::int32_t> numbers_of(std::vector<Operands>& operands) {
    std::vector<std::int32_t> numbers;
    for (Operands& one : operands) {
      const auto [place, is_new] = operands_.try_emplace({one.dims, one.types, one.values}, timeline_.operands.size());
      if (is_new) timeline_.operands.push_back(std::move(one));
      numbers.push_back(static_cast<std::int32_t>(place->second));
    }
    return numbers;
  }

  std::vector<std::int32_t> numbers_of(std::vector<Group>& groups) {
    std::vector<std::int32_t> numbers;
    for (Group& one : groups) {
      const auto [place, is_new] = groups_.try_emplace({one.id, one.ranks}, timeline_.groups.size());
      if (is_new) timeline_.groups.push_back(std::move(one));
      numbers.push_back(static_cast<std::int32_t>(place->second));
    }
    return numbers;
  }

  using OperandsKey =
      std::tuple<std::vector<std::vector<std::int64_t>>, std::vector<std::string>, std::vector<std::string>>;
  Timeline timeline_;
  NameTable names_;
  std::map<OperandsKey, std::size_t> operands_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> groups_;
};

// Numbers the ranks that neither file nor name tells, with the lowest numbers that are free.
void number_ranks(std::vector<RankTrace>& traces, Defects& defects) {
  std::map<std::int64_t, std::int64_t> bearers;
  for (const RankTrace& trace : traces) {
    if (trace.timeline.rank_source != RankSource::order) ++bearers[trace.timeline.rank];
  }
  std::int64_t next = 0, unnumbered = 0;
  for (RankTrace& trace : traces) {
    if (trace.timeline.rank_source != RankSource::order) continue;
    while (bearers.contains(next)) ++next;
    trace.timeline.rank = next++;
    ++unnumbered;
  }
  if (unnumbered > 0 && traces.size() > 1) add_defect(defects, {"trace.rank_by_order", {}}, Severity::info, unnumbered);
  for (const auto& [rank, count] : bearers) {
    if (count > 1) add_defect(defects, {"trace.rank_twice", {{"rank", rank}}}, Severity::info, count);
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

Result<std::vector<std::string>> trace_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::set<std::string> seen;
  const auto add = [&](const std::string& file) {
    if (seen.insert(file).second) files.push_back(file);
  };
  for (const std::string& path : paths) {
    NAMEPLATE_TRY(const std::vector<std::string> expanded, expand_pattern(path, {}));
    for (const std::string& one : expanded) {
      if (one == "-" || !is_directory(one)) {
        add(one);
        continue;
      }
      NAMEPLATE_TRY(const std::vector<std::string> inside, folder_traces(one));
      for (const std::string& file : inside) add(file);
    }
  }
  return files;
}

Result<RankTrace> read_trace_file(const std::string& path, const KernelClasses& classes, unsigned threads) {
  if (path != "-") {  // standard input cannot be looked at twice
    NAMEPLATE_TRY(const TraceKind kind, kind_of(path));
    if (kind != TraceKind::kineto) return refusal(kind, path);
  }
  NAMEPLATE_TRY(ByteSource source, ByteSource::open(path));
  NAMEPLATE_TRY(RankTrace trace, read_kineto(ByteStream(std::move(source), path), classes, {.threads = threads}));
  const std::optional<std::int64_t> named = rank_in_name(path);
  trace.timeline.rank = trace.rank.value_or(named.value_or(0));
  trace.timeline.rank_source = trace.rank ? RankSource::file : named ? RankSource::name : RankSource::order;
  return trace;
}

Result<Timeline> read_traces(const std::vector<std::string>& paths, const TraceReading& reading) {
  NAMEPLATE_TRY(const KernelClasses classes, kernel_classes(reading));
  NAMEPLATE_TRY(const std::vector<std::string> files, trace_files(paths));
  const unsigned threads = thread_count(reading.threads);
  const auto at_once = static_cast<unsigned>(std::clamp<std::size_t>(files.size(), 1, threads));
  std::vector<std::optional<Result<RankTrace>>> results(files.size());
  parallel_for(files.size(), at_once, [&](std::size_t i) {
    results[i] = read_trace_file(files[i], classes, std::max(1u, threads / at_once));
  });
  Merger merger;
  std::vector<RankTrace> traces;
  std::optional<Error> first_error;
  for (auto& result : results) {
    if (result->ok()) {
      traces.push_back(std::move(*result).value());
      continue;
    }
    if (!first_error) first_error = result->error();
    add_defect(merger.defects(), {"trace.unreadable_file", {{"reason", render(result->error())}}}, Severity::error);
  }
  if (traces.empty()) return first_error.value_or(error("no trace was named"));
  number_ranks(traces, merger.defects());
  for (RankTrace& trace : traces) merger.add(std::move(trace));
  return merger.finish();
}

}  // namespace nameplate
