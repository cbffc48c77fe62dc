#include "nameplate/api/trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "nameplate/advice/findings/trace_findings.h"
#include "nameplate/analysis/attribution/merge_ranks.h"
#include "nameplate/analysis/attribution/uncounted.h"
#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/api/load.h"
#include "nameplate/api/resolve.h"
#include "nameplate/api/trace_detail.h"
#include "nameplate/api/trace_one_job.h"
#include "nameplate/api/trace_ranks.h"
#include "nameplate/api/trace_set.h"
#include "nameplate/api/trace_tables.h"
#include "nameplate/api/trace_timeline.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/core/statistics.h"
#include "nameplate/inputs/operator_formulas.h"
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

// The accelerators of ranks: the one stated, else the one that the trace names.
class Accelerators {
 public:
  static Result<Accelerators> open(const TraceRequest& request) {
    NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
    Accelerators out(catalogue, setting(request, "cluster.accelerator"), !setting(request, "cluster.peak").empty());
    if (out.stated_.empty()) return out;
    const Result<AcceleratorMatch> match = catalogue->resolve_accelerator(out.stated_);
    return match.ok() ? Result(out) : match.error();
  }

  // Null where it is open which one.
  const Accelerator* of(const RankTimeline& rank) const {
    const Result<AcceleratorMatch> match = catalogue_->resolve_accelerator(device(rank));
    return match.ok() && (match->exact || share_peaks(*match)) ? match->candidates.front() : nullptr;
  }

  void say(const TraceSet& ranks, Document& d) const {
    std::set<std::string> said;
    for (std::size_t i = 0; i < ranks.attributions.size(); ++i) {
      const RankTimeline& rank = ranks.timeline.ranks[i];
      const std::string name = device(rank);
      if (!said.insert(name).second || ranks.attributions[i].host_only) continue;
      if (const Accelerator* found = of(rank)) {
        d.assumptions.push_back({"trace.accelerator", {{"device", name}, {"sku", found->sku}}});
      } else if (!peak_stated_) {
        d.notes.push_back(name.empty() ? Note{"trace.device_not_named", {}}
                                       : Note{"trace.accelerator_not_known", {{"device", name}}});
      }
    }
  }

 private:
  Accelerators(const Catalogue* catalogue, std::string stated, bool peak_stated)
      : catalogue_(catalogue), stated_(std::move(stated)), peak_stated_(peak_stated) {}
  const std::string& device(const RankTimeline& rank) const { return stated_.empty() ? rank.device_name : stated_; }

  const Catalogue* catalogue_;
  std::string stated_;
  bool peak_stated_;
};

// What is known of the run beside the traces, or stated by flags.
Result<RunFacts> stated_facts(const TraceRequest& request) {
  if (request.run) return *request.run;
  NAMEPLATE_TRY(LoadedRun run, load({.settings = request.settings, .data_directory = request.data_directory}));
  return std::move(run.facts);
}

Result<OperatorFormulas> operator_formulas(const TraceRequest& request) {
  OperatorFormulas formulas;
  for (const std::string& path : request.operator_formulas) {
    NAMEPLATE_TRY(const std::string text, read_file(path));
    if (Status bad = formulas.add(text, path)) return *bad;
  }
  return formulas;
}

// Model FLOPs of one step of all accelerators, where model and batch are stated.
std::optional<Flops> stated_flops(const RunFacts& facts) {
  if (!facts.architecture || !facts.workload || facts.workload->batch.empty()) return std::nullopt;
  const auto step = convention_flops(kDefaultConvention, *facts.architecture, *facts.workload);
  return step ? std::optional(flops(*step)) : std::nullopt;
}

std::string peak_words(const std::vector<RankAttribution>& ranks) {
  const RankAttribution& first = ranks.front();
  if (!first.peak) return {};
  return fmt::format("dense {} peak of {}", first.precision ? name(*first.precision) : "stated",
                     human("", first.peak->base(), "FLOP/s"));
}

// Which pairs of attention were counted.
std::string_view attention_words(const std::vector<RankAttribution>& ranks, bool from_architecture) {
  if (from_architecture) return "causal attention";
  bool causal = false, full = false;
  for (const RankAttribution& r : ranks) {
    causal = causal || r.causal_flops > Flops{};
    full = full || r.full_attention_flops > Flops{};
  }
  if (causal && full) return "attention causal and full, as recorded";
  return causal ? "causal attention" : full ? "full attention" : "no attention counted";
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
    d.values.push_back(
        value("mfu_step_ratio", *shares.mfu, "1",
              fmt::format("model FLOPs from {}, {}, {}", from_architecture ? "the model" : "recorded shapes",
                          attention_words(ranks, from_architecture), peak_words(ranks))));
  }
  if (!shares.mfu && shares.least_mfu) {
    d.values.push_back(value("mfu_step_least_ratio", *shares.least_mfu, "1",
                             fmt::format("known FLOPs from recorded shapes alone, {}", peak_words(ranks))));
  }
  std::vector<double> times;
  std::int64_t rank_steps = 0;
  for (const RankAttribution& r : ranks) {
    rank_steps += static_cast<std::int64_t>(r.steps.steps.size() - r.steps.warm_up);
    for (std::size_t s = r.steps.warm_up; s < r.steps.steps.size(); ++s)
      times.push_back(static_cast<double>(r.steps.steps[s].duration_ns) / 1e9);
  }
  if (!times.empty() && every_rank_has_steps(ranks)) {
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
  if (ranks.front().peak) d.values.push_back(value("peak_tflops_per_s", ranks.front().peak->base() / 1e12, "TFLOP/s"));
  d.add("short_kernels_ratio", shares.short_kernels, "1");
  d.add("launch_queue_depth", shares.queue_depth, "1");
}

// The first captured step may hold what others do not: the profiler's start, the first use of a kernel.
void add_slow_first_step(const std::vector<RankAttribution>& ranks, Document& d) {
  constexpr double kFarAbove = 1.3;
  constexpr std::size_t kLeastOthers = 2;
  for (const RankAttribution& r : ranks) {
    std::vector<double> others;
    for (std::size_t s = r.steps.warm_up + 1; s < r.steps.steps.size(); ++s) {
      others.push_back(static_cast<double>(r.steps.steps[s].duration_ns) / 1e9);
    }
    if (others.size() < kLeastOthers) continue;
    const double first = static_cast<double>(r.steps.steps[r.steps.warm_up].duration_ns) / 1e9;
    if (first <= kFarAbove * median(others)) continue;
    d.notes.push_back({"trace.first_step_slow", {{"rank", r.rank}, {"first", first}, {"median", median(others)}}});
    return;
  }
}

void add_assumptions(const TraceSet& all, Document& d) {
  const std::vector<RankAttribution>& ranks = all.attributions;
  const auto without = std::count_if(ranks.begin(), ranks.end(), [](const auto& r) { return r.steps.steps.empty(); });
  const auto of_all = static_cast<std::int64_t>(ranks.size());
  if (without > 0 && without < of_all) {
    d.assumptions.push_back({"trace.steps_of_some", {{"ranks", of_all - without}, {"total", of_all}}});
  } else {
    d.assumptions.push_back({"trace.steps_from_" + std::string(name(ranks.front().steps.source)), {}});
  }
  std::int64_t warm_up = 0;
  for (const RankAttribution& r : ranks) warm_up += static_cast<std::int64_t>(r.steps.warm_up);
  if (warm_up > 0) d.assumptions.push_back({"trace.warm_up", {{"steps", warm_up}}});
  for (std::size_t i = 0; i < all.roles.size(); ++i) {
    const GroupUse& use = all.roles[i];
    if (use.source != RoleSource::pattern && use.source != RoleSource::description) continue;
    const Group& group = all.timeline.groups[i];
    d.assumptions.push_back(
        {"trace.group_by_" + std::string(name(use.source)),
         {{"group", group.description.empty() ? group.id : group.description}, {"role", std::string(name(use.role))}}});
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

// The reason that holds most of the time without known FLOPs; there is some.
std::string most_uncounted(const std::vector<RankAttribution>& ranks) {
  std::map<UncountedReason, double> by_reason;
  for (const RankAttribution& r : ranks) {
    for (const UncountedTotal& u : r.uncounted) by_reason[u.reason] += u.ns;
  }
  const auto most = std::max_element(by_reason.begin(), by_reason.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return std::string(name(most == by_reason.end() ? UncountedReason::no_launch : most->first));
}

void add_notes(const TraceSet& ranks, const TraceShares& shares, Document& d) {
  if (host_only(ranks.attributions)) {
    d.notes.push_back({"trace.host_only", {}});
  } else if (shares.impossible) {
    d.notes.push_back({"trace.impossible", {{"mfu", *shares.impossible}}});
    if (shares.least_mfu) {
      d.notes.push_back({"trace.impossible_shapes",
                         {{"shapes", *shares.least_mfu}, {"times", *shares.impossible / *shares.least_mfu}}});
    }
    add_defect(d.defects, {"mfu.faster_than_peak", {{"mfu", *shares.impossible}}}, Severity::error);
  } else if (!shares.mfu && shares.unmodelled.value_or(0) > kMostUnmodelled) {
    d.notes.push_back(
        {ranks.has_shapes ? "trace.no_mfu_" + most_uncounted(ranks.attributions) : "trace.no_mfu_without_shapes",
         {{"share", *shares.unmodelled}}});
  }
}

Message title(const std::vector<RankAttribution>& ranks, const TraceShares& shares, const Ledger& ledger) {
  const auto count = static_cast<std::int64_t>(ranks.size());
  double computing_ns = 0, busy_ns = 0, window_ns = 0;
  for (const RankAttribution& r : ranks) {
    computing_ns += r.kernel_ns;
    busy_ns += static_cast<double>(r.device_ns);
    window_ns += static_cast<double>(r.steps.steady.length());
  }
  if (host_only(ranks)) return {"trace.title_host", {{"ranks", count}, {"total", ledger.total()}}};
  const double computing = window_ns > 0 ? computing_ns / window_ns : 0;
  const double moving = window_ns > 0 ? std::max(0.0, busy_ns - computing_ns) / window_ns : 0;
  Message title{"trace.title_without_mfu", {{"ranks", count}, {"computing", computing}, {"moving", moving}}};
  if (shares.impossible) {
    title.id = "trace.title_impossible";
    title.args.emplace_back("mfu", *shares.impossible);
  } else if (shares.mfu) {
    title.id = "trace.title";
    title.args.emplace_back("mfu", *shares.mfu);
  } else if (shares.least_mfu) {
    title.id = "trace.title_least_mfu";
    title.args.emplace_back("mfu", *shares.least_mfu);
  } else {
    title.args.emplace_back("total", ledger.total());
  }
  return title;
}

Document document_of(const TraceRequest& request, TraceSet all, const AcrossRanks& across, bool from_architecture,
                     Document d) {
  const std::vector<RankAttribution>& ranks = all.attributions;
  const Ledger ledger = merge_ledgers(ranks, all.timeline.ranks_total);
  const TraceShares shares = trace_shares(ranks, ledger);
  d.command = "trace";
  d.title = title(ranks, shares, ledger);
  add_notes(all, shares, d);
  if (every_rank_has_steps(ranks)) add_slow_first_step(ranks, d);
  add_values(ranks, shares, from_architecture, d);
  d.ledgers.push_back(ledger);
  d.figures.push_back({"step_waterfall", FigureKind::waterfall, "ledger:step", "", {}, {"figure.step_waterfall", {}}});
  d.tables.push_back(ranks_table(all.timeline, ranks, across));
  if (every_rank_has_steps(ranks)) d.tables.push_back(trace_steps_table(all.timeline, ranks));
  d.tables.push_back(kernels_table(all.timeline, ranks));
  d.tables.push_back(collectives_table(all.timeline, ranks, request.fabric ? &*request.fabric : nullptr));
  std::erase_if(d.tables, [](const Table& t) { return t.rows.empty(); });
  std::int64_t allocator_calls = 0, copying_ns = 0;
  for (const RankAttribution& r : ranks) {
    allocator_calls += r.memory.device_calls;
    copying_ns += r.blocking_copy_ns;
  }
  d.findings = find_in_trace({ledger, shares, host_only(ranks), late_ranks(ranks, across), roof_points(ranks),
                              static_cast<double>(copying_ns) / 1e9, allocator_calls});
  add_assumptions(all, d);
  d.defects.insert(d.defects.end(), all.timeline.defects.begin(), all.timeline.defects.end());
  if (all.comparable) add_comparison(all.timeline, ranks, across, d);
  add_detail(all, d);
  add_capture_ladder(all, d);
  add_defects(ranks, d);
  return d;
}

}  // namespace

Result<Document> explain_traces(const TraceRequest& request) {
  NAMEPLATE_TRY(const RunFacts stated, stated_facts(request));
  NAMEPLATE_TRY(const Accelerators accelerators, Accelerators::open(request));
  const bool peak_stated = !setting(request, "cluster.peak").empty();
  const std::optional<Flops> step_flops = stated_flops(stated);
  NAMEPLATE_TRY(const OperatorFormulas formulas, operator_formulas(request));
  OperatorFormula own_operators;
  if (!formulas.empty()) {
    own_operators = [&](std::string_view name, const Operands& operands) { return formulas.flops(name, operands); };
  }
  const auto options = [&](const RankTimeline& rank, std::int64_t ranks_total) {
    const auto count = static_cast<double>(stated.accelerators.value_or(ranks_total));
    return AttributionOptions{accelerators.of(rank), peak_stated ? stated.peak : std::nullopt,
                              step_flops ? std::optional(*step_flops / count) : std::nullopt, own_operators};
  };
  NAMEPLATE_TRY(TraceSet all, analyse_traces(request, options));
  Document d;
  accelerators.say(all, d);
  const OneJob job = one_job(all.timeline.ranks);
  d.notes.insert(d.notes.end(), job.notes.begin(), job.notes.end());
  for (const Defect& defect : all.timeline.defects) {
    if (defect.severity != Severity::info) d.notes.push_back(defect.message);
  }
  all.comparable = job.can_be;
  if (!all.comparable) {
    for (RankSummary& summary : all.summaries) summary.collectives = {};
  }
  const AcrossRanks across = compare_ranks(all.timeline, all.summaries, all.attributions);
  const bool writes = request.executor == nullptr || request.executor->is_first();
  if (!request.timeline.empty() && writes) {
    if (Status bad = write_timeline(request, all, across, own_operators)) return *bad;
  }
  return document_of(request, std::move(all), across, step_flops.has_value(), std::move(d));
}

}  // namespace nameplate
