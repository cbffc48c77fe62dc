// Which tensors of one block the forward pass saves for the backward pass, per operator, in bytes of one device.
//
// A dense layer needs its input for the gradient of its weight (a frozen one does not), once for all layers that read
// the same input (q, k and v; gate and up). An activation function needs its inputs, a norm its input. Core attention
// needs q, k, v and its output (which is also the input of the output projection) and, fused, one fp32 log-sum-exp per
// head; unfused, the softmax, and with dropout its mask and result: 5 bytes per head and key. Sums per token to
// Korthikanti et al. 2022 (arXiv 2205.05198, section 4.1), equation 2: 34 h + 5 a s for GPT. Tensor parallelism divides
// what lies between a column-split and a row-split layer; sequence parallelism the rest. Experts save the tokens sent
// to them, on average as many as the device has times the experts per token: imbalance is not in it.
//
// A state-space or delta-rule layer keeps its first projection (gate, x, B, C and step sizes, which the fused kernel
// reads again), the scan's output and the last projection's input (mamba_ssm, ssd_combined.py). Operators that run once
// per another unit than the model's own (patches, pairs) count per sample.
//
// Range: transformers and hybrids in 16 bit or fp8. Convolutions count their inputs, contractions along a sequence two
// operands; activation functions outside MLPs and experts are not in the list of operators and count nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nameplate/facts/architecture.h"
#include "nameplate/facts/memory.h"
#include "nameplate/facts/plan.h"
#include "nameplate/facts/precision.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

struct SavedTensor {
  std::string id;  // "attention.core.qkv"
  OperatorRole role = OperatorRole::other;
  double bytes_per_unit = 0;  // on one device, per unit (token) of its micro-batch
};

// Layers that read the same input as one: q, k and v, or gate and up.
struct MatmulGroup {
  OperatorRole role = OperatorRole::other;
  double in = 0;  // of the weight on one device
  double out = 0;
  double units = 1;             // inputs per unit of the micro-batch: above 1 for experts, other units
  bool gathered_input = false;  // read in full while stored divided by sequence parallelism
};

struct BlockActivations {
  std::vector<SavedTensor> kept;  // from the forward to the backward pass
  std::vector<MatmulGroup> matmuls;
  // Of the one layer whose backward pass runs: what is computed again, the gradients of its widest matmul, and inputs
  // that are gathered meanwhile.
  double working_bytes_per_unit = 0;

  double kept_bytes_per_unit() const;
};

// How many of a unit there are for each of the model's own.
struct UnitShare {
  std::string unit;
  double per_own_unit = 1;
  std::int64_t sequence_length = 0;  // keys of unfused attention
};

struct SaveRules {
  const MemoryFacts& facts;
  const Plan& plan;
  Recompute recompute = Recompute::none;
  Precision precision = Precision::bf16;
  std::int64_t sequence_length = 0;  // of the model's own unit
  std::vector<UnitShare> other_units = {};
};

BlockActivations block_activations(const Block& block, const SaveRules& rules);

}  // namespace nameplate
