// Everything that the step model knows of a run: model, batch, plan, device, network, framework. Composed in api/ from
// a manifest, a log or a row of a table of published runs; the same struct, so that what is validated is what predicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/defect.h"
#include "nameplate/facts/plan.h"
#include "nameplate/facts/step_framework.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

// Formats of 8 and 4 bits: matmuls of the layers run in them, the rest in 16 bits.
constexpr bool is_narrow(Precision p) { return p == Precision::fp8 || p == Precision::fp4 || p == Precision::int8; }

// Of a weight or an activation as it is stored and sent.
constexpr double element_bytes(Precision p) {
  if (p == Precision::fp64) return 8;
  return p == Precision::fp32 || p == Precision::tf32 ? 4 : 2;
}

// One accelerator as the software sees it.
struct StepDevice {
  std::string sku;
  std::string family;      // "hopper", "blackwell": what shares kernels
  FlopsPerSecond peak;     // dense, at the precision of the matmuls
  FlopsPerSecond peak_16;  // dense, of what never runs in a narrow format: 16 bits, or the wider format of the run
  FlopsPerSecond matmul;   // best matmul measured in public at that precision, or assumed from the peak
  FlopsPerSecond matmul_16;
  BytesPerSecond memory_bandwidth;
  double compute_units = 0;  // 0: no wave quantization
  bool operator==(const StepDevice&) const = default;
};

// Bandwidths per accelerator and direction. Inside a domain of `domain` accelerators the scale-up links hold, beyond it
// the network.
struct StepFabric {
  std::int64_t domain = 8;
  BytesPerSecond scale_up;
  BytesPerSecond scale_out;
  Seconds scale_up_latency = seconds(10e-6);  // of one collective, the launch of its kernel included
  Seconds scale_out_latency = seconds(25e-6);
  double oversubscription = 1;  // of the network towards its core
  bool in_switch_reduction = false;
  bool torus = false;  // the scale-up domain: rings along its axes, else one ring over all ranks
  // Bus bandwidths that a benchmark of collectives reached; they replace nameplate x efficiency.
  std::optional<BytesPerSecond> measured_scale_up;
  std::optional<BytesPerSecond> measured_scale_out;
  bool operator==(const StepFabric&) const = default;
};

enum class StepTask { pretrain, lora };

struct StepSetup {
  Architecture architecture;
  Workload workload;  // of one step; the longest sequence of the batch is the one that a micro-batch holds
  Plan plan;
  StepDevice device;
  StepFabric fabric;
  StepFramework framework;
  std::optional<RecomputeShares> recompute;  // what is repeated, where known better than workload.recompute says
  StepTask task = StepTask::pretrain;
  double expert_imbalance = 1;  // tokens of the busiest rank over the mean
  // Measured over predicted of the user's own runs: every time is scaled by it, as the rates of a slower machine would.
  double anchor = 1;
  double rank_spread = 0;  // relative standard deviation of a rank's step time; 0: the calibrated one
  std::vector<Assumption> assumptions;
};

}  // namespace nameplate
