// Predicted against measured step times, and the fit of the step model's calibration. Internal to api/.
#pragma once

#include "nameplate/inputs/catalogue.h"
#include "nameplate/inputs/published_runs.h"
#include "nameplate/report/document.h"

namespace nameplate {

// Every row is predicted with the calibration that saw nothing of its setup: the stored one of its fold; rows of setups
// that took no part in the calibration have the shipped one. With `fit`, both are fitted to this table instead, and the
// proposed values are printed.
struct StepValidation {
  bool fit = false;
  // Scale each prediction by the median of measured / predicted over at least three other configurations of its own
  // setup, device and precision: what a user's own runs give.
  bool anchor = false;
};
Document validate_step_time(const PublishedRuns& runs, const Catalogue& catalogue, const StepValidation& how);

}  // namespace nameplate
