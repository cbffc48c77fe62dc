// The rows of a table of published runs that the step model can predict, and why it cannot the others. Internal to
// api/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/analysis/steptime/fit.h"
#include "nameplate/api/published_step.h"
#include "nameplate/inputs/published_runs.h"

namespace nameplate {

struct StepRow {
  const PublishedRun* run = nullptr;
  StepCase step;
  std::string fold;           // the setup that it is left out with
  std::string job;            // model, batch, devices and release: what plans of one job share
  std::string configuration;  // job and plan: rows that nothing tells apart
};

struct StepRows {
  std::vector<StepRow> rows;
  std::vector<std::pair<const PublishedRun*, std::string>> left_out;  // with the reason
  std::int64_t eligible = 0;

  // What the fit reads, `rows` in order; each weighted by its group of source, model, device and precision.
  std::vector<MeasuredStep> measured(const StepCalibration& calibration) const;
};

// A row is eligible when it may decide (gate) and has a step time, the dimensions of its model, its batch, its
// accelerators and their layout, stated or derivable.
StepRows step_rows(const PublishedRuns& runs, const StepKnowledge& knowledge, const std::vector<StepFold>& folds);

// For a fit to a table of one setup: its models take turns being left out.
void fold_by_model_if_one_setup(StepRows& rows);

}  // namespace nameplate
