#include "nameplate/analysis/flops/decoder.h"

#include <algorithm>

#include <fmt/format.h>

namespace nameplate {
namespace {

Operator matmul(std::string id, OperatorRole role, MatmulShape shape) {
  return {.id = std::move(id), .role = role, .shape = shape};
}

std::int64_t norm_parameters(const DecoderShape& s, std::int64_t width) {
  if (s.norm == NormKind::unweighted) return 0;
  return s.norm == NormKind::layer ? 2 * width : width;
}

Operator norm(const DecoderShape& s, std::string id, std::int64_t width, std::int64_t repeat = 1) {
  return {.id = std::move(id),
          .role = OperatorRole::norm,
          .shape = ElementwiseShape{width, norm_parameters(s, width)},
          .repeat = repeat};
}

Operator rms_norm(std::string id, std::int64_t width) {
  return {.id = std::move(id), .role = OperatorRole::norm, .shape = ElementwiseShape{width, width}};
}

void add_grouped_attention(const DecoderShape& s, const Mask& mask, std::vector<Operator>& ops) {
  const std::int64_t q_width = s.heads * s.head_dim;
  const std::int64_t kv_width = s.kv_heads * s.head_dim;
  const auto role = OperatorRole::attention_projection;
  const std::int64_t q_out = s.output_gate ? 2 * q_width : q_width;
  ops.push_back(matmul("attention.q", role, {.in = s.hidden, .out = q_out, .bias = s.qkv_bias}));
  ops.push_back(matmul("attention.k", role, {.in = s.hidden, .out = kv_width, .bias = s.qkv_bias}));
  ops.push_back(matmul("attention.v", role, {.in = s.hidden, .out = kv_width, .bias = s.qkv_bias}));
  if (s.qk_norm) {
    ops.push_back({.id = "attention.qk_norm",
                   .role = OperatorRole::norm,
                   .shape = ElementwiseShape{q_width + kv_width, 2 * norm_parameters(s, s.head_dim)}});
  }
  if (s.qk_norm_full) {
    ops.push_back(
        {.id = "attention.qk_norm",
         .role = OperatorRole::norm,
         .shape = ElementwiseShape{q_width + kv_width, norm_parameters(s, q_width) + norm_parameters(s, kv_width)}});
  }
  if (s.attention_sinks > 0) {
    ops.push_back({.id = "attention.sinks", .shape = ElementwiseShape{s.heads, s.heads * s.attention_sinks}});
  }
  ops.push_back({.id = "attention.core",
                 .role = OperatorRole::attention_core,
                 .shape = AttentionShape{s.heads, s.kv_heads, s.head_dim, s.head_dim, mask}});
  ops.push_back(matmul("attention.out", role, {.in = q_width, .out = s.hidden, .bias = s.attention_out_bias}));
}

// DeepSeek-V2 (arXiv 2405.04434), section 2.1, as trained: the up-projections are applied, not absorbed.
void add_latent_attention(const DecoderShape& s, const MlaShape& mla, const Mask& mask, std::vector<Operator>& ops) {
  const auto role = OperatorRole::attention_projection;
  const std::int64_t qk_dim = mla.nope_dim + mla.rope_dim;
  if (mla.q_rank > 0) {
    ops.push_back(matmul("attention.q_down", role, {.in = s.hidden, .out = mla.q_rank, .bias = s.qkv_bias}));
    ops.push_back(rms_norm("attention.q_norm", mla.q_rank));
    ops.push_back(matmul("attention.q_up", role, {.in = mla.q_rank, .out = s.heads * qk_dim}));
  } else {
    ops.push_back(matmul("attention.q", role, {.in = s.hidden, .out = s.heads * qk_dim}));
  }
  ops.push_back(
      matmul("attention.kv_down", role, {.in = s.hidden, .out = mla.kv_rank + mla.rope_dim, .bias = s.qkv_bias}));
  ops.push_back(rms_norm("attention.kv_norm", mla.kv_rank));
  ops.push_back(matmul("attention.kv_up", role, {.in = mla.kv_rank, .out = s.heads * (mla.nope_dim + mla.v_dim)}));
  ops.push_back({.id = "attention.core",
                 .role = OperatorRole::attention_core,
                 .shape = AttentionShape{s.heads, s.heads, qk_dim, mla.v_dim, mask}});
  ops.push_back(
      matmul("attention.out", role, {.in = s.heads * mla.v_dim, .out = s.hidden, .bias = s.attention_out_bias}));
}

struct MlpShape {
  std::string prefix;
  OperatorRole role;
  std::int64_t ffn;
  std::int64_t instances = 1;
  std::int64_t active = 1;
  bool bias = false;
};

void add_mlp(const DecoderShape& s, const MlpShape& m, std::vector<Operator>& ops) {
  const MatmulShape up{.in = s.hidden, .out = m.ffn, .instances = m.instances, .active = m.active, .bias = m.bias};
  const MatmulShape down{.in = m.ffn, .out = s.hidden, .instances = m.instances, .active = m.active, .bias = m.bias};
  if (s.gated_mlp) ops.push_back(matmul(m.prefix + ".gate", m.role, up));
  ops.push_back(matmul(m.prefix + ".up", m.role, up));
  ops.push_back(matmul(m.prefix + ".down", m.role, down));
}

void add_moe(const DecoderShape& s, const MoeShape& moe, std::vector<Operator>& ops) {
  ops.push_back(
      matmul("moe.router", OperatorRole::router, {.in = s.hidden, .out = moe.experts, .bias = moe.router_bias}));
  add_mlp(s, {"moe.experts", OperatorRole::expert, moe.expert_ffn, moe.experts, moe.experts_per_token, moe.expert_bias},
          ops);
  if (moe.shared_ffn > 0) {
    add_mlp(
        s,
        {.prefix = "moe.shared", .role = OperatorRole::shared_expert, .ffn = moe.shared_ffn, .bias = moe.expert_bias},
        ops);
    if (moe.shared_gate) { ops.push_back(matmul("moe.shared_gate", OperatorRole::router, {.in = s.hidden, .out = 1})); }
  }
}

std::vector<Operator> layer_operators(const DecoderShape& s, const Mask& mask, bool is_moe) {
  std::vector<Operator> ops;
  if (s.norms_per_layer > 0) ops.push_back(norm(s, "norms", s.hidden, s.norms_per_layer));
  if (s.mla) {
    add_latent_attention(s, *s.mla, mask, ops);
  } else {
    add_grouped_attention(s, mask, ops);
  }
  if (is_moe) {
    add_moe(s, *s.moe, ops);
  } else {
    add_mlp(s, {.prefix = "mlp", .role = OperatorRole::mlp, .ffn = s.ffn, .bias = s.mlp_bias}, ops);
  }
  return ops;
}

Mask mask_of_layer(const DecoderShape& s, std::int64_t layer) {
  if (s.masks.empty()) return {};
  return s.masks.size() == 1 ? s.masks[0] : s.masks[static_cast<std::size_t>(layer)];
}

bool layer_is_moe(const DecoderShape& s, std::int64_t layer) {
  if (!s.moe) return false;
  const MoeShape& moe = *s.moe;
  if (layer < moe.first_dense_layers) return false;
  if (std::find(moe.dense_layers.begin(), moe.dense_layers.end(), layer) != moe.dense_layers.end()) return false;
  return (layer + 1) % moe.every == 0;
}

std::string layer_block_id(const Mask& mask, bool moe) {
  std::string id = moe ? "moe_layers" : "layers";
  if (mask.kind == MaskKind::sliding) id += fmt::format("_window_{}", mask.window);
  if (mask.kind == MaskKind::chunked) id += fmt::format("_chunk_{}", mask.window);
  if (mask.kind == MaskKind::bidirectional) id += "_bidirectional";
  return id;
}

Operator output_projection(const DecoderShape& s, bool shares_weights) {
  Operator op =
      matmul("output_projection", OperatorRole::output_projection,
             {.in = s.embedding_width > 0 ? s.embedding_width : s.hidden, .out = s.vocab, .bias = s.output_bias});
  op.shares_weights = shares_weights;
  return op;
}

Block embedding_block(const DecoderShape& s) {
  Block block{.id = "embedding"};
  const std::int64_t width = s.embedding_width > 0 ? s.embedding_width : s.hidden;
  block.operators.push_back(
      {.id = "token_embedding", .role = OperatorRole::token_embedding, .shape = EmbeddingShape{s.vocab, width}});
  if (s.learned_positions > 0) {
    block.operators.push_back({.id = "position_embedding",
                               .role = OperatorRole::position_embedding,
                               .shape = EmbeddingShape{s.learned_positions, s.hidden}});
  }
  if (s.embedding_norm) block.operators.push_back(norm(s, "embedding_norm", s.hidden));
  if (width != s.hidden) {
    block.operators.push_back(matmul("embedding_in", OperatorRole::other, {.in = width, .out = s.hidden}));
  }
  return block;
}

Block head_block(const DecoderShape& s) {
  Block block{.id = "head"};
  if (s.final_norm) block.operators.push_back(norm(s, "final_norm", s.hidden));
  if (s.embedding_width > 0 && s.embedding_width != s.hidden) {
    block.operators.push_back(matmul("embedding_out", OperatorRole::other, {.in = s.hidden, .out = s.embedding_width}));
  }
  block.operators.push_back(output_projection(s, s.tied_embeddings));
  return block;
}

Block mtp_block(const DecoderShape& s) {
  Block block{.id = "mtp", .repeat = s.mtp_depth, .is_mtp = true};
  block.operators.push_back(norm(s, "mtp.norms", s.hidden, 3));
  block.operators.push_back(
      matmul("mtp.projection", OperatorRole::mtp_projection, {.in = 2 * s.hidden, .out = s.hidden}));
  for (Operator& op : layer_operators(s, mask_of_layer(s, s.layers - 1), layer_is_moe(s, s.layers - 1))) {
    op.id = "mtp." + op.id;
    block.operators.push_back(std::move(op));
  }
  Operator head = output_projection(s, true);
  head.id = "mtp.output_projection";
  block.operators.push_back(std::move(head));
  return block;
}

struct PositiveField {
  std::string_view name;
  std::int64_t value;
};

Status require_positive(std::initializer_list<PositiveField> fields) {
  for (const PositiveField& field : fields) {
    if (field.value <= 0 || field.value > 1'000'000'000) {
      return error(fmt::format("the model's {} is {}", field.name, field.value), "give a positive integer below 1e9");
    }
  }
  return std::nullopt;
}

Status check_moe(const DecoderShape& s) {
  const MoeShape& moe = *s.moe;
  if (Status bad = require_positive({{"experts", moe.experts},
                                     {"experts per token", moe.experts_per_token},
                                     {"expert ffn width", moe.expert_ffn},
                                     {"MoE layer step", moe.every}})) {
    return bad;
  }
  if (moe.experts_per_token > moe.experts) {
    return error(fmt::format("{} experts per token of only {} experts", moe.experts_per_token, moe.experts));
  }
  return std::nullopt;
}

}  // namespace

Status check(const DecoderShape& s) {
  if (Status bad = require_positive({{"number of layers", s.layers},
                                     {"hidden size", s.hidden},
                                     {"number of attention heads", s.heads},
                                     {"vocabulary size", s.vocab}})) {
    return bad;
  }
  if (s.layers > 100'000) return error(fmt::format("the model has {} layers", s.layers), "give at most 100,000");
  if (s.mtp_depth < 0 || s.mtp_depth > 64)
    return error(fmt::format("the model has {} multi-token-prediction modules", s.mtp_depth));
  if (!s.mla) {
    if (Status bad = require_positive({{"number of key/value heads", s.kv_heads}, {"head dimension", s.head_dim}}))
      return bad;
    if (s.kv_heads > s.heads || s.heads % s.kv_heads != 0) {
      return error(fmt::format("{} attention heads do not divide over {} key/value heads", s.heads, s.kv_heads));
    }
  } else if (Status bad = require_positive({{"key/value rank", s.mla->kv_rank},
                                            {"value head dimension", s.mla->v_dim},
                                            {"query/key head dimension", s.mla->nope_dim + s.mla->rope_dim}})) {
    return bad;
  }
  if (s.moe) {
    if (Status bad = check_moe(s)) return bad;
  }
  bool any_dense = false;
  for (std::int64_t layer = 0; layer < s.layers && !any_dense; ++layer) any_dense = !layer_is_moe(s, layer);
  if (any_dense) {
    if (Status bad = require_positive({{"feed-forward width", s.ffn}})) return bad;
  }
  const auto masks = static_cast<std::int64_t>(s.masks.size());
  if (masks > 1 && masks != s.layers) {
    return error(fmt::format("{} attention masks for {} layers", masks, s.layers), "give none, one, or one per layer");
  }
  for (const Mask& mask : s.masks) {
    if ((mask.kind == MaskKind::sliding || mask.kind == MaskKind::chunked) && mask.window <= 0) {
      return error(fmt::format("an attention window of {} keys", mask.window));
    }
  }
  return std::nullopt;
}

Architecture build_decoder(const DecoderShape& s) {
  Architecture architecture{.name = s.name, .decoder = s};
  architecture.blocks.push_back(embedding_block(s));
  const std::size_t first_layer_block = architecture.blocks.size();
  for (std::int64_t layer = 0; layer < s.layers; ++layer) {
    const Mask mask = mask_of_layer(s, layer);
    const bool moe = layer_is_moe(s, layer);
    const std::string id = layer_block_id(mask, moe);
    auto begin = architecture.blocks.begin() + static_cast<std::ptrdiff_t>(first_layer_block);
    auto block = std::find_if(begin, architecture.blocks.end(), [&](const Block& b) { return b.id == id; });
    if (block == architecture.blocks.end()) {
      architecture.blocks.push_back({.id = id, .repeat = 0, .operators = layer_operators(s, mask, moe)});
      block = architecture.blocks.end() - 1;
    }
    block->layers.push_back(layer);
    ++block->repeat;
  }
  architecture.blocks.push_back(head_block(s));
  if (s.mtp_depth > 0) architecture.blocks.push_back(mtp_block(s));
  return architecture;
}

}  // namespace nameplate
