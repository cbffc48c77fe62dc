// What one device does for one micro-batch, layer by layer, before any rate is applied: shapes of its matmuls, FLOPs of
// attention, bytes of passes over memory, bytes of collectives. Compiled once per setup; step_times() then turns it
// into seconds for a set of calibrated values in microseconds, which is what makes fitting cheap.
//
// Matmuls that read the same input run as one (q, k and v; gate and up). A dense layer costs a product forward and two
// backward, the gradients of its input and of its weight; a frozen one has only the first. Tensor parallelism divides
// the columns of what lies before attention or the activation and the rows of what lies behind; latent down-projections
// and routers are replicated. Experts take the tokens sent to them, balanced times the stated imbalance; their weights
// are divided by ep and etp (Megatron Core). Source: Korthikanti et al. 2022 (arXiv 2205.05198, section 4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/facts/step_calibration.h"

namespace nameplate {

// What a step needs of the calibrated values; each is looked up once, by id.
enum class StepValue : std::uint8_t {
  matmul_16,
  matmul_16_family,
  matmul_16_sku,
  matmul_low,
  matmul_low_family,
  matmul_low_sku,
  matmul_recipe,
  half_length_16,
  half_length_low,
  grouped,
  attention,
  attention_family,
  attention_sku,
  attention_pair,
  passes,
  casts,
  permute,
  scale_up,
  scale_out,
  tp_exposed,
  ep_exposed,
  dp_exposed,
  shard_slowdown,
  host,
  expert_host,
  per_expert_host,
  fixed,
  spread,
};
inline constexpr std::size_t kStepValues = static_cast<std::size_t>(StepValue::spread) + 1;

struct MatmulWork {
  std::string id;
  OperatorRole role = OperatorRole::other;
  double m = 0;  // rows of the input: tokens
  double n = 0;  // columns of the output
  double k = 0;  // columns of the input
  double count = 1;
  bool low_precision = false;
  bool grouped = false;  // many small products in one kernel: experts
  bool weight_gradient = true;
  bool input_gradient = true;
  double repeated = 0;  // share of the forward product that the backward pass repeats
};

struct AttentionWork {
  std::string id;
  double forward_flops = 0;
  double backward_flops = 0;
  double repeated = 0;
  double shape = 1;     // of short sequences and narrow heads, 0..1
  double traffic = 0;   // bytes read and written forward; twice that backward
  double kv_bytes = 0;  // one block of keys and values that context parallelism passes on
};

// Bytes that cross one device's link in one collective of a group, and how often per micro-batch.
struct CollectiveWork {
  double bytes = 0;
  double forward = 0;
  double backward = 0;
};

struct LayerWork {
  std::string block;
  double repeat = 1;         // layers of this kind in the model
  bool is_layer = false;     // else of the embedding, the head or a prediction module
  double local_experts = 0;  // of this device; 0: a dense layer
  double experts_per_token = 0;
  std::vector<MatmulWork> matmuls;
  std::vector<AttentionWork> attention;
  double pass_bytes = 0;     // one pass over tokens x hidden
  double fixed_bytes = 0;    // passes that a count of reads and writes gives: activations, scores, logits
  double cast_bytes = 0;     // operands cast to a narrow format
  double permute_bytes = 0;  // one pass over dispatched tokens
  double repeated_elementwise = 0;
  double repeated_launches = 0;
  CollectiveWork tp, ep;
  double ep_outside_bytes = 0;   // of `ep`, what leaves the scale-up domain
  double parameters = 0;         // on one device
  double expert_parameters = 0;  // of these, experts
  double trained = 1;            // share of the parameters with gradients
};

// A group of ranks: how many, and how many of them share a scale-up domain.
struct GroupSpan {
  double ranks = 1;
  double inside = 1;
};

struct StageLayers {
  std::vector<double> count;  // of each LayerWork
};

struct CompiledStep {
  std::vector<LayerWork> layers;
  std::vector<StageLayers> stages;
  double micro_batches = 1;
  double tokens = 0;  // of one micro-batch on one device
  double element_bytes = 2;
  double hidden = 0;
  double p2p_bytes = 0;
  bool p2p_inside = false;  // most neighbours in the pipeline share a scale-up domain
  GroupSpan tp, cp, ep, shard, replicas, expert_replicas;
  bool shards_weights = false;  // ZeRO 3, FSDP
  bool gathers_once = false;
  bool keeps_gathered = false;  // ZeRO 2: weights stay after the forward pass
  std::array<std::optional<std::size_t>, kStepValues> values;
};

CompiledStep step_work(const StepSetup& setup, const StepCalibration& calibration);

}  // namespace nameplate
