// The last word of a Hugging Face Trainer: train_runtime for the whole call of train(). As a row it is the mean step
// time, start-up, evaluations and saves included.
#pragma once

#include <cstdint>

#include "nameplate/facts/run.h"
#include "nameplate/inputs/runlog_builder.h"

namespace nameplate {

struct HfSummary {
  std::int64_t steps = 0;  // > 0
  Maybe runtime_s;
  Maybe samples_per_s;  // whole job
};

// Gives the last row the mean when it is the run's last step and has no time of its own; else adds a row.
inline void add_hf_summary(const HfSummary& summary, RunLogBuilder& builder) {
  const double steps = static_cast<double>(summary.steps);
  StepLine row;
  row.index = summary.steps;
  if (summary.runtime_s) row.duration_s = *summary.runtime_s / steps;
  if (summary.runtime_s && summary.samples_per_s) row.samples = *summary.samples_per_s * *summary.runtime_s / steps;
  Step* last = builder.last_step();
  if (!last || last->index != row.index || last->duration_s) return builder.add_step(row);
  last->duration_s = row.duration_s;
  last->samples = row.samples;
  last->step_class = StepClass::unclassified;
}

}  // namespace nameplate
