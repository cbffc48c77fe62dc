#include "nameplate/analysis/steptime/fit.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/steptime/setup_for_test.h"

namespace nameplate {
namespace {

double value_of(const StepCalibration& calibration, std::string_view id) {
  return calibration.values[*calibration.find(id)].value;
}

class Fit : public testing::Test {
 protected:
  // Long and short sequences, wide and narrow: attention, matmuls and the host are told apart.
  void add(std::int64_t length, std::int64_t tp, std::int64_t accumulation) {
    StepSetup setup = setup_for_test();
    setup.plan.tp = tp;
    setup.plan.dp = setup.plan.dp_shard = 32 / tp;
    setup.plan.accumulation = accumulation;
    setup.workload = uniform_workload(setup.plan.dp * accumulation, length);
    setups_.push_back(setup);
  }

  StepCalibration fitted(const StepCalibration& truth) {
    std::vector<MeasuredStep> runs;
    for (const StepSetup& setup : setups_) {
      runs.push_back({.setup = &setup, .work = step_work(setup, truth)});
      runs.back().measured = predicted_step_time(runs.back(), truth);
    }
    std::vector<const MeasuredStep*> all;
    for (const MeasuredStep& run : runs) all.push_back(&run);
    return fit_calibration(all, calibration_for_test());
  }

  std::vector<StepSetup> setups_;
};

TEST_F(Fit, FindsTheValuesThatMadeTheMeasurements) {
  for (const std::int64_t length : {512, 2048, 8192, 32768, 131072}) {
    for (const std::int64_t tp : {1, 4, 8}) {
      add(length, tp, 4);
      add(length, tp, 32);
    }
  }
  StepCalibration truth = calibration_for_test();
  truth.values[*truth.find("matmul.16")].value *= 0.9;
  truth.values[*truth.find("attention.test")].value *= 1.2;
  const StepCalibration found = fitted(truth);
  EXPECT_NEAR(value_of(found, "matmul.16") / value_of(truth, "matmul.16"), 1, 0.02);
  EXPECT_NEAR(value_of(found, "attention.test") / value_of(truth, "attention.test"), 1, 0.02);
}

TEST_F(Fit, WhatNoRunInformsStaysAtItsPriorExactly) {
  add(2048, 4, 4);
  StepCalibration truth = calibration_for_test();
  truth.values[*truth.find("matmul.16")].value *= 0.9;
  const StepCalibration found = fitted(truth);
  EXPECT_NE(value_of(found, "matmul.16"), value_of(calibration_for_test(), "matmul.16"));
  EXPECT_EQ(value_of(found, "permute.test"), value_of(calibration_for_test(), "permute.test"));
  EXPECT_EQ(value_of(found, "bus.scale_up"), value_of(calibration_for_test(), "bus.scale_up"));
}

TEST_F(Fit, OneRunThatNothingExplainsBendsLittle) {
  for (const std::int64_t length : {2048, 8192, 32768}) add(length, 4, 8);
  const StepCalibration truth = calibration_for_test();
  std::vector<MeasuredStep> runs;
  for (const StepSetup& setup : setups_) {
    runs.push_back({.setup = &setup, .work = step_work(setup, truth)});
    runs.back().measured = predicted_step_time(runs.back(), truth);
  }
  runs.push_back(runs.front());
  runs.back().measured = runs.back().measured * 3;
  std::vector<const MeasuredStep*> all;
  for (const MeasuredStep& run : runs) all.push_back(&run);
  const StepCalibration found = fit_calibration(all, truth);
  EXPECT_NEAR(predicted_step_time(runs[1], found) / runs[1].measured, 1, 0.05);
}

}  // namespace
}  // namespace nameplate
