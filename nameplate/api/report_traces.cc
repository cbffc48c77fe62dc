#include "nameplate/api/report_traces.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/analysis/attribution/refine.h"

namespace nameplate {
namespace {

double figure(const Document& d, std::string_view id) {
  const Value* value = d.find_value(id);
  return value == nullptr ? 0 : as_double(value->value);
}

// What a report takes over from the document of the traces as it is.
constexpr std::string_view kValues[] = {"traced_rank_steps",      "unmodelled_flops_ratio", "unclassified_ratio",
                                        "recompute_kernel_ratio", "short_kernels_ratio",    "launch_queue_depth"};

// How often the traced ledger fits into the log's: its steps x accelerators over the traced steps x ranks.
double scale(const Ledger& of_log, const Measurement& m, const Document& trace) {
  const double traced = figure(trace, "traced_rank_steps");
  return traced > 0 ? static_cast<double>(m.steps_steady * of_log.ranks_present()) / traced : 0;
}

// Without an architecture the log has no model compute; then the traced steps' own count stands for every step.
Ledger with_model_compute(const Ledger& of_log, const Ledger& of_trace, double factor) {
  const auto traced = of_trace.value(LedgerRow::model_compute);
  if (of_log.value(LedgerRow::model_compute) || !traced) return of_log;
  LedgerBuilder builder(of_log.scope(), of_log.ranks_present(), of_log.ranks_total());
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const auto own = of_log.value(row);
    if (own && row != LedgerRow::unattributed) builder.book(row, *own, of_log.evidence(row));
  }
  builder.book(LedgerRow::model_compute, *traced * factor, of_trace.evidence(LedgerRow::model_compute));
  return builder.close(of_log.total(), of_log.evidence(LedgerRow::unattributed));
}

void refine_ledgers(const Measurement& m, const Document& trace, const Ledger& of_trace, Document& d) {
  const double factor = scale(*m.step_ledger, m, trace);
  const Ledger step = with_model_compute(*m.step_ledger, of_trace, factor);
  const double inside_s = step.value(LedgerRow::unattributed).value_or(0);
  const double share = step.share(LedgerRow::model_compute).value_or(0);
  for (Ledger& ledger : d.ledgers) {
    if (ledger.scope() == LedgerScope::step) ledger = refine(step, inside_s, of_trace);
    if (ledger.scope() != LedgerScope::run || share <= 0) continue;
    // The run's productive time is divided as its steps are.
    const double productive_s = ledger.value(LedgerRow::model_compute).value_or(0) / share;
    ledger = refine(ledger, productive_s * inside_s / step.total(), of_trace);
  }
  if (m.mfu_step || d.find_value("mfu_step_ratio") != nullptr) return;
  const Value* traced_mfu = trace.find_value("mfu_step_ratio");
  if (traced_mfu == nullptr) return;
  Value mfu = *traced_mfu;
  mfu.value = share;
  mfu.convention += ", step time of the log";
  mfu.level = "log+trace";
  d.values.insert(d.values.begin(), std::move(mfu));
}

// The headline where only the traces give an MFU.
void retitle(const LoadedRun& run, const Document& trace, Document& d) {
  const Value* mfu = d.find_value("mfu_step_ratio");
  if (mfu == nullptr || d.title.id != "report.title_without_mfu") return;
  std::string where = run.accelerator.empty() ? "unknown accelerator" : run.accelerator;
  for (const Assumption& assumption : trace.assumptions) {
    if (assumption.id == "trace.accelerator") where = std::get<std::string>(assumption.args.back().second);
  }
  if (run.facts.accelerators) where = fmt::format("{} x {}", *run.facts.accelerators, where);
  d.title = {"report.title", {{"name", run.name}, {"mfu", as_double(mfu->value)}, {"where", where}}};
}

// The findings of the traced steps, their worth over all steps of the log.
void add_findings(const Document& trace, double factor, Document& d) {
  for (Finding finding : trace.findings) {
    if (finding.worth) finding.worth->accelerator_s *= factor;
    d.findings.push_back(std::move(finding));
  }
  std::stable_sort(d.findings.begin(), d.findings.end(), [](const Finding& a, const Finding& b) {
    return (a.worth ? a.worth->accelerator_s : -1) > (b.worth ? b.worth->accelerator_s : -1);
  });
}

// Where the time of the traced steps went, as the trace alone has it.
Table ledger_table(const Ledger& ledger, double rank_steps) {
  Table table{.id = "trace_ledger",
              .columns = {{"row", ""}, {"per_step_s", "s"}, {"share_ratio", "1"}, {"evidence", ""}}};
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (const auto value = ledger.value(row)) {
      table.rows.push_back({std::string(name(row)), *value / std::max(rank_steps, 1.0),
                            ledger.share(row) ? Cell(*ledger.share(row)) : Cell(), ledger.evidence(row)});
    }
  }
  table.rows.push_back({std::string("total"), ledger.total() / std::max(rank_steps, 1.0), 1.0, std::string()});
  return table;
}

}  // namespace

void add_traces(const LoadedRun& run, const Measurement& m, Document& d) {
  if (!run.trace) return;
  const Document& trace = *run.trace;
  const Ledger& of_trace = *trace.widest_ledger();
  const double traced_s = figure(trace, "step_time_s");
  const bool comparable = traced_s > 0 && m.step_time_s && m.step_ledger && run.log;
  const double ratio = comparable ? traced_s / m.step_time_s->mean : 0;
  const bool fits = comparable && std::abs(ratio - 1) <= kMostStepTimeDifference;
  if (fits) refine_ledgers(m, trace, of_trace, d);
  retitle(run, trace, d);
  const double rank_steps = figure(trace, "traced_rank_steps");
  const std::vector<std::pair<std::string, Argument>> args = {{"steps", static_cast<std::int64_t>(rank_steps)},
                                                              {"ranks", of_trace.ranks_present()},
                                                              {"traced", traced_s},
                                                              {"logged", m.step_time_s ? m.step_time_s->mean : 0.0}};
  d.notes.push_back({!comparable ? "report.traced_alone" : fits ? "report.traced" : "report.traced_differs", args});
  if (fits) d.assumptions.push_back({"report.traced_steps_are_like_others", args});
  d.notes.insert(d.notes.end(), trace.notes.begin(), trace.notes.end());
  if (traced_s > 0) d.add("traced_step_time_s", traced_s, "s");
  for (const std::string_view id : kValues) {
    if (const Value* value = trace.find_value(id)) d.values.push_back(*value);
  }
  // What steps unlike the log's lose is no finding of this run.
  if (fits || !comparable) add_findings(trace, fits ? scale(*m.step_ledger, m, trace) : 1, d);
  d.tables.push_back(ledger_table(of_trace, rank_steps));
  d.tables.insert(d.tables.end(), trace.tables.begin(), trace.tables.end());
  for (const Figure& figure : trace.figures) {
    if (!figure.table.starts_with("ledger:")) d.figures.push_back(figure);
  }
  d.assumptions.insert(d.assumptions.end(), trace.assumptions.begin(), trace.assumptions.end());
  for (const Defect& defect : trace.defects) {
    // An impossible MFU of traced steps that are not like the log's says nothing of the log's.
    if (!fits && defect.message.id == "mfu.faster_than_peak") continue;
    add_defect(d.defects, defect.message, defect.severity, defect.count);
  }
}

Document report_of_traces(const LoadedRun& run) {
  Document d = *run.trace;
  d.command = "report";
  d.assumptions.insert(d.assumptions.begin(), run.assumptions.begin(), run.assumptions.end());
  for (const Defect& defect : run.defects) add_defect(d.defects, defect.message, defect.severity, defect.count);
  return d;
}

}  // namespace nameplate
