// The time of one optimizer step of a run that need not have happened, and where it goes.
//
// Operators of a layer become matmuls, attention, passes over memory and collectives on one device (work.h); their
// times (kernels.h, collectives.h) add up to forward and backward times of a layer, layers to those of a stage, stages
// to a pipeline (pipeline.h), and that, with gradient traffic, optimizer, fixed cost and stragglers, to the step. The
// host launches beside the device: per layer and micro-batch the slower of the two counts, softly.
//
// Range: dense and mixture-of-experts decoders, pre-training, fine-tuning and LoRA, on GPUs and TPUs. Known error:
// docs/models/steptime.md, by `nameplate validate --what step_time`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nameplate/analysis/steptime/pipeline.h"
#include "nameplate/analysis/steptime/regime.h"
#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/core/quantity.h"
#include "nameplate/facts/ledger.h"
#include "nameplate/facts/step_calibration.h"

namespace nameplate {

enum class Binding { compute, memory, network, host };
std::string_view name(Binding binding);

// An operator of all layers of one device in one step, recomputation included.
struct OperatorTime {
  std::string id;  // "mlp.up"
  OperatorRole role = OperatorRole::other;
  Seconds forward;
  Seconds backward;
  Seconds at_peak;  // its FLOPs at the nameplate peak of the format that it runs in
  Binding binding = Binding::compute;
};

// Of one pipeline stage and micro-batch, all its chunks together, exposed communication included.
struct StageTime {
  std::int64_t stage = 0;
  double layers = 0;  // fractions where the layout is balanced by the framework
  Seconds forward;
  Seconds backward;
  Seconds host_forward;  // launches alone
  Seconds host_backward;
  Seconds idle;  // per step, waiting for other stages
};

// Where the step of the slowest stage goes; sums to the step.
struct StepParts {
  Seconds compute_at_peak;  // model FLOPs
  Seconds recompute_at_peak;
  Seconds matmul;  // beyond the above, as the next three
  Seconds attention;
  Seconds memory_bound;
  Seconds optimizer;
  Seconds tp, cp, ep, pp, dp;  // exposed communication
  Seconds bubble;
  Seconds host;  // what launching adds
  Seconds fixed;
  Seconds straggler;
  Seconds total() const;
};

struct PhaseTimes {
  Seconds forward;    // of all micro-batches on the slowest stage
  Seconds backward;   // the same, recomputation included
  Seconds optimizer;  // gradient traffic that is exposed, the update
  Seconds fixed;      // norms, logging, launches: once a step
};

// What one device of the slowest stage uses of its resources over the step, 0..1.
struct Utilisation {
  double memory = 0;    // bytes of matmuls, attention, passes and optimizer over bandwidth x step
  double scale_up = 0;  // bytes of all collectives over the bandwidth that they reach x step
  double scale_out = 0;
};

struct StepPrediction {
  Seconds step_time;
  Seconds low, high;  // 85 % band of the regime, widened by what was assumed
  StepRegime regime;
  Seconds host_floor;  // what the step would take if the device were infinitely fast
  // If every collective that can run beside compute were hidden, and if none were; the step itself where the plan says.
  Seconds all_overlapped;
  Seconds none_overlapped;
  PipelineInput pipeline;  // of the step; check() tells whether a schedule exists
  PipelineResult schedule;
  StepParts parts;                     // of the slowest stage
  std::vector<StepParts> stage_parts;  // of each, waiting for the others in `bubble`
  PhaseTimes phases;
  std::vector<StageTime> stages;
  std::vector<OperatorTime> operators;
  Seconds p2p;  // sending one micro-batch's activations to the next stage
  Utilisation utilisation;
  double model_flops = 0;     // of the step, all devices
  double hardware_flops = 0;  // recomputation included
};

StepPrediction predict_step(const StepSetup& setup, const StepCalibration& calibration);

// The ledger of one predicted step, in accelerator-seconds of all devices.
Ledger step_ledger(const StepSetup& setup, const StepPrediction& prediction);

}  // namespace nameplate
