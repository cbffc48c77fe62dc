#include "nameplate/analysis/flops/decoder.h"

#include <algorithm>

#include <fmt/format.h>

#include "nameplate/analysis/flops/decoder_layers.h"
#include "nameplate/facts/operator_makers.h"

namespace nameplate {
namespace {

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

LayerShape layer_of(const DecoderShape& s, std::int64_t layer) {
  if (!s.pattern.empty()) return s.pattern[static_cast<std::size_t>(layer)];
  return {.feed_forward = layer_is_moe(s, layer) ? FeedForward::experts : FeedForward::dense};
}

std::string mask_suffix(const Mask& mask) {
  switch (mask.kind) {
    case MaskKind::causal:
      return {};
    case MaskKind::bidirectional:
      return "_bidirectional";
    case MaskKind::sliding:
      return fmt::format("_window_{}", mask.window);
    case MaskKind::chunked:
      return fmt::format("_chunk_{}", mask.window);
    case MaskKind::selected:
      return fmt::format("_selected_{}", mask.window);
    case MaskKind::band:
      return fmt::format("_band_{}", mask.window);
    case MaskKind::blocks:
      return fmt::format("_block_{}", mask.window);
  }
  return {};
}

std::string_view mixer_prefix(Mixer mixer) {
  switch (mixer) {
    case Mixer::attention:
      return "";
    case Mixer::mamba:
      return "mamba_";
    case Mixer::delta_net:
      return "delta_net_";
    case Mixer::linear:
      return "linear_";
    case Mixer::none:
      return "mlp_";
  }
  return {};
}

// "layers", "moe_layers", "mamba_layers", "layers_window_4096", "attention_layers" (nothing else in them).
std::string layer_block_id(const LayerShape& layer, const Mask& mask) {
  std::string id(mixer_prefix(layer.mixer));
  if (layer.feed_forward == FeedForward::experts) id += "moe_";
  if (layer.feed_forward == FeedForward::none && layer.mixer == Mixer::attention) id += "attention_";
  id += "layers";
  if (layer.feed_forward == FeedForward::none && layer.mixer != Mixer::attention) id += "_without_mlp";
  if (layer.ffn > 0) id += fmt::format("_ffn_{}", layer.ffn);
  if (layer.kv_heads > 0) id += fmt::format("_kv_heads_{}", layer.kv_heads);
  return layer.mixer == Mixer::attention ? id + mask_suffix(mask) : id;
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
  if (s.embedding_norm) block.operators.push_back(norm("embedding_norm", s.norm, s.hidden));
  if (width != s.hidden) {
    block.operators.push_back(matmul("embedding_in", OperatorRole::other, {.in = width, .out = s.hidden}));
  }
  return block;
}

Block head_block(const DecoderShape& s) {
  Block block{.id = "head"};
  if (s.final_norm) block.operators.push_back(norm("final_norm", s.norm, s.hidden));
  if (s.embedding_width > 0 && s.embedding_width != s.hidden) {
    block.operators.push_back(matmul("embedding_out", OperatorRole::other, {.in = s.hidden, .out = s.embedding_width}));
  }
  block.operators.push_back(output_projection(s, s.tied_embeddings));
  return block;
}

Block mtp_block(const DecoderShape& s) {
  Block block{.id = "mtp", .repeat = s.mtp_depth, .is_mtp = true};
  block.operators.push_back(norm("mtp.norms", s.norm, s.hidden, 3));
  block.operators.push_back(
      matmul("mtp.projection", OperatorRole::mtp_projection, {.in = 2 * s.hidden, .out = s.hidden}));
  for (Operator& op : layer_operators(s, layer_of(s, s.layers - 1), mask_of_layer(s, s.layers - 1))) {
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

Status check_mamba(const MambaShape& m) {
  if (Status bad = require_positive({{"inner width of Mamba", m.inner},
                                     {"state size of Mamba", m.state},
                                     {"taps of Mamba's convolution", m.conv},
                                     {"groups of Mamba", m.groups}})) {
    return bad;
  }
  if (m.heads > 0 && m.inner % m.heads != 0) {
    return error(fmt::format("{} Mamba heads do not divide the inner width {}", m.heads, m.inner));
  }
  return m.heads > 0 ? Status() : require_positive({{"step rank of Mamba", m.step_rank}});
}

Status check_attention(const DecoderShape& s, std::int64_t kv_heads) {
  if (Status bad = require_positive({{"number of attention heads", s.heads}})) return bad;
  if (s.mla) {
    return require_positive({{"key/value rank", s.mla->kv_rank},
                             {"value head dimension", s.mla->v_dim},
                             {"query/key head dimension", s.mla->nope_dim + s.mla->rope_dim}});
  }
  if (Status bad = require_positive({{"number of key/value heads", kv_heads}, {"head dimension", s.head_dim}})) {
    return bad;
  }
  if (kv_heads > s.heads || s.heads % kv_heads != 0) {
    return error(fmt::format("{} attention heads do not divide over {} key/value heads", s.heads, kv_heads));
  }
  return std::nullopt;
}

Status check_layer(const DecoderShape& s, const LayerShape& layer) {
  if (layer.mixer == Mixer::attention) {
    if (Status bad = check_attention(s, layer.kv_heads > 0 ? layer.kv_heads : s.kv_heads)) return bad;
  }
  if (layer.mixer == Mixer::mamba) {
    if (!s.mamba) return error("a Mamba layer without the sizes of Mamba");
    if (Status bad = check_mamba(*s.mamba)) return bad;
  }
  if (layer.mixer == Mixer::delta_net && !s.delta_net) return error("a delta-net layer without the sizes of its heads");
  if (layer.feed_forward == FeedForward::experts && !s.moe) return error("a layer of experts without their number");
  if (layer.feed_forward == FeedForward::dense) {
    return require_positive({{"feed-forward width", layer.ffn > 0 ? layer.ffn : s.ffn}});
  }
  return std::nullopt;
}

}  // namespace

Status check(const DecoderShape& s) {
  if (Status bad =
          require_positive({{"number of layers", s.layers}, {"hidden size", s.hidden}, {"vocabulary size", s.vocab}})) {
    return bad;
  }
  if (s.layers > 100'000) return error(fmt::format("the model has {} layers", s.layers), "give at most 100,000");
  if (s.mtp_depth < 0 || s.mtp_depth > 64)
    return error(fmt::format("the model has {} multi-token-prediction modules", s.mtp_depth));
  if (s.moe) {
    if (Status bad = check_moe(s)) return bad;
  }
  if (!s.pattern.empty() && static_cast<std::int64_t>(s.pattern.size()) != s.layers) {
    return error(fmt::format("a pattern of {} layers for {} layers", s.pattern.size(), s.layers));
  }
  for (std::int64_t layer = 0; layer < s.layers; ++layer) {
    if (Status bad = check_layer(s, layer_of(s, layer))) return bad;
  }
  if (s.indexer && (!s.mla || s.mla->q_rank <= 0)) return error("an indexer without a latent query");
  const auto masks = static_cast<std::int64_t>(s.masks.size());
  if (masks > 1 && masks != s.layers) {
    return error(fmt::format("{} attention masks for {} layers", masks, s.layers), "give none, one, or one per layer");
  }
  for (const Mask& mask : s.masks) {
    if (mask.kind != MaskKind::causal && mask.kind != MaskKind::bidirectional && mask.window <= 0) {
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
    const LayerShape kind = layer_of(s, layer);
    const std::string id = layer_block_id(kind, mask);
    auto begin = architecture.blocks.begin() + static_cast<std::ptrdiff_t>(first_layer_block);
    auto block = std::find_if(begin, architecture.blocks.end(), [&](const Block& b) { return b.id == id; });
    if (block == architecture.blocks.end()) {
      architecture.blocks.push_back({.id = id, .repeat = 0, .operators = layer_operators(s, kind, mask)});
      block = architecture.blocks.end() - 1;
    }
    block->layers.push_back(layer);
    ++block->repeat;
  }
  architecture.blocks.push_back(head_block(s));
  if (s.mtp_depth > 0) architecture.blocks.push_back(mtp_block(s));
  return architecture;
}

Architecture build_decoder(const DecoderShape& shape, Architecture towers) {
  Architecture decoder = build_decoder(shape);
  if (towers.blocks.empty()) return decoder;
  for (Block& block : decoder.blocks) {
    block.part = "text";
    towers.blocks.push_back(std::move(block));
  }
  towers.name = std::move(decoder.name);
  towers.decoder = std::move(decoder.decoder);
  return towers;
}

}  // namespace nameplate
