// Calibrations that saw everything but one setup, stored or fitted, and what a fit proposes. Internal to api/.
#pragma once

#include <string>
#include <vector>

#include "nameplate/api/step_rows.h"
#include "nameplate/inputs/step_calibration.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct StepCalibrations {
  StepCalibration whole;
  std::vector<StepFold> folds;

  // The one that saw nothing of `fold`; `whole` for a setup that took no part.
  const StepCalibration& without(const std::string& fold) const;
};

StepCalibrations stored_step_calibrations();
// Fitted to `rows`: once to all, once without each setup; and the error bands of what was left out. A user's own rows
// move the shipped values; rows that the shipped values were fitted to start again from the priors.
StepCalibrations fit_step_time(const StepRows& rows);

// Tables "calibration" (prior, shipped, proposed, range over the folds), "folds" and "bands": what tools/refit writes
// into data/calibration/.
void add_fit_tables(const StepCalibrations& fitted, Document& d);

}  // namespace nameplate
