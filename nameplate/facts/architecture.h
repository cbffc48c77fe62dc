// A model as a list of operators: the one representation from which FLOPs, parameters, bytes and memory are counted.
//
// An Architecture is blocks of operators; a block repeats. FLOPs are not stored but counted from an operator's
// dimensions for a workload (analysis/flops), since attention depends on the lengths of the sequences. Forward,
// backward-to-input and backward-to-weight are counted apart (never "3 x forward"): frozen weights, LoRA and flash
// attention need that. Every operator runs once per unit: a token, an image patch, a pair of residues, an edge. The
// model's own unit is what the workload's batch counts; others have a name and, per sample, a number of sequences of
// some length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nameplate/facts/precision.h"

namespace nameplate {

// Which keys a query sees.
enum class MaskKind {
  causal,         // key j <= query i
  bidirectional,  // every key of its own sequence
  sliding,        // causal, and i - j < window: at most `window` keys, itself included
  chunked,        // causal inside chunks of `window`
  selected,       // causal, and of those the `window` that an indexer chose: as many as sliding
  band,           // |i - j| <= window / 2
  blocks,         // every key of its own block of `window`
};

struct Mask {
  MaskKind kind = MaskKind::causal;
  std::int64_t window = 0;  // of all but causal and bidirectional
  bool operator==(const Mask&) const = default;
};

// A dense layer applied to every unit: y = x W (+ b), W of `in` x `out`. `instances` weights exist (experts), of which
// one unit uses `active`; a plain layer has 1 and 1. Forward 2 * in * out * active FLOPs per unit.
struct MatmulShape {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t instances = 1;
  std::int64_t active = 1;
  bool bias = false;
  bool operator==(const MatmulShape&) const = default;
};

// Core attention, no weights: scores (q k^T) and values (p v) over the query heads. Grouped key/value heads do not
// shrink it. Forward 2 * pairs * heads * (qk_dim + v_dim) FLOPs per sequence; pairs counted from `mask`. With
// `keys_unit`, keys and values are another unit's sequence of the same sample and every query sees all of them (cross
// attention). Triangle attention is attention along the rows of a matrix of pairs: its unit has one sequence per row.
struct AttentionShape {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t qk_dim = 0;
  std::int64_t v_dim = 0;
  Mask mask;
  std::string keys_unit;
  bool operator==(const AttentionShape&) const = default;
};

// A product of two activations, no weights: each of `out` results is a sum of `in` products. Forward 2 * in * out FLOPs
// per unit. Outer-product mean: in = sequences of the alignment, out = c^2 per pair; a message over an edge: in = terms
// of the tensor product, out = channels. With `along_sequence` the sum also runs over the unit's whole sequence:
// triangle multiplication has in = 1, out = channels, and is cubic in the residues.
struct ContractionShape {
  std::int64_t in = 1;
  std::int64_t out = 0;
  bool along_sequence = false;
  bool operator==(const ContractionShape&) const = default;
};

// A convolution in any number of dimensions: `kernel` is the product of its extents, `positions` the number of outputs
// per unit (stride and padding are in it). Forward 2 * in / groups * out * kernel * positions FLOPs per unit.
struct ConvolutionShape {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t groups = 1;
  std::int64_t positions = 1;
  bool bias = false;
  bool operator==(const ConvolutionShape&) const = default;
};

// A recurrence over a state of heads x key_dim x value_dim, per unit and element of the state:
enum class ScanKind {
  mamba,             // 7 FLOPs: decay, input and read-out (Mamba and Mamba-2; as Megatron-LM counts)
  gated_delta,       // 8: what the state holds under k, the correction written back, the read-out (Megatron-LM)
  linear_attention,  // 4: k v^T added, read out by q
};
struct ScanShape {
  ScanKind kind = ScanKind::mamba;
  std::int64_t heads = 1;
  std::int64_t key_dim = 0;  // the state size of Mamba
  std::int64_t value_dim = 0;
  std::int64_t parameters = 0;  // decay rates and skips
  bool operator==(const ScanShape&) const = default;
};

// Rows of `width` looked up by index: parameters, bytes, no FLOPs.
struct EmbeddingShape {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  bool operator==(const EmbeddingShape&) const = default;
};

// Elementwise or reducing work over `width` values per unit: bytes, no matmul FLOPs. `parameters` in all (a layer norm:
// 2 * width with bias).
struct ElementwiseShape {
  std::int64_t width = 0;
  std::int64_t parameters = 0;
  bool operator==(const ElementwiseShape&) const = default;
};

using OperatorShape = std::variant<MatmulShape, AttentionShape, EmbeddingShape, ElementwiseShape, ContractionShape,
                                   ConvolutionShape, ScanShape>;

// What an operator is for; conventions and sharding rules select by it.
enum class OperatorRole {
  token_embedding,
  position_embedding,
  norm,
  attention_projection,
  attention_core,
  mlp,
  router,
  expert,
  shared_expert,
  output_projection,
  mtp_projection,
  other,
  patch_embedding,
  mixer_projection,
  convolution,
  scan,
  indexer,
  adapter
};
std::string_view name(OperatorRole role);
std::optional<OperatorRole> parse_operator_role(std::string_view text);  // by its name

struct Operator {
  std::string id;  // "attention.q_proj"
  OperatorRole role = OperatorRole::other;
  OperatorShape shape;
  std::int64_t repeat = 1;  // inside its block
  bool trainable = true;
  // The weights are another operator's (a tied output projection): FLOPs yes, parameters no.
  bool shares_weights = false;
  std::optional<Precision> precision;  // when it differs from the workload's
  std::string unit;                    // what it runs once per; empty: the model's own unit
  bool reads_data = false;             // its input is data and needs no gradient, whatever is trained before it
  bool recomputed = false;  // its forward work is repeated in the backward pass, whatever the workload's policy
  bool operator==(const Operator&) const = default;
};

struct Block {
  std::string id;  // "layers", "dense_layers", "head"
  std::int64_t repeat = 1;
  std::vector<std::int64_t> layers;  // which of the model's layers (0-based) these are; empty: not a layer
  bool is_mtp = false;  // a multi-token-prediction module: trained, yet not part of the published parameter count
  std::vector<Operator> operators;
  std::string part;              // "vision", "text", "encoder": figures are given apart; empty: the model has one part
  bool is_forward_only = false;  // another model on the same batch (a teacher, a reward model): not of this one's count
  bool operator==(const Block&) const = default;
};

// --- Decoder transformers, by their published dimensions
// -------------------------------------------------------------- What a config.json or a catalogue entry says;
// analysis/flops/decoder.h expands it into operators.

struct MoeShape {
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_ffn = 0;             // summed width of the shared experts; 0: none
  bool shared_gate = false;                // Qwen2-MoE: a hidden x 1 gate on the shared expert
  std::int64_t first_dense_layers = 0;     // DeepSeek: the first layers are dense
  std::int64_t every = 1;                  // every n-th layer is MoE: layer i when (i + 1) % every == 0
  std::vector<std::int64_t> dense_layers;  // further layers that are dense, by index
  bool router_bias = false;                // with router: experts values per layer
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

// Lightning indexer (DeepSeek-V3.2): cheap scores of all keys choose the `keys` that attention sees.
struct IndexerShape {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t keys = 0;
  bool operator==(const IndexerShape&) const = default;
};

// Mamba (arXiv 2312.00752) when heads is 0, else Mamba-2 (arXiv 2405.21060).
struct MambaShape {
  std::int64_t inner = 0;
  std::int64_t state = 0;
  std::int64_t heads = 0;
  std::int64_t groups = 1;
  std::int64_t conv = 4;       // taps of the causal convolution
  std::int64_t step_rank = 0;  // Mamba: rank of the step size
  bool conv_bias = true;
  bool projection_bias = false;
  bool inner_norms = false;  // Jamba: norms of the step size and of B and C
  bool operator==(const MambaShape&) const = default;
};

// Gated delta net (arXiv 2412.06464).
struct DeltaNetShape {
  std::int64_t key_heads = 0;
  std::int64_t value_heads = 0;
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t conv = 4;
  bool operator==(const DeltaNetShape&) const = default;
};

// What mixes the tokens of a layer. `linear`: a hidden x hidden matrix in place of attention (Nemotron NAS).
enum class Mixer { attention, mamba, delta_net, linear, none };
enum class FeedForward { dense, experts, linear, none };

// One layer of a model whose layers differ in more than mask and experts.
struct LayerShape {
  Mixer mixer = Mixer::attention;
  FeedForward feed_forward = FeedForward::dense;
  std::int64_t kv_heads = 0;  // 0: the model's
  std::int64_t ffn = 0;       // 0: the model's
  bool operator==(const LayerShape&) const = default;
};

enum class NormKind { rms, layer, unweighted };  // layer: weight and bias; unweighted: no parameters (OLMo)

struct DecoderShape {
  std::string name;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;  // need not be hidden / heads
  std::int64_t ffn = 0;       // of the dense layers
  bool gated_mlp = true;      // three matrices (SwiGLU, GeGLU) or two
  std::int64_t vocab = 0;     // as trained: padded where the framework pads
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
  std::int64_t embedding_width =
      0;                      // OPT-350M: token embedding narrower than hidden, with in/out projections; 0: hidden
  bool qk_norm = false;       // over each head's dimension
  bool qk_norm_full = false;  // OLMo 2: over heads * head_dim
  bool output_gate = false;   // a gate of heads * head_dim beside q (Qwen3-Next)
  std::int64_t attention_sinks = 0;  // GPT-OSS: learned sink per head and layer (1: yes)
  std::optional<MoeShape> moe;
  std::optional<MlaShape> mla;
  std::vector<Mask> masks;              // one per layer; empty: causal everywhere; one entry: for all layers
  std::int64_t mtp_depth = 0;           // multi-token-prediction modules
  std::optional<IndexerShape> indexer;  // with mla
  std::optional<MambaShape> mamba;
  std::optional<DeltaNetShape> delta_net;
  std::vector<LayerShape> pattern;  // one per layer, in a hybrid; empty: attention and MLP or experts everywhere
  bool operator==(const DecoderShape&) const = default;
};

// A unit that operators name: how much of it one sample has, unless the workload says otherwise.
struct UnitLength {
  std::string name;
  std::int64_t length = 0;
  std::int64_t sequences = 1;
  bool extends_own = false;  // its sequences are those of the model's own unit, each longer by `length`
  bool operator==(const UnitLength&) const = default;
};

// One of each sample: what a head or a conditioning vector runs once per. Always known.
inline constexpr std::string_view kSampleUnit = "sample";

struct Architecture {
  std::string name;
  std::vector<Block> blocks;
  std::optional<DecoderShape> decoder;  // the dimensions it was built from; conventions that are formulas need them
  std::string unit = "token";           // its own
  std::int64_t default_length = 0;      // of a sample, in its own unit, where the model fixes or suggests it; else 0
  std::vector<UnitLength> units = {};   // the others that operators name
  bool operator==(const Architecture&) const = default;
};

}  // namespace nameplate
