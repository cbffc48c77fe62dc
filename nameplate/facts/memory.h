// How a training framework uses accelerator memory: the facts that, beside model, plan and batch, decide what one step
// needs. One entry per generation of a framework; data/calibration/memory.toml holds them with their sources.
//
// Only `constant` and `bytes_per_logit` are fitted to measured peaks; everything else is read from the framework's code
// or documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"

namespace nameplate {

// Parts of a layer whose saved tensors are computed again in the backward pass. Names are Megatron Core's
// (recompute_modules), where it has one.
enum class RecomputeModule {
  core_attention,        // "core_attn": the scores; with fused attention there is nothing left to save
  norm,                  // "layernorm": outputs of the norms
  mlp,                   // "mlp": hidden tensors of the dense MLP
  expert_activation,     // "moe_act": the product that the experts' second matmul reads
  experts,               // "moe": everything inside the MoE layer
  latent_up_projection,  // "mla_up_proj": queries, keys and values
  alternate_matmuls,  // "alternate_matmuls": torchtitan's "op": every second matmul keeps its output, fused attention
                      // too
};
std::string_view name(RecomputeModule module);
std::optional<RecomputeModule> parse_recompute_module(std::string_view text);

struct MemoryFacts {
  std::string id;  // "megatron-core"
  double weight_bytes = 2;
  double gradient_bytes = 4;
  // The weights are the optimizer's fp32 copy (FSDP2), so the optimizer's own bytes are 4 less.
  bool weights_are_master = false;
  int sharding = 0;  // ZeRO stage unless the plan says otherwise; FSDP is 3

  // ZeRO-3 and FSDP: what is gathered at a time, in 16 bit.
  double gathered_units = 2;         // layers, the prefetched one included
  double unit_gradient_bytes = 0;    // per parameter of the unit whose gradients are not yet scattered
  bool root_stays_gathered = false;  // embedding and head are one unit that is not freed within a step
  bool pipeline_stays_gathered =
      false;     // with a pipeline: all of the stage, and its gradients, until the last micro-batch
  Bytes bucket;  // communication buckets, ZeRO 1 and 2

  bool fused_attention = true;
  bool dropout = false;
  bool fp8_saved_inputs = false;         // fp8 matmuls keep their inputs in fp8
  bool keeps_gathered_inputs = false;    // sequence parallelism: the layer at work holds its gathered inputs
  bool context_parallel_copy = false;    // all-to-all context parallelism saves the attention output twice
  bool weight_gradient_dummies = false;  // one 16-bit tensor per distinct weight shape (Transformer Engine)
  bool compiled = true;                  // the output that no backward reads is not kept
  bool pipeline_splits_batch = false;    // the stated micro-batch is split into one micro-batch per stage
  std::vector<RecomputeModule> selective = {RecomputeModule::core_attention};

  double bytes_per_logit = 0;  // fitted
  Bytes constant;              // fitted
  // What the allocator holds beyond the tensors.
  bool segments_add_up = false;    // memory of the layers cannot be reused by the loss, and the reverse
  double fragmentation_ratio = 0;  // of the allocated bytes
  bool prints_reserved = false;    // the framework prints reserved bytes as its peak, else allocated ones
  std::string source;
  bool operator==(const MemoryFacts&) const = default;
};

}  // namespace nameplate
