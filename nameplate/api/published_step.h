// A row of a table of published runs as a case for the step model. Internal to api/.
//
// What a row leaves out is filled by a default, which is kept as an assumption. The notes of a row are read for words
// of a closed list; a row's name never is.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/core/quantity.h"
#include "nameplate/facts/step_calibration.h"
#include "nameplate/inputs/catalogue.h"
#include "nameplate/inputs/published_runs.h"
#include "nameplate/inputs/step_calibration.h"

namespace nameplate {

struct StepCase {
  StepSetup setup;
  Seconds measured;
};

struct StepKnowledge {
  const Catalogue& catalogue;
  const StepFrameworks& frameworks;
  const StepCalibration& calibration;
};

// The case, or the id of the reason why the row cannot be one: "no_step_time", "no_dimensions", "no_layout", …
std::variant<StepCase, std::string> step_case(const PublishedRun& run, const StepKnowledge& knowledge);

}  // namespace nameplate
