// Parameters and matmul FLOPs of an architecture, exactly, per operator.
//
// One multiply-add is 2 FLOPs. A dense layer of in x out costs 2 * in * out per unit forward, the same again for the
// gradient of its input and, if trainable, of its weight. Core attention costs 2 * pairs * heads * (qk_dim + v_dim)
// forward and twice that backward (four matmuls: dP, dV, dQ, dK), where `pairs` is the number of (query, key) pairs
// that the mask lets through; a product of two activations (contraction) and a scan go backward at twice their forward,
// too; a convolution is a dense layer at each of its positions. An operator's input has a gradient only where something
// trained lies before it, in the order of the architecture; so frozen weights, adapters (LoRA) and forward-only models
// need no rule of their own. Norms, activations, softmax, rotary embeddings and look-ups cost bytes and no matmul
// FLOPs. Error: none, these are counts; a framework may do more (padding, recomputation) or other work (elementwise:
// about 1 % of a large model). Sources: Korthikanti et al. 2022 (arXiv 2205.05198) appendix A; PaLM (arXiv 2204.02311)
// appendix B; Megatron-LM's num_floating_point_operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/exact.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

// How the (query, key) pairs of attention are counted.
enum class AttentionCount {
  causal,  // s/2 keys per query in causal layers without a window (or with one >= s); exact pairs in windowed and
           // chunked ones
  full,    // every pair, masks ignored: PaLM's convention
  exact,   // (s+1)/2 in causal layers, exact pairs in windowed and chunked ones
};
std::string_view name(AttentionCount count);

// Twice the number of pairs of one sequence of `length` (twice, so that s/2 stays an integer).
Int128 attention_pairs_twice(const Mask& mask, std::int64_t length, AttentionCount count);

// The workload with every unit that the architecture names: those that it leaves out, as the architecture says of a
// sample.
Workload with_units(const Architecture& architecture, Workload workload);

struct OperatorFlops {
  Int128 forward = 0;
  Int128 backward_input = 0;
  Int128 backward_weight = 0;
  Int128 total() const { return forward + backward_input + backward_weight; }
  OperatorFlops& operator+=(const OperatorFlops& o);
  bool operator==(const OperatorFlops&) const = default;
};

// FLOPs of all repeats of one operator inside one repeat of its block, for one step of `workload`, which must know the
// operator's units (with_units). The gradient of its input is counted, as if something were trained before it.
OperatorFlops operator_flops(const Operator& op, const Workload& workload, AttentionCount count);

struct OperatorCount {
  std::string block;
  std::string id;
  OperatorRole role = OperatorRole::other;
  std::int64_t repeat = 1;  // blocks x repeats inside
  Int128 parameters = 0;    // in all repeats; a shared weight counts 0
  Int128 parameters_active = 0;
  Int128 matmul_parameters_active = 0;  // weights (no biases) of dense layers that one unit uses, shared ones included
  OperatorFlops flops;
  bool is_mtp = false;
  bool is_forward_only = false;
  bool is_layer = false;  // of a layer of the model, so that recomputing layers repeats it
  bool is_trained = false;
  bool is_recomputed = false;  // whatever the policy
  std::string part;
  std::string unit;
  std::optional<Precision> precision;
};

// Every operator, in the order of the architecture.
std::vector<OperatorCount> count_operators(const Architecture& architecture, const Workload& workload,
                                           AttentionCount count);

// Sum over the operators, one step.
OperatorFlops step_flops(const Architecture& architecture, const Workload& workload, AttentionCount count);

struct ParameterCount {
  Int128 total = 0;          // without multi-token-prediction modules, as models are published
  Int128 trained = 0;        // of these, the ones that are not frozen
  Int128 active = 0;         // weights that one token uses, input embedding included
  Int128 matmul_active = 0;  // weights in matmuls of one token: output projection yes, embedding no, router yes
  Int128 token_embedding = 0;
  Int128 position_embedding = 0;
  Int128 output_projection = 0;  // 0 when tied
  Int128 router = 0;
  Int128 mtp = 0;           // of the multi-token-prediction modules, outside `total`
  Int128 forward_only = 0;  // of other models that run forward beside this one, outside all of the above
};
ParameterCount count_parameters(const Architecture& architecture);

}  // namespace nameplate
