// The pipeline of a step, event by event (pipeline.h), in place of the closed form that calibration uses because it is
// evaluated millions of times: (sum of the stages' times - the slowest's) / virtual_pp beside the slowest stage's work.
// The two agree where stages are alike and micro-batches divide evenly; the schedule knows the rest.
#pragma once

#include "nameplate/analysis/steptime/pipeline.h"
#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/analysis/steptime/times.h"
#include "nameplate/analysis/steptime/work.h"
#include "nameplate/facts/plan.h"

namespace nameplate {

// Schedule, stages, chunks and micro-batches of a plan; no times.
PipelineInput plan_pipeline(const Plan& plan);

// Chunks of a stage are taken as alike, and a weight gradient as half of a backward pass, which it is for matmuls. What
// sends expose is time in which the sender does nothing else.
PipelineInput step_pipeline(const StepSetup& setup, const CompiledStep& work, const StepSeconds& times);

// Puts the schedule's makespan into the step; all that follows from it is adapted.
void use_schedule(const PipelineResult& schedule, StepSeconds& times);

}  // namespace nameplate
