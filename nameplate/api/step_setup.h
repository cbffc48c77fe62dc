// From a loaded run to the input of the step model, the memory estimate and the data supply. Internal to api/.
//
// What the manifest leaves open is filled by what the framework does by itself or by a default, each named among the
// assumptions; what a prediction cannot do without is asked for in one error.
#pragma once

#include <optional>

#include "nameplate/analysis/steptime/data_supply.h"
#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/api/load.h"
#include "nameplate/facts/memory.h"
#include "nameplate/facts/step_calibration.h"
#include "nameplate/inputs/catalogue.h"

namespace nameplate {

struct RunSetup {
  StepSetup step;
  MemoryFacts memory;             // how the framework uses memory
  std::optional<Bytes> capacity;  // of one accelerator, as software sees it
  std::optional<DataSupply> data;
};

Result<RunSetup> run_setup(const LoadedRun& run, const Catalogue& catalogue, const StepCalibration& calibration);

}  // namespace nameplate
