#include "nameplate/api/report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "nameplate/advice/findings/findings.h"
#include "nameplate/api/report_records.h"
#include "nameplate/api/report_tables.h"
#include "nameplate/api/report_traces.h"
#include "nameplate/api/stated.h"
#include "nameplate/report/format.h"
#include "nameplate/report/sentences.h"

namespace nameplate {
namespace {

std::string peak_words(const LoadedRun& run) {
  std::string precisions(name(run.precision));
  if (!run.mix.empty()) {
    precisions.clear();
    for (const PrecisionPeak& part : run.mix) {
      precisions += fmt::format("{}{}", precisions.empty() ? "" : " and ", name(part.precision));
    }
  }
  return fmt::format("dense {} peak of {}", precisions, human("", run.facts.peak->base(), "FLOP/s"));
}

std::string level(const LoadedRun& run) {
  std::string level = run.log ? "log" : run.manifest.file().empty() ? "typed" : "stated";
  if (run.facts.architecture) level += "+model";
  return level;
}

Value value(std::string id, Number number, std::string unit, std::string convention = {}) {
  Value v;
  v.id = std::move(id);
  v.value = number;
  v.unit = std::move(unit);
  v.convention = std::move(convention);
  return v;
}

void add_mfu(const LoadedRun& run, const Measurement& m, Document& d) {
  if (!m.mfu_step) return;
  const std::string convention = fmt::format("causal attention, {}", peak_words(run));
  Value mfu = value("mfu_step_ratio", *m.mfu_step, "1", convention);
  if (m.mfu_step_interval) {
    mfu.low = m.mfu_step_interval->low;
    mfu.high = m.mfu_step_interval->high;
  }
  mfu.source = run.peak_source;
  mfu.level = level(run);
  d.values.push_back(mfu);
  if (m.mfu_median) d.values.push_back(value("mfu_step_p50_ratio", *m.mfu_median, "1"));
  if (m.mfu_wall) d.values.push_back(value("mfu_wall_ratio", *m.mfu_wall, "1", "MFU of the steps x ETTR"));
  if (m.mfu_padded) {
    d.values.push_back(value("mfu_padded_ratio", *m.mfu_padded, "1", "as if padded tokens were work"));
    d.values.push_back(value("padding_ratio", *m.padding_ratio, "1"));
  }
  if (m.hfu_step) {
    const std::string recompute(name(run.facts.recompute));
    d.values.push_back(
        value("hfu_step_ratio", *m.hfu_step, "1", fmt::format("hardware FLOPs, recompute: {}", recompute)));
  }
}

void add_rates(const LoadedRun& run, const Measurement& m, Document& d) {
  d.add("ettr_ratio", m.ettr, "1");
  if (m.step_time_s && !run.log) {
    const bool stated = run.manifest.has("measured.step_time");
    d.values.push_back(
        value("step_time_s", m.step_time_s->mean, "s", stated ? "stated" : "from the stated rate and the batch"));
  }
  if (m.step_time_s && run.log) {
    Value mean =
        value("step_time_s", m.step_time_s->mean, "s", fmt::format("mean of steady steps ({})", name(m.times.source)));
    if (m.step_time_interval) {
      mean.low = m.step_time_interval->low;
      mean.high = m.step_time_interval->high;
    }
    d.values.push_back(mean);
    d.add("step_time_p5_s", m.step_time_s->p5, "s");
    d.add("step_time_p50_s", m.step_time_s->p50, "s");
    d.add("step_time_p95_s", m.step_time_s->p95, "s");
  }
  d.add("tokens_per_s_per_gpu", m.tokens_per_s_per_gpu, "token/s");
  d.add("tflops_per_s_per_gpu", m.tflops_per_s_per_gpu, "TFLOP/s");
  if (m.share_of_achievable) {
    Value share = value(
        "achievable_share_ratio", *m.share_of_achievable, "1",
        fmt::format("of {:.6g} TFLOP/s, the best matmul measured in public", run.facts.achievable->base() / 1e12));
    share.source = run.achievable_source;
    d.values.push_back(share);
  }
  d.add("mfu_peak_over_mean", m.mfu_peak_over_mean, "1");
  d.add("flops_per_token", m.flops_per_token, "FLOP");
  if (m.wall) d.add("wall_s", m.wall->wall_s, "s");
  if (!run.log) return;
  d.values.push_back(value("steps_total", Int128{m.steps_total}, "1"));
  d.values.push_back(value("steps_steady", Int128{m.steps_steady}, "1"));
  d.values.push_back(value("rows_steady", Int128{static_cast<std::int64_t>(m.steady.size())}, "1"));
}

void add_claims(const LoadedRun& run, const Measurement& m, Document& d) {
  for (const ClaimCheck& claim : m.claims) {
    if (claim.figure == "mfu") d.values.push_back(value("claimed_mfu_ratio", claim.claimed, "1"));
    if (claim.figure == "tflops") d.values.push_back(value("claimed_tflops_per_s_per_gpu", claim.claimed, "TFLOP/s"));
    if (claim.convention.empty() || claim.figure == "tokens_per_s" || claim.recomputed <= 0) continue;
    std::vector<std::pair<std::string, Argument>> args = {{"claimed", claim.claimed},
                                                          {"convention", claim.convention},
                                                          {"recomputed", claim.recomputed},
                                                          {"peak", claim.peak_tflops}};
    if (!claim.ours) continue;
    args.push_back({"ours", *claim.ours});
    args.push_back({"our_peak", run.facts.peak ? run.facts.peak->base() / 1e12 : 0.0});
    const bool fits = std::fabs(claim.error_ratio) <= 0.01;
    const std::string_view who = run.log ? "claim" : "stated";
    d.notes.push_back({fmt::format("report.{}_{}{}", who, claim.figure, fits ? "" : "_differs"), std::move(args)});
    if (claim.fitting_accelerators) {
      d.notes.push_back(
          {"report.fitting_accelerators", {{"count", *claim.fitting_accelerators}, {"convention", claim.convention}}});
    }
  }
}

// Files of the cluster alone: nothing that could have an MFU.
bool is_records_only(const LoadedRun& run, const Measurement& m) {
  return !run.log && !run.records.empty() && !m.tokens_per_s_per_gpu;
}

void add_headline(const LoadedRun& run, const Measurement& m, Document& d) {
  const std::string accelerators =
      run.facts.accelerators ? fmt::format("{} x ", *run.facts.accelerators) : std::string();
  const std::string where = accelerators + (run.accelerator.empty() ? "unknown accelerator" : run.accelerator);
  if (m.mfu_step) {
    const bool possible = *m.mfu_step <= 1;
    d.title = {possible ? "report.title" : "report.title_impossible",
               {{"name", run.name}, {"mfu", *m.mfu_step}, {"where", where}}};
  } else if (is_records_only(run, m)) {
    d.title = {"records.title", {{"name", run.name}}};
  } else {
    d.title = {"report.title_without_mfu", {{"name", run.name}, {"where", where}}};
  }
  if (run.log) {
    d.notes.push_back({"report.read",
                       {{"format", run.log->format},
                        {"steps", static_cast<std::int64_t>(run.log->steps.size())},
                        {"steady", static_cast<std::int64_t>(m.steady.size())},
                        {"lines", run.log->lines_total}}});
  }
  if (run.log && run.log->files.size() > 1) {
    d.notes.push_back({"report.files", {{"files", fmt::format("{}", fmt::join(run.log->files, ", "))}}});
  }
  std::set<std::int32_t> of_this_run;
  for (const TimedStep& row : m.times.rows) {
    if (row.step_class != StepClass::other_run) of_this_run.insert(run.log->steps[row.row].attempt);
  }
  const auto attempts = static_cast<std::int64_t>(of_this_run.size());
  if (attempts > 1) d.notes.push_back({"report.attempts", {{"attempts", attempts}}});
}

void add_assumptions(const LoadedRun& run, const Measurement& m, Document& d) {
  d.assumptions.insert(d.assumptions.begin(), run.assumptions.begin(), run.assumptions.end());
  if (m.wall && m.wall->unlogged_steps > 0) {
    d.assumptions.push_back({"report.unlogged_steps", {{"steps", m.wall->unlogged_steps}}});
  }
  if (m.mfu_step && !run.facts.recompute_known) d.assumptions.push_back({"report.recompute_unknown", {}});
  if (m.times.source == DurationSource::clock) d.assumptions.push_back({"report.time_from_clock", {}});
  if (m.times.relative) d.assumptions.push_back({"report.time_relative", {}});
  if (m.step_ledger && !run.facts.accelerators) d.assumptions.push_back({"report.one_accelerator", {}});
  if (!run.log && !m.claims.empty() && !run.manifest.has("measured.convention")) {
    d.assumptions.push_back({"report.convention_assumed", {}});
  }
}

// The rungs of the evidence ladder that are still free, each with what would reach it.
void add_ladder(const LoadedRun& run, const Measurement& m, Document& d) {
  if (run.log && !m.wall) d.notes.push_back({"ladder.clock", {}});
  if (run.trace) return;
  const double unexplained =
      m.mfu_step && m.step_ledger ? m.step_ledger->share(LedgerRow::unattributed).value_or(0) : 0;
  if (unexplained > 0) d.notes.push_back({"ladder.trace", {{"share", unexplained}}});
}

// What the user has to say, as the manifest's keys; the sentence "missing.<key>" names the flag.
void add_missing(const LoadedRun& run, const Measurement& m, Document& d) {
  if (d.find_value("mfu_step_ratio") != nullptr || is_records_only(run, m)) return;
  for (std::string key : m.missing) {
    if (key == "cluster.accelerator" && !run.accelerator.empty()) key = "cluster.peak";
    if (key == "measured" && run.from_files) key = "log";
    d.notes.push_back({"missing." + key, {}});
  }
}

}  // namespace

Document report(const LoadedRun& run, const ReportOptions& options) {
  const bool traces_alone = run.trace && !run.log && run.records.empty() && !run.manifest.has("measured");
  if (traces_alone) return report_of_traces(run);
  Document d;
  d.command = "report";
  static const RunLog kNoLog;
  const RunLog& log = run.log ? *run.log : kNoLog;
  Measurement m = measure(log, run.facts);
  if (!run.log) measure_stated(run, m);
  add_headline(run, m, d);
  add_mfu(run, m, d);
  add_rates(run, m, d);
  add_claims(run, m, d);
  if (m.step_ledger) d.ledgers.push_back(*m.step_ledger);
  if (m.run_ledger) d.ledgers.push_back(*m.run_ledger);
  add_ladder(run, m, d);
  add_conventions_table(run, m, d);
  add_precisions_table(run, d);
  if (run.log) add_claims_table(m, d);
  add_levels_table(log, m, d);
  add_goodput_table(m, d);
  add_records(run, d);
  add_inputs_table(run, d);
  if (options.all_steps) add_steps_table(log, run.facts, m, d);
  d.findings = find_all({log, run.facts, m});
  add_traces(run, m, d);
  add_assumptions(run, m, d);
  for (const Defect& defect : run.defects) add_defect(d.defects, defect.message, defect.severity, defect.count);
  for (const Defect& defect : m.defects) add_defect(d.defects, defect.message, defect.severity, defect.count);
  if (m.share_of_achievable && *m.share_of_achievable > 1.02 && m.mfu_step.value_or(0) <= 1) {
    add_defect(d.defects, {"report.above_best_matmul", {}}, Severity::info);
  }
  add_missing(run, m, d);
  return d;
}

std::optional<Error> impossible_figure(const Document& document) {
  for (const Defect& defect : document.defects) {
    if (defect.severity == Severity::error && defect.message.id.starts_with("mfu."))
      return error(sentence(defect.message));
  }
  return std::nullopt;
}

std::optional<Error> missing_evidence(const Document& document) {
  if (document.find_value("mfu_step_ratio") != nullptr || document.title.id == "records.title") return std::nullopt;
  Error missing = error("no MFU: too little is known about this run");
  for (const Note& note : document.notes) {
    if (!note.id.starts_with("missing.")) continue;
    if (!missing.hint.empty()) missing.hint += "\n  ";
    missing.hint += sentence(note);
  }
  return missing;
}

}  // namespace nameplate
