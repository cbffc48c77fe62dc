#include "nameplate/api/step_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "nameplate/analysis/steptime/fit.h"
#include "nameplate/analysis/steptime/regime.h"
#include "nameplate/core/executor.h"
#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

constexpr double kCoverage = 0.85;

std::vector<StepFold> folds_of(const StepRows& rows) {
  std::vector<StepFold> folds;
  for (const StepRow& row : rows.rows) {
    const auto known = std::find_if(folds.begin(), folds.end(), [&](const StepFold& f) { return f.id == row.fold; });
    StepFold& fold = known == folds.end() ? folds.emplace_back(StepFold{.id = row.fold}) : *known;
    if (std::find(fold.sources.begin(), fold.sources.end(), row.run->source_id) == fold.sources.end()) {
      fold.sources.push_back(row.run->source_id);
    }
  }
  return folds;
}

// Per regime, the width that holds 85 % of the left-out rows, each over its assumptions' factor.
std::vector<ErrorBand> bands_of(const StepRows& rows, const std::vector<MeasuredStep>& measured,
                                const StepCalibrations& calibrations) {
  std::map<std::string, std::vector<double>> errors;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const StepRow& row = rows.rows[i];
    const StepCalibration& left_out = calibrations.without(row.fold);
    const double e = std::log(predicted_step_time(measured[i], left_out) / measured[i].measured);
    errors[step_regime(row.step.setup, measured[i].work, left_out).id].push_back(std::abs(e) /
                                                                                 assumption_factor(row.step.setup));
  }
  std::vector<ErrorBand> bands;
  for (const auto& [regime, each] : errors) {
    const double width = quantile(each, kCoverage);
    bands.push_back({regime, std::exp(-width), std::exp(width), each.size()});
  }
  return bands;
}

// What the fit shrinks to: the shipped values, unless they saw some of these rows; then their own priors.
StepCalibration start_of(const StepRows& rows) {
  StepCalibration start = embedded_step_calibration();
  for (const StepFold& shipped : embedded_step_folds()) {
    for (const StepRow& row : rows.rows) {
      if (row.fold == shipped.id) return start;
    }
  }
  for (CalibratedValue& value : start.values) value.prior = value.value;
  return start;
}

StepCalibration with_priors_of(const StepCalibration& original, StepCalibration fitted) {
  for (std::size_t i = 0; i < fitted.values.size(); ++i) fitted.values[i].prior = original.values[i].prior;
  return fitted;
}

Table calibration_table(const StepCalibrations& fitted) {
  Table table{.id = "calibration",
              .columns = {{"id", ""},
                          {"prior", ""},
                          {"sigma", ""},
                          {"shipped", ""},
                          {"proposed", ""},
                          {"fold_low", ""},
                          {"fold_high", ""}}};
  const StepCalibration& shipped = embedded_step_calibration();
  for (std::size_t i = 0; i < fitted.whole.values.size(); ++i) {
    const CalibratedValue& v = fitted.whole.values[i];
    if (v.sigma <= 0) continue;
    double low = v.value, high = v.value;
    for (const StepFold& fold : fitted.folds) {
      low = std::min(low, fold.calibration.values[i].value);
      high = std::max(high, fold.calibration.values[i].value);
    }
    table.rows.push_back({v.id, v.prior, v.sigma, shipped.values[i].value, v.value, low, high});
  }
  return table;
}

Table folds_table(const StepCalibrations& fitted) {
  Table table{
      .id = "folds", .columns = {{"fold", ""}, {"sources", ""}, {"id", ""}, {"value", ""}}, .text_hidden = true};
  for (const StepFold& fold : fitted.folds) {
    std::string sources;
    for (const std::string& source : fold.sources) sources += (sources.empty() ? "" : " ") + source;
    for (const CalibratedValue& v : fold.calibration.values) {
      if (v.value != v.prior) table.rows.push_back({fold.id, sources, v.id, v.value});
    }
  }
  return table;
}

Table bands_table(const StepCalibration& calibration) {
  Table table{.id = "bands", .columns = {{"regime", ""}, {"low", "1"}, {"high", "1"}, {"rows", ""}}};
  for (const ErrorBand& b : calibration.bands) {
    table.rows.push_back({b.regime, b.low, b.high, Int128{static_cast<std::int64_t>(b.rows)}});
  }
  return table;
}

}  // namespace

const StepCalibration& StepCalibrations::without(const std::string& fold) const {
  for (const StepFold& each : folds) {
    if (each.id == fold) return each.calibration;
  }
  return whole;
}

StepCalibrations stored_step_calibrations() { return {embedded_step_calibration(), embedded_step_folds()}; }

StepCalibrations fit_step_time(const StepRows& rows) {
  const StepCalibration start = start_of(rows);
  const std::vector<MeasuredStep> measured = rows.measured(start);
  StepCalibrations fitted{.folds = folds_of(rows)};
  // Task 0 is the fit to everything.
  parallel_for(fitted.folds.size() + 1, thread_count(), [&](std::size_t task) {
    std::vector<const MeasuredStep*> seen;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (task == 0 || rows.rows[i].fold != fitted.folds[task - 1].id) seen.push_back(&measured[i]);
    }
    StepCalibration& result = task == 0 ? fitted.whole : fitted.folds[task - 1].calibration;
    result = with_priors_of(embedded_step_calibration(), fit_calibration(seen, start));
  });
  fitted.whole.bands = bands_of(rows, measured, fitted);
  return fitted;
}

void add_fit_tables(const StepCalibrations& fitted, Document& d) {
  d.tables.push_back(calibration_table(fitted));
  d.tables.push_back(folds_table(fitted));
  d.tables.push_back(bands_table(fitted.whole));
}

}  // namespace nameplate
