// Which regime a prediction belongs to, and how far predictions of that regime have been off.
#pragma once

#include <string>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/analysis/steptime/work.h"
#include "nameplate/facts/step_calibration.h"

namespace nameplate {

// "dense" or "experts", then "known" where the calibration has seen both the device's matmuls at this precision and the
// framework's passes, else "new". A value that no run informs stays at its prior exactly.
std::string step_regime(const StepSetup& setup, const CompiledStep& work, const StepCalibration& calibration);

// Predicted / measured errors are taken as symmetric in the logarithm; each assumed fact widens the band by 3 %.
ErrorBand error_band(const StepSetup& setup, const std::string& regime, const StepCalibration& calibration);
// The factor by which the assumptions of a setup widen a band.
double assumption_factor(const StepSetup& setup);

}  // namespace nameplate
