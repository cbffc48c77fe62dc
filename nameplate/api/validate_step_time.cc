#include "nameplate/api/validate_step_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/steptime/regime.h"
#include "nameplate/analysis/steptime/step.h"
#include "nameplate/api/step_anchor.h"
#include "nameplate/api/step_fit.h"
#include "nameplate/api/step_ranking.h"
#include "nameplate/api/step_rows.h"
#include "nameplate/api/validate_errors.h"
#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

struct PredictedRow {
  const StepRow* row = nullptr;
  double measured = 0;
  double predicted = 0;  // its setup left out
  double in_sample = 0;
  std::string regime;
  bool in_band = false;

  double error() const { return predicted / measured - 1; }
  double in_sample_error() const { return in_sample / measured - 1; }
};

std::vector<PredictedRow> predict_rows(const StepRows& rows, const StepCalibrations& calibrations) {
  const std::vector<MeasuredStep> measured = rows.measured(calibrations.whole);
  std::vector<PredictedRow> predicted;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const StepRow& row = rows.rows[i];
    const StepCalibration& left_out = calibrations.without(row.fold);
    PredictedRow p{.row = &row, .measured = row.step.measured.base()};
    p.predicted = predicted_step_time(measured[i], left_out).base();
    p.in_sample = predicted_step_time(measured[i], calibrations.whole).base();
    p.regime = step_regime(row.step.setup, measured[i].work, left_out).id;
    const ErrorBand band = error_band(row.step.setup, p.regime, calibrations.whole);
    p.in_band = p.measured >= p.predicted * band.low && p.measured <= p.predicted * band.high;
    predicted.push_back(std::move(p));
  }
  return predicted;
}

void anchor_rows(std::vector<PredictedRow>& rows) {
  StepAnchors anchors;
  for (const PredictedRow& p : rows) {
    anchors.add({p.row->fold, anchor_kind(p.row->step.setup), p.row->configuration, p.measured / p.predicted});
  }
  for (PredictedRow& p : rows) {
    p.predicted *= anchors.factor(p.row->fold, anchor_kind(p.row->step.setup), p.row->configuration).value_or(1);
  }
}

std::vector<double> errors_of(const std::vector<PredictedRow>& rows, double (PredictedRow::*error)() const) {
  std::vector<double> errors;
  for (const PredictedRow& row : rows) errors.push_back((row.*error)());
  return errors;
}

Table errors_table(const std::vector<PredictedRow>& rows, const StepRows& all, const std::vector<UnreadRow>& unread) {
  Table table{.id = "errors",
              .columns = {{"id", ""},
                          {"source_id", ""},
                          {"fold", ""},
                          {"measured", "s"},
                          {"predicted", "s"},
                          {"error_ratio", "1"},
                          {"reason", ""},
                          {"in_sample_error_ratio", "1"},
                          {"regime", ""},
                          {"assumptions", ""}},
              .text_hidden = true};
  for (const PredictedRow& p : rows) {
    table.rows.push_back({p.row->run->id, p.row->run->source_id, p.row->fold, p.measured, p.predicted, p.error(),
                          Cell(), p.in_sample_error(), p.regime,
                          Int128{static_cast<std::int64_t>(p.row->step.setup.assumptions.size())}});
  }
  for (const auto& [run, reason] : all.left_out) {
    table.rows.push_back({run->id, run->source_id, Cell(), Cell(), Cell(), Cell(), reason, Cell(), Cell(), Cell()});
  }
  for (const UnreadRow& row : unread) {
    table.rows.push_back(
        {row.id, row.source_id, Cell(), Cell(), Cell(), Cell(), std::string("unreadable"), Cell(), Cell(), Cell()});
  }
  return table;
}

using GroupOf = std::function<std::string(const PredictedRow&)>;

Table group_table(std::string id, const std::vector<PredictedRow>& rows, const GroupOf& group) {
  std::map<std::string, std::vector<PredictedRow>> groups;
  for (const PredictedRow& row : rows) groups[group(row)].push_back(row);
  Table table{.id = std::move(id),
              .columns = {{"group", ""},
                          {"rows", ""},
                          {"error_median_ratio", "1"},
                          {"error_mean_ratio", "1"},
                          {"error_p90_ratio", "1"},
                          {"bias_ratio", "1"},
                          {"in_sample_median_ratio", "1"},
                          {"in_sample_mean_ratio", "1"}}};
  for (const auto& [key, members] : groups) {
    std::vector<double> errors = errors_of(members, &PredictedRow::error);
    std::vector<double> in_sample = errors_of(members, &PredictedRow::in_sample_error);
    const double bias = median(errors);
    for (double& e : errors) e = std::abs(e);
    for (double& e : in_sample) e = std::abs(e);
    table.rows.push_back({key, Int128{static_cast<std::int64_t>(members.size())}, median(errors), mean(errors),
                          quantile(errors, 0.9), bias, median(in_sample), mean(in_sample)});
  }
  return table;
}

std::string size_of(const PredictedRow& row) {
  const double parameters = to_double(count_parameters(row.row->step.setup.architecture).total);
  if (parameters < 3e9) return "1: below 3 B";
  if (parameters < 20e9) return "2: 3 to 20 B";
  return parameters < 100e9 ? "3: 20 to 100 B" : "4: 100 B and more";
}

std::string device_of(const PredictedRow& row) {
  return fmt::format("{} {}", row.row->step.setup.device.sku, name(row.row->step.setup.workload.precision));
}

// What takes the most of a badly predicted step: where to look for the cause.
std::string largest_part(const PredictedRow& row, const StepCalibration& calibration) {
  const StepPrediction p = predict_step(row.row->step.setup, calibration);
  const std::pair<std::string_view, Seconds> parts[] = {
      {"kernel.matmul", p.parts.matmul + p.parts.compute_at_peak + p.parts.recompute_at_peak},
      {"kernel.attention", p.parts.attention},
      {"kernel.memory_bound", p.parts.memory_bound},
      {"comm.tp", p.parts.tp},
      {"comm.ep", p.parts.ep},
      {"comm.dp", p.parts.dp},
      {"pipeline_bubble", p.parts.bubble},
      {"host_bound", p.parts.host + p.parts.fixed}};
  const auto most = std::max_element(std::begin(parts), std::end(parts),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("{} {:.0f} %", most->first, 100 * (most->second / p.step_time));
}

Table worst_table(std::vector<PredictedRow> rows, const StepCalibrations& calibrations) {
  constexpr std::size_t kWorst = 15;
  std::stable_sort(rows.begin(), rows.end(), [](const PredictedRow& a, const PredictedRow& b) {
    return std::abs(std::log(a.predicted / a.measured)) > std::abs(std::log(b.predicted / b.measured));
  });
  rows.resize(std::min(rows.size(), kWorst));
  Table table{.id = "worst",
              .columns = {{"id", ""}, {"model", ""}, {"accelerator", ""}, {"error_ratio", "1"}, {"largest_part", ""}}};
  for (const PredictedRow& row : rows) {
    table.rows.push_back({row.row->run->id, row.row->run->model_name, device_of(row), row.error(),
                          largest_part(row, calibrations.without(row.row->fold))});
  }
  return table;
}

void add_ranking(const std::vector<PredictedRow>& rows, Document& d) {
  std::vector<RankedPlan> plans;
  for (const PredictedRow& row : rows) {
    plans.push_back({row.row->job, row.row->configuration, row.measured, row.predicted});
  }
  const std::vector<double> repeats = repeat_errors(plans);
  if (!repeats.empty()) {
    d.add("repeat_median_ratio", median(repeats), "1");
    d.add("repeat_mean_ratio", mean(repeats), "1");
  }
  const std::vector<JobRanking> rankings = rank_plans(plans);
  if (rankings.empty()) return;
  std::vector<double> taus, regrets;
  Table table{.id = "ranking",
              .columns = {{"job", ""}, {"plans", ""}, {"rank_tau", "1"}, {"regret_ratio", "1"}},
              .text_rows = 12};
  for (const JobRanking& r : rankings) {
    taus.push_back(r.tau);
    regrets.push_back(r.regret);
    table.rows.push_back({r.job, Int128{r.plans}, r.tau, r.regret});
  }
  d.add("rank_tau", median(taus), "1");
  d.add("regret_median_ratio", median(regrets), "1");
  d.tables.push_back(std::move(table));
}

void add_in_sample(const std::vector<PredictedRow>& rows, Document& d) {
  if (rows.empty()) return;
  std::vector<double> errors = errors_of(rows, &PredictedRow::in_sample_error);
  for (double& e : errors) e = std::abs(e);
  d.add("in_sample_median_ratio", median(errors), "1");
  d.add("in_sample_mean_ratio", mean(errors), "1");
  double inside = 0;
  for (const PredictedRow& row : rows) inside += row.in_band ? 1 : 0;
  d.add("band_coverage_ratio", inside / static_cast<double>(rows.size()), "1");
}

}  // namespace

Document validate_step_time(const PublishedRuns& runs, const Catalogue& catalogue, const StepValidation& how) {
  const StepKnowledge knowledge{catalogue, StepFrameworks::embedded(), embedded_step_calibration()};
  StepRows rows = step_rows(runs, knowledge, embedded_step_folds());
  if (how.fit) fold_by_model_if_one_setup(rows);
  const StepCalibrations calibrations = how.fit ? fit_step_time(rows) : stored_step_calibrations();
  std::vector<PredictedRow> predicted = predict_rows(rows, calibrations);
  if (how.anchor) anchor_rows(predicted);
  Document d;
  d.command = "validate";
  d.title = {"validate.title.step_time", {{"rows", static_cast<std::int64_t>(predicted.size())}}};
  const auto total = std::ssize(runs.runs) + std::ssize(runs.left_out);
  add_row_counts({total, rows.eligible, static_cast<std::int64_t>(predicted.size())}, d);
  add_error_values(errors_of(predicted, &PredictedRow::error), d);
  add_in_sample(predicted, d);
  d.tables.push_back(errors_table(predicted, rows, runs.left_out));
  add_ranking(predicted, d);
  d.tables.push_back(group_table("by_source", predicted, [](const PredictedRow& r) { return r.row->run->source_id; }));
  d.tables.push_back(group_table("by_accelerator", predicted, device_of));
  d.tables.push_back(group_table("by_size", predicted, size_of));
  d.tables.push_back(group_table("by_regime", predicted, [](const PredictedRow& r) { return r.regime; }));
  d.tables.push_back(worst_table(predicted, calibrations));
  if (how.fit) add_fit_tables(calibrations, d);
  std::map<std::string, std::int64_t> left_out;
  for (const auto& [run, reason] : rows.left_out) ++left_out[reason];
  if (!runs.left_out.empty()) left_out["unreadable"] = std::ssize(runs.left_out);
  d.tables.push_back(left_out_table(left_out));
  d.figures.push_back({.id = "errors",
                       .kind = FigureKind::scatter,
                       .table = "errors",
                       .x = "measured",
                       .y = {"predicted"},
                       .text = {"validate.figure.step_time", {}}});
  d.defects = runs.defects;
  return d;
}

}  // namespace nameplate
