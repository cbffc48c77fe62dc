// Which regime a prediction belongs to, and how far predictions of that regime have been off.
#pragma once

#include <string>
#include <vector>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/analysis/steptime/work.h"
#include "nameplate/facts/step_calibration.h"

namespace nameplate {

struct StepRegime {
  std::string id;  // "dense.known": "dense" or "experts", then "known", or "new" where anything is unseen
  std::vector<std::string> unseen;  // "the framework"
};

// Seen are a device's matmuls at this precision and a framework's passes that runs have moved from their prior, and of
// models decoders whose layers all attend. A value that no run informs stays at its prior exactly.
StepRegime step_regime(const StepSetup& setup, const CompiledStep& work, const StepCalibration& calibration);

// Predicted / measured errors are taken as symmetric in the logarithm; each assumed fact widens the band by 3 %.
ErrorBand error_band(const StepSetup& setup, const std::string& regime, const StepCalibration& calibration);
// The factor by which the assumptions of a setup widen a band.
double assumption_factor(const StepSetup& setup);

}  // namespace nameplate
