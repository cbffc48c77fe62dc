// Fits the calibrated values of the step model to measured step times.
//
// Minimises, over z of value = prior exp(z),
//   sum_i w_i rho(ln(predicted_i / measured_i)) / s^2 + sum_j (z_j / sigma_j)^2
// with w_i = 1 / sqrt(rows of the group): repeats of one configuration are not independent; rho is Cauchy's (scale
// 0.15), so that a run that nothing explains does not bend what explains the others; s = 0.06 is what a run differs
// from its repetition elsewhere. Gauss-Newton with Levenberg's damping, iteratively re-weighted; derivatives by
// differences, of the values that a run uses only. Deterministic.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/analysis/steptime/work.h"
#include "nameplate/facts/step_calibration.h"

namespace nameplate {

struct MeasuredStep {
  const StepSetup* setup = nullptr;
  CompiledStep work;
  Seconds measured;
  double weight = 1;
};

Seconds predicted_step_time(const MeasuredStep& run, const StepCalibration& calibration);

// `calibration` gives priors and sigmas; the result has new values. `runs` point into a longer-lived table.
StepCalibration fit_calibration(std::span<const MeasuredStep* const> runs, const StepCalibration& calibration);

}  // namespace nameplate
