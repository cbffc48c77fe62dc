// A model as a list of operators: the one representation from which FLOPs, parameters, bytes and memory are counted.
//
// An Architecture is blocks of operators; a block repeats. FLOPs are not stored but counted from an operator's dimensions
// for a workload (analysis/flops), since attention depends on the lengths of the sequences. Forward, backward-to-input and
// backward-to-weight are counted apart (never "3 x forward"): frozen weights, LoRA and flash attention need that.
// The "unit" of a per-unit operator is what the workload counts: tokens for a language model, patches, residues, atoms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nameplate/facts/precision.h"

namespace nameplate {

// Which keys a query of a causal or bidirectional attention sees.
enum class MaskKind {
  causal,         // key j <= query i
  bidirectional,  // every key of its own sequence
  sliding,        // causal, and i - j < window: at most `window` keys, itself included
  chunked,        // causal inside chunks of `window`
};

struct Mask {
  MaskKind kind = MaskKind::causal;
  std::int64_t window = 0;  // sliding, chunked
  bool operator==(const Mask&) const = default;
};

// A dense layer applied to every unit: y = x W (+ b), W of `in` x `out`. `instances` weights exist (experts), of which one
// unit uses `active`; a plain layer has 1 and 1. Forward 2 * in * out * active FLOPs per unit.
struct MatmulShape {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t instances = 1;
  std::int64_t active = 1;
  bool bias = false;
  bool operator==(const MatmulShape&) const = default;
};

// Core attention, no weights: scores (q k^T) and values (p v) over the query heads. Grouped key/value heads do not shrink
// it. Forward 2 * pairs * heads * (qk_dim + v_dim) FLOPs per sequence; pairs counted from `mask`.
struct AttentionShape {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t qk_dim = 0;
  std::int64_t v_dim = 0;
  Mask mask;
  bool operator==(const AttentionShape&) const = default;
};

// Rows of `width` looked up by index: parameters, bytes, no FLOPs.
struct EmbeddingShape {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  bool operator==(const EmbeddingShape&) const = default;
};

// Elementwise or reducing work over `width` values per unit: bytes, no matmul FLOPs. `parameters` in all (a layer norm: 2 *
// width with bias).
struct ElementwiseShape {
  std::int64_t width = 0;
  std::int64_t parameters = 0;
  bool operator==(const ElementwiseShape&) const = default;
};

using OperatorShape = std::variant<MatmulShape, AttentionShape, EmbeddingShape, ElementwiseShape>;

// What an operator is for; conventions and sharding rules select by it.
enum class OperatorRole {
  token_embedding, position_embedding, norm, attention_projection, attention_core, mlp, router, expert, shared_expert,
  output_projection, mtp_projection, other
};
std::string_view name(OperatorRole role);

struct Operator {
  std::string id;  // "attention.q_proj"
  OperatorRole role = OperatorRole::other;
  OperatorShape shape;
  std::int64_t repeat = 1;  // inside its block
  bool trainable = true;
  // The weights are another operator's (a tied output projection): FLOPs yes, parameters no.
  bool shares_weights = false;
  std::optional<Precision> precision;  // when it differs from the workload's
  bool operator==(const Operator&) const = default;
};

struct Block {
  std::string id;  // "layers", "dense_layers", "head"
  std::int64_t repeat = 1;
  std::vector<std::int64_t> layers;  // which of the model's layers (0-based) these are; empty: not a layer
  bool is_mtp = false;   // a multi-token-prediction module: trained, yet not part of the published parameter count
  std::vector<Operator> operators;
  bool operator==(const Block&) const = default;
};

// --- Decoder transformers, by their published dimensions --------------------------------------------------------------
// What a config.json or a catalogue entry says; analysis/flops/decoder.h expands it into operators.

struct MoeShape {
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_ffn = 0;          // summed width of the shared experts; 0: none
  bool shared_gate = false;             // Qwen2-MoE: a hidden x 1 gate on the shared expert
  std::int64_t first_dense_layers = 0;  // DeepSeek: the first layers are dense
  std::int64_t every = 1;               // every n-th layer is MoE: layer i when (i + 1) % every == 0
  std::vector<std::int64_t> dense_layers;  // further layers that are dense, by index
  bool router_bias = false;             // with router: experts values per layer
  bool expert_bias = false;
  bool operator==(const MoeShape&) const = default;
};

// Multi-head latent attention (DeepSeek-V2).
struct MlaShape {
  std::int64_t q_rank = 0;  // 0: queries are projected directly
  std::int64_t kv_rank = 0;
  std::int64_t nope_dim = 0;
  std::int64_t rope_dim = 0;
  std::int64_t v_dim = 0;
  bool operator==(const MlaShape&) const = default;
};

enum class NormKind { rms, layer, unweighted };  // layer: weight and bias; unweighted: no parameters (OLMo)

struct DecoderShape {
  std::string name;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;     // need not be hidden / heads
  std::int64_t ffn = 0;          // of the dense layers
  bool gated_mlp = true;         // three matrices (SwiGLU, GeGLU) or two
  std::int64_t vocab = 0;        // as trained: padded where the framework pads
  bool tied_embeddings = false;
  std::int64_t learned_positions = 0;  // rows of a learned position table; 0: rotary, ALiBi or none
  bool qkv_bias = false;
  bool attention_out_bias = false;
  bool mlp_bias = false;
  bool output_bias = false;
  NormKind norm = NormKind::rms;
  std::int64_t norms_per_layer = 2;  // Gemma 2/3: 4; parallel attention and MLP with one norm: 1
  bool final_norm = true;
  bool embedding_norm = false;  // BLOOM: a layer norm after the embedding
  std::int64_t embedding_width = 0;  // OPT-350M: token embedding narrower than hidden, with in/out projections; 0: hidden
  bool qk_norm = false;         // over each head's dimension
  bool qk_norm_full = false;    // OLMo 2: over heads * head_dim
  bool output_gate = false;     // a gate of heads * head_dim beside q (Qwen3-Next)
  std::int64_t attention_sinks = 0;  // GPT-OSS: learned sink per head and layer (1: yes)
  std::optional<MoeShape> moe;
  std::optional<MlaShape> mla;
  std::vector<Mask> masks;      // one per layer; empty: causal everywhere; one entry: for all layers
  std::int64_t mtp_depth = 0;   // multi-token-prediction modules
  bool operator==(const DecoderShape&) const = default;
};

struct Architecture {
  std::string name;
  std::vector<Block> blocks;
  std::optional<DecoderShape> decoder;  // the dimensions it was built from; conventions that are formulas need them
  bool operator==(const Architecture&) const = default;
};

}  // namespace nameplate
