#include "nameplate/api/trace_set.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "nameplate/api/rank_result.h"
#include "nameplate/core/executor.h"
#include "nameplate/inputs/trace.h"
#include "nameplate/inputs/trace_merge.h"

namespace nameplate {
namespace {

// Leaves the names of kernels, under numbers of their own.
void keep_names(std::vector<KernelTotal>& kernels, std::vector<std::string>& names) {
  std::vector<std::string> kept;
  for (KernelTotal& kernel : kernels) {
    kept.push_back(std::move(names[static_cast<std::size_t>(kernel.name_id)]));
    kernel.name_id = static_cast<std::int32_t>(kept.size()) - 1;
  }
  names = std::move(kept);
}

RankResult analyse(RankTrace trace, std::int64_t ranks, const OptionsOfRank& options, unsigned threads) {
  Timeline alone{std::move(trace.names), std::move(trace.operands), std::move(trace.groups), {}, 0, {}};
  alone.ranks_total = std::max(trace.ranks_total.value_or(0), ranks);
  alone.ranks.push_back(std::move(trace.timeline));
  RankTimeline& rank = alone.ranks.front();
  RankResult result;
  result.roles = group_roles(alone);
  parallel_for(2, threads, [&](std::size_t part) {
    if (part == 0) {
      result.attribution = attribute(alone, rank, result.roles, options(rank, alone.ranks_total));
    } else {
      result.summary = summarise(alone, rank, result.roles, find_steps(alone, rank));
    }
  });
  result.attribution.idle.clear();
  result.has_shapes = !alone.operands.empty();
  keep_names(result.attribution.kernels, alone.names);
  rank.device = {};
  rank.collectives = {};
  rank.host = {};
  rank.memory = {};
  trace.timeline = std::move(rank);
  trace.names = std::move(alone.names);
  trace.groups = std::move(alone.groups);
  result.trace = std::move(trace);
  return result;
}

void number(std::vector<RankResult>& results, Defects& defects) {
  std::vector<RankNumber> numbers;
  for (const RankResult& r : results) numbers.push_back({r.trace.timeline.rank, r.trace.timeline.rank_source});
  number_ranks(numbers, defects);
  for (std::size_t i = 0; i < results.size(); ++i) {
    RankResult& r = results[i];
    r.trace.timeline.rank = r.attribution.rank = r.summary.rank = numbers[i].rank;
  }
  std::stable_sort(results.begin(), results.end(),
                   [](const RankResult& a, const RankResult& b) { return a.attribution.rank < b.attribution.rank; });
}

TraceSet side_by_side(std::vector<RankResult> results, TimelineMerger& merger) {
  number(results, merger.defects());
  TraceSet out;
  if (!results.empty()) out.profiler = results.front().trace.profiler;
  for (RankResult& result : results) {
    const TimelineMerger::Numbers numbers = merger.add(std::move(result.trace));
    for (KernelTotal& k : result.attribution.kernels) k.name_id = numbers.names[static_cast<std::size_t>(k.name_id)];
    for (CollectiveTotal& c : result.attribution.collectives) {
      if (c.group >= 0) c.group = numbers.groups[static_cast<std::size_t>(c.group)];
    }
    for (std::size_t i = 0; i < result.roles.size(); ++i) {
      const auto group = static_cast<std::size_t>(numbers.groups[i]);
      if (group >= out.roles.size()) out.roles.resize(group + 1);
      if (out.roles[group].source == RoleSource::none) out.roles[group] = result.roles[i];
    }
    out.has_shapes = out.has_shapes || result.has_shapes;
    out.attributions.push_back(std::move(result.attribution));
    out.summaries.push_back(std::move(result.summary));
  }
  out.timeline = merger.finish();
  return out;
}

}  // namespace

Result<TraceSet> analyse_traces(const TraceRequest& request, const OptionsOfRank& options) {
  NAMEPLATE_TRY(const KernelClasses classes, kernel_classes({request.threads, request.kernel_rules}));
  NAMEPLATE_TRY(TraceFiles found, trace_files(request.paths));
  const std::vector<std::string>& files = found.paths;
  const auto of_file = [&](std::size_t file, unsigned threads) -> Result<std::vector<RankResult>> {
    NAMEPLATE_TRY(std::vector<RankTrace> traces, read_trace_file(files[file], classes, threads));
    const auto ranks = static_cast<std::int64_t>(files.size() - 1 + traces.size());
    std::vector<RankResult> results;
    for (RankTrace& trace : traces) results.push_back(analyse(std::move(trace), ranks, options, threads));
    return results;
  };
  const ThreadExecutor own;
  const Executor& executor = request.executor == nullptr ? own : *request.executor;
  TimelineMerger merger;
  merger.defects() = std::move(found.defects);
  std::vector<RankResult> results;
  std::optional<Error> first_error;
  std::mutex one_at_a_time;
  std::size_t done = 0;
  const auto task = [&](std::size_t file, unsigned threads) {
    std::string bytes = to_bytes(of_file(file, threads));
    const std::lock_guard lock(one_at_a_time);
    ++done;
    if (request.progress) request.progress(done, files.size());
    return bytes;
  };
  for (std::string& bytes : executor.gather(files.size(), request.threads, task)) {
    Result<std::vector<RankResult>> read = rank_results(std::exchange(bytes, {}));
    if (read.ok()) {
      for (RankResult& result : *read) results.push_back(std::move(result));
      continue;
    }
    if (!first_error) first_error = read.error();
    add_defect(merger.defects(), {"trace.unreadable_file", {{"reason", render(read.error())}}}, Severity::error);
  }
  if (results.empty()) return first_error.value_or(error("no trace was named"));
  return side_by_side(std::move(results), merger);
}

}  // namespace nameplate
