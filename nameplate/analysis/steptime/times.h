// Seconds of a step from its work and the calibrated values: layers, stages, pipeline, step. predict_step() dresses it.
#pragma once

#include <vector>

#include "nameplate/analysis/steptime/rates.h"
#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/analysis/steptime/work.h"
#include "nameplate/core/quantity.h"

namespace nameplate {

// One direction of one layer or stage and one micro-batch on one device. Communication is what is exposed.
struct PassTime {
  Seconds matmul, attention, memory;
  Seconds tp, cp, ep;
  Seconds host;   // launches, beside the device
  LinkUse links;  // of all communication, hidden or exposed
  Bytes traffic;  // read from memory and written to it
  Flops matmul_model, matmul_repeated;
  Flops attention_model, attention_repeated;

  Seconds device() const { return matmul + attention + memory + tp + cp + ep; }
  PassTime& operator+=(const PassTime& o);
};
PassTime operator*(double k, const PassTime& p);

struct LayerTime {
  PassTime forward, backward;
};

struct StagePass {
  PassTime forward, backward;
  Seconds sharding;  // weights gathered and gradients scattered per micro-batch, exposed
  LinkUse sharding_links;
  Seconds micro_batch;  // forward and backward, the host's launches in it
  double parameters = 0;
  double expert_parameters = 0;
  double units = 0;  // layers, embedding, head: what sharded weights are gathered by
};

struct StepSeconds {
  std::vector<LayerTime> layers;  // per layer of each kind
  std::vector<StagePass> stages;
  std::size_t slowest = 0;
  Seconds pipeline;  // all micro-batches, bubble included
  Seconds bubble;
  Seconds pp;  // exposed sends, of the pipeline
  Seconds dp;
  LinkUse dp_links;
  Seconds optimizer;
  Bytes optimizer_traffic;
  Seconds fixed;
  Seconds straggler;
  Seconds total;
};

StepSeconds step_seconds(const StepSetup& setup, const CompiledStep& work, const StepValues& values);

// Expected maximum of `n` independent standard normal values (Blom 1958): within 5 % at
// n = 2, 1 % from n = 10.
double expected_normal_maximum(double n);

}  // namespace nameplate
