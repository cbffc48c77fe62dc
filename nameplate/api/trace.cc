#include "nameplate/api/trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "nameplate/advice/findings/trace_findings.h"
#include "nameplate/analysis/attribution/merge_ranks.h"
#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/api/load.h"
#include "nameplate/api/resolve.h"
#include "nameplate/api/trace_ranks.h"
#include "nameplate/api/trace_tables.h"
#include "nameplate/core/executor.h"
#include "nameplate/core/statistics.h"
#include "nameplate/inputs/trace.h"
#include "nameplate/report/format.h"

namespace nameplate {
namespace {

std::string setting(const TraceRequest& request, std::string_view key) {
  for (const auto& [k, value] : request.settings) {
    if (k == key) return value;
  }
  return {};
}

bool share_peaks(const AcceleratorMatch& match) {
  const auto rates = [](const Accelerator& a) {
    std::map<Precision, double> dense;
    for (const Peak& p : a.peaks) {
      if (p.sparsity == Sparsity::dense) dense[p.precision] = p.rate.base();
    }
    return dense;
  };
  return std::all_of(match.candidates.begin(), match.candidates.end(), [&](const Accelerator* candidate) {
    return rates(*candidate) == rates(*match.candidates.front());
  });
}

// The accelerator of each rank: the one stated, else the one that the trace names; null where that is open.
Result<std::vector<const Accelerator*>> accelerators(const TraceRequest& request, const Timeline& timeline,
                                                     Document& d) {
  NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
  const std::string stated = setting(request, "cluster.accelerator");
  std::vector<const Accelerator*> found;
  std::set<std::string> noted;
  for (const RankTimeline& rank : timeline.ranks) {
    const std::string& device = stated.empty() ? rank.device_name : stated;
    const Result<AcceleratorMatch> match = catalogue->resolve_accelerator(device);
    if (!match.ok() && !stated.empty()) return match.error();
    const bool known = match.ok() && (match->exact || share_peaks(*match));
    found.push_back(known ? match->candidates.front() : nullptr);
    if (!noted.insert(device).second || rank.device.begin_ns.empty()) continue;
    if (known) {
      d.assumptions.push_back({"trace.accelerator", {{"device", device}, {"sku", found.back()->sku}}});
    } else if (setting(request, "cluster.peak").empty()) {
      d.notes.push_back({"trace.accelerator_not_known", {{"device", device.empty() ? "nothing" : device}}});
    }
  }
  return found;
}

// Model FLOPs of one step on one accelerator, where model and batch are stated.
std::optional<Flops> stated_flops(const RunFacts& facts, const Timeline& timeline) {
  if (!facts.architecture || !facts.workload || facts.workload->batch.empty()) return std::nullopt;
  const auto step = convention_flops(kDefaultConvention, *facts.architecture, *facts.workload);
  const std::int64_t count = facts.accelerators.value_or(std::max<std::int64_t>(timeline.ranks_total, 1));
  return step ? std::optional(flops(*step / static_cast<double>(count))) : std::nullopt;
}

std::string peak_words(const std::vector<RankAttribution>& ranks) {
  const RankAttribution& first = ranks.front();
  if (!first.peak) return {};
  return fmt::format("dense {} peak of {}", first.precision ? name(*first.precision) : "stated",
                     human("", first.peak->base(), "FLOP/s"));
}

Value value(std::string id, Number number, std::string unit, std::string convention = {}) {
  Value v;
  v.id = std::move(id);
  v.value = number;
  v.unit = std::move(unit);
  v.convention = std::move(convention);
  v.level = "trace";
  return v;
}

void add_values(const std::vector<RankAttribution>& ranks, const TraceShares& shares, bool from_architecture,
                Document& d) {
  if (shares.mfu) {
    d.values.push_back(value("mfu_step_ratio", *shares.mfu, "1",
                             fmt::format("model FLOPs from {}, causal attention, {}",
                                         from_architecture ? "the model" : "recorded shapes", peak_words(ranks))));
  }
  std::vector<double> times;
  std::int64_t rank_steps = 0;
  for (const RankAttribution& r : ranks) {
    rank_steps += static_cast<std::int64_t>(r.steps.steps.size() - r.steps.warm_up);
    for (std::size_t s = r.steps.warm_up; s < r.steps.steps.size(); ++s)
      times.push_back(static_cast<double>(r.steps.steps[s].duration_ns) / 1e9);
  }
  if (!times.empty()) {
    d.add("step_time_s", mean(times), "s");
    d.add("step_time_p50_s", median(times), "s");
    d.values.push_back(value("traced_rank_steps", Int128{rank_steps}, "1"));
  }
  if (shares.unattributed) {
    d.values.push_back(
        value("unattributed_ratio", *shares.unattributed, "1", "of the time that is not model FLOPs at peak"));
  }
  if (shares.unmodelled) d.values.push_back(value("unmodelled_flops_ratio", *shares.unmodelled, "1", "of kernel time"));
  if (shares.unclassified) {
    d.values.push_back(value("unclassified_ratio", *shares.unclassified, "1", "of the device's busy time"));
  }
  if (shares.recompute && *shares.recompute > 0) {
    d.values.push_back(value("recompute_kernel_ratio", *shares.recompute, "1", "of kernel time"));
  }
  d.add("short_kernels_ratio", shares.short_kernels, "1");
  d.add("launch_queue_depth", shares.queue_depth, "1");
}

void add_assumptions(const Timeline& timeline, const std::vector<RankAttribution>& ranks,
                     const std::vector<GroupUse>& roles, Document& d) {
  d.assumptions.push_back({"trace.steps_from_" + std::string(name(ranks.front().steps.source)), {}});
  std::int64_t warm_up = 0;
  for (const RankAttribution& r : ranks) warm_up += static_cast<std::int64_t>(r.steps.warm_up);
  if (warm_up > 0) d.assumptions.push_back({"trace.warm_up", {{"steps", warm_up}}});
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].source != RoleSource::pattern && roles[i].source != RoleSource::description) continue;
    const Group& group = timeline.groups[i];
    d.assumptions.push_back({"trace.group_by_" + std::string(name(roles[i].source)),
                             {{"group", group.description.empty() ? group.id : group.description},
                              {"role", std::string(name(roles[i].role))}}});
  }
}

void add_defects(const std::vector<RankAttribution>& ranks, Document& d) {
  for (const RankAttribution& r : ranks) {
    if (r.overlaps > 0) add_defect(d.defects, {"trace.overlaps", {}}, Severity::info, r.overlaps);
    if (r.faster_than_peak > 0) {
      add_defect(d.defects, {"trace.faster_than_peak", {}}, Severity::error, r.faster_than_peak);
    }
  }
}

bool host_only(const std::vector<RankAttribution>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [](const RankAttribution& r) { return r.host_only; });
}

void add_notes(const Timeline& timeline, const std::vector<RankAttribution>& ranks, const TraceShares& shares,
               Document& d) {
  if (host_only(ranks)) {
    d.notes.push_back({"trace.host_only", {}});
  } else if (!shares.mfu && shares.unmodelled.value_or(0) > kMostUnmodelled) {
    const bool shapes = !timeline.operands.empty();
    d.notes.push_back(
        {shapes ? "trace.no_mfu_unmodelled" : "trace.no_mfu_without_shapes", {{"share", *shares.unmodelled}}});
  }
}

Message title(const std::vector<RankAttribution>& ranks, const TraceShares& shares, const Ledger& ledger) {
  const auto count = static_cast<std::int64_t>(ranks.size());
  double busy_ns = 0, window_ns = 0;
  for (const RankAttribution& r : ranks) {
    busy_ns += static_cast<double>(r.device_ns);
    window_ns += static_cast<double>(r.steps.steady.length());
  }
  const double busy = window_ns > 0 ? busy_ns / window_ns : 0;
  if (shares.mfu) return {"trace.title", {{"ranks", count}, {"busy", busy}, {"mfu", *shares.mfu}}};
  return {"trace.title_without_mfu", {{"ranks", count}, {"busy", busy}, {"total", ledger.total()}}};
}

Document document_of(Timeline timeline, const std::vector<RankAttribution>& ranks, const std::vector<GroupUse>& roles,
                     const AcrossRanks& across, bool from_architecture, Document d) {
  const Ledger ledger = merge_ledgers(ranks, timeline.ranks_total);
  const TraceShares shares = trace_shares(ranks, ledger);
  d.command = "trace";
  d.title = title(ranks, shares, ledger);
  add_notes(timeline, ranks, shares, d);
  add_values(ranks, shares, from_architecture, d);
  d.ledgers.push_back(ledger);
  d.figures.push_back({"step_waterfall", FigureKind::waterfall, "ledger:step", "", {}, {"figure.step_waterfall", {}}});
  d.tables.push_back(ranks_table(timeline, ranks, across));
  d.tables.push_back(trace_steps_table(timeline, ranks));
  d.tables.push_back(kernels_table(timeline, ranks));
  d.tables.push_back(collectives_table(timeline, ranks));
  std::erase_if(d.tables, [](const Table& t) { return t.rows.empty(); });
  d.findings = find_in_trace({ledger, shares, host_only(ranks)});
  add_assumptions(timeline, ranks, roles, d);
  d.defects = std::move(timeline.defects);
  add_comparison_notes(timeline, across, d);
  add_defects(ranks, d);
  return d;
}

}  // namespace

Result<Document> explain_traces(const TraceRequest& request) {
  NAMEPLATE_TRY(Timeline timeline, read_traces(request.paths, {request.threads, request.kernel_rules}));
  NAMEPLATE_TRY(const LoadedRun stated, load({.settings = request.settings, .data_directory = request.data_directory}));
  Document d;
  NAMEPLATE_TRY(const std::vector<const Accelerator*> devices, accelerators(request, timeline, d));
  const bool peak_stated = !setting(request, "cluster.peak").empty();
  const std::optional<Flops> step_flops = stated_flops(stated.facts, timeline);
  const std::vector<GroupUse> roles = group_roles(timeline);
  std::vector<std::optional<RankAttribution>> results(timeline.ranks.size());
  parallel_for(results.size(), thread_count(request.threads), [&](std::size_t i) {
    const AttributionOptions options{devices[i], peak_stated ? stated.facts.peak : std::nullopt, step_flops};
    results[i] = attribute(timeline, timeline.ranks[i], roles, options);
  });
  std::vector<RankAttribution> ranks;
  for (auto& result : results) ranks.push_back(std::move(*result));
  const AcrossRanks across = compare_ranks(timeline, roles, ranks, thread_count(request.threads));
  return document_of(std::move(timeline), ranks, roles, across, step_flops.has_value(), std::move(d));
}

}  // namespace nameplate
