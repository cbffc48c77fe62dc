// The step model against the published runs: the floors of its error, and the stored calibrations against a new fit.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "nameplate/api/step_fit.h"
#include "nameplate/api/validate_step_time.h"
#include "nameplate/core/field_data_for_test.h"

namespace nameplate {
namespace {

double value(const Document& d, std::string_view id) { return as_double(d.find_value(id)->value); }

Document validated(const std::string& text, const StepValidation& how) {
  return validate_step_time(read_published_runs(text, "published_runs.csv").value(), Catalogue::embedded(), how);
}

// error_median_ratio and error_mean_ratio of a group of a table.
std::pair<double, double> errors_of(const Document& d, std::string_view table, const std::string& group) {
  for (const auto& row : d.find_table(table)->rows) {
    if (std::get<std::string>(row[0]) == group) return {std::get<double>(row[2]), std::get<double>(row[3])};
  }
  ADD_FAILURE() << "no group " << group;
  return {};
}

TEST(StepTimeField, ErrorsStayBelowTheirFloors) {
  const auto text = field_file("published_runs.csv");
  if (!text) GTEST_SKIP() << kNoFieldData;
  const Document d = validated(*text, {});
  EXPECT_GE(value(d, "rows_predicted"), 0.95 * value(d, "rows_eligible"));
  EXPECT_GT(value(d, "rows_eligible"), 780);
  EXPECT_LE(value(d, "error_median_ratio"), 0.10);
  EXPECT_LE(value(d, "error_mean_ratio"), 0.15);
  EXPECT_LE(value(d, "in_sample_median_ratio"), 0.055);
  EXPECT_LE(value(d, "in_sample_mean_ratio"), 0.085);
  EXPECT_GE(value(d, "rank_tau"), 0.7);
  EXPECT_LE(value(d, "regret_median_ratio"), 0.02);
  EXPECT_GE(value(d, "band_coverage_ratio"), 0.80);
  EXPECT_LE(value(d, "band_coverage_ratio"), 0.90);
  EXPECT_LE(errors_of(d, "by_source", "vtrain-multi").second, 0.10);
  EXPECT_LE(errors_of(d, "by_source", "vtrain-single").second, 0.10);
  EXPECT_LE(errors_of(d, "by_source", "korthikanti-2022").second, 0.035);
  const auto [dense_median, dense_mean] = errors_of(d, "by_regime", "dense.known");
  EXPECT_LE(dense_median, 0.065);
  EXPECT_LE(dense_mean, 0.085);
  const auto [experts_median, experts_mean] = errors_of(d, "by_regime", "experts.known");
  EXPECT_LE(experts_median, 0.12);
  EXPECT_LE(experts_mean, 0.18);
}

TEST(StepTimeField, AnchorsOfOnesOwn) {
  const auto text = field_file("published_runs.csv");
  if (!text) GTEST_SKIP() << kNoFieldData;
  const Document d = validated(*text, {.anchor = true});
  EXPECT_LE(value(d, "error_median_ratio"), 0.055);
  EXPECT_LE(value(d, "error_mean_ratio"), 0.10);
}

TEST(StepTimeField, TheStoredCalibrationsAreTheFit) {
  const auto text = field_file("published_runs.csv");
  if (!text) GTEST_SKIP() << kNoFieldData;
  const PublishedRuns runs = read_published_runs(*text, "published_runs.csv").value();
  const StepCalibrations stored = stored_step_calibrations();
  const StepCalibrations fitted =
      fit_step_time(step_rows(runs, {Catalogue::embedded(), StepFrameworks::embedded(), stored.whole}, stored.folds));
  ASSERT_EQ(fitted.folds.size(), stored.folds.size());
  for (const StepFold& fold : fitted.folds) {
    const StepCalibration& kept = stored.without(fold.id);
    for (std::size_t i = 0; i < kept.values.size(); ++i) {
      EXPECT_NEAR(fold.calibration.values[i].value / kept.values[i].value, 1, 1e-4) << fold.id << kept.values[i].id;
    }
  }
}

}  // namespace
}  // namespace nameplate
