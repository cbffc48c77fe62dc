// Memory that one training step needs on a device, term by term and pipeline stage by stage.
//
// allocated = weights + gradients + optimizer + gathered units + buffers + activations + the larger of loss and working
// layer + constant. Bytes per parameter and their division by ZeRO stage: Rajbhandari et al. 2020 (arXiv 1910.02054,
// section 3: 16 = 2 + 2 + 12); activations: saved.h, times the micro-batches that the schedule holds, which the caller
// counts in the schedule's own order (analysis/steptime/pipeline.h). Under DualPipe a device holds two parts of the
// model (arXiv 2412.19437, table 2: parameters twice, p + 1 micro-batches of one part). The logits of one micro-batch
// cost `bytes_per_logit`, fitted per framework. `reserved` is what the allocator takes for it.
//
// Range: dense and mixture-of-experts transformers under tp, sp, pp, cp, ep and ZeRO or FSDP. Experts are taken as
// balanced, layers as evenly divided unless the plan says otherwise. Known error: docs/models/memory.md, by `nameplate
// validate --what memory`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/memory.h"
#include "nameplate/facts/plan.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

struct ActivationMemory {
  std::string id;  // "attention.core.qkv"; the same tensor of all layers together
  OperatorRole role = OperatorRole::other;
  Bytes bytes;
};

struct StageMemory {
  std::int64_t stage = 0;
  std::int64_t layers = 0;
  double micro_batches_in_flight = 1;
  double parameters = 0;  // on one device, before ZeRO divides them; both parts of DualPipe

  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes gathered;  // units gathered from shards, and their gradients before they are scattered
  Bytes buffers;   // communication buckets, weight-gradient dummies
  Bytes activations;
  Bytes logits;   // 0 where the peak falls into the backward pass of a layer
  Bytes working;  // of that layer: recomputed tensors, gradients; 0 where the peak falls into the loss
  Bytes constant;
  Bytes reserve;  // fragmentation; the smaller of loss and working layer where segments are not shared

  std::vector<ActivationMemory> activations_by_tensor;  // sums to `activations`

  Bytes allocated() const;
  Bytes reserved() const { return allocated() + reserve; }
};

struct MemoryEstimate {
  std::vector<StageMemory> stages;  // one per pipeline stage
  std::size_t peak_stage = 0;       // of the most reserved bytes

  const StageMemory& peak() const { return stages[peak_stage]; }
};

// `plan` as check() accepts it. The longest sequence of the workload's batch is the one that a micro-batch holds.
// `held`: micro-batches whose activations a stage holds at most, one number a stage; empty: one on each.
MemoryEstimate estimate_memory(const Architecture& architecture, const Workload& workload, const Plan& plan,
                               const MemoryFacts& framework, std::span<const double> held = {});

// What software sees of `stated`, the memory on a datasheet: its "80 GB" are 80 GiB (nvidia-smi shows 81,559 MiB on an
// H100 80GB, 143,771 on an H200 141GB). Sizes that are no whole number of GB are taken as they are.
Bytes addressable_memory(Bytes stated);

// Measured error of `reserved` and what a device keeps outside the allocator.
struct MemoryRiskFacts {
  double sigma_ratio = 0.07;  // of ln(needed / predicted)
  Bytes outside;              // driver context and communicators
};

// The probability that `reserved` does not fit a device of `capacity`: a log-normal error around the prediction.
double out_of_memory_risk(Bytes reserved, Bytes capacity, const MemoryRiskFacts& facts);

}  // namespace nameplate
