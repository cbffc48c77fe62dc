#include "nameplate/inputs/model_config_parts.h"

#include <algorithm>

#include <fmt/format.h>

namespace nameplate::model_config {
namespace {

std::int64_t read_kv_heads(Keys& keys, const DecoderShape& s, std::int64_t fallback) {
  if (!keys.has(kKvHeads) && (fallback == 0 || keys.is_null(kKvHeads))) return s.heads;
  const std::int64_t kv_heads = keys.size_or(kKvHeads, fallback);
  if (kv_heads > s.heads || s.heads % kv_heads != 0) {
    keys.fail(kKvHeads.first(), fmt::format("{} attention heads and {} key/value heads", s.heads, kv_heads),
              "a number of key/value heads that divides the attention heads");
  }
  return kv_heads;
}

std::int64_t read_head_dim(Keys& keys, const DecoderShape& s, std::int64_t fallback) {
  if (keys.has(kHeadDim) || (fallback > 0 && !keys.is_null(kHeadDim))) return keys.size_or(kHeadDim, fallback);
  if (s.hidden % s.heads != 0 && !keys.has({"kv_lora_rank"})) {  // latent attention has sizes of its own
    keys.fail(kHeads.first(), fmt::format("{} heads do not divide the hidden size {}", s.heads, s.hidden),
              "a 'head_dim'");
  }
  return s.hidden / s.heads;
}

// The index lists may be long in a hostile file: sorted, without repetition, inside the model.
std::vector<std::int64_t> inside(std::vector<std::int64_t> layers, std::int64_t count) {
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  layers.erase(std::lower_bound(layers.begin(), layers.end(), count), layers.end());
  return layers;
}

std::vector<std::int64_t> dense_unless(std::int64_t layers, const std::function<bool(std::int64_t)>& is_moe) {
  std::vector<std::int64_t> dense;
  for (std::int64_t i = 0; i < layers; ++i) {
    if (!is_moe(i)) dense.push_back(i);
  }
  return dense;
}

// DeepSeek's rule counts from layer 0 (i % f == 0), Qwen's from 1 ((i + 1) % f == 0), so the former becomes a list.
void read_moe_layers(Keys& keys, std::int64_t layers, MoeShape& moe) {
  moe.first_dense_layers = keys.count({"first_k_dense_replace", "n_dense_layers"});
  moe.every = keys.size_if_given({"decoder_sparse_step", "interleave_moe_layer_step"}, 1);
  moe.dense_layers = inside(keys.indices("mlp_only_layers"), layers);
  if (keys.has({"moe_layers"})) {
    const std::vector<std::int64_t> listed = inside(keys.indices("moe_layers"), layers);
    moe.every = 1;
    moe.dense_layers =
        dense_unless(layers, [&](std::int64_t i) { return std::binary_search(listed.begin(), listed.end(), i); });
  }
  const Node* frequency = keys.find({"moe_layer_freq"});
  if (frequency == nullptr) return;
  if (frequency->is(Node::Kind::array)) {  // one 0 or 1 per layer
    const std::vector<std::int64_t> flags = keys.indices("moe_layer_freq");
    moe.dense_layers = dense_unless(layers, [&](std::int64_t i) {
      return i < static_cast<std::int64_t>(flags.size()) && flags[static_cast<std::size_t>(i)] != 0;
    });
  } else if (const std::int64_t step = keys.size({"moe_layer_freq"}); step > 1) {
    moe.dense_layers = dense_unless(layers, [&](std::int64_t i) { return i % step == 0; });
  }
}

Mask mask_of_type(Keys& keys, std::string_view type, const Mask& local) {
  constexpr std::string_view kKey = "layer_types";
  if (type == "full_attention") return {};
  const bool known = type == "sliding_attention" || type == "chunked_attention";
  if (!known) {
    keys.fail(kKey, fmt::format("'{}' layers, which are not attention + MLP; not counted yet", type),
              "full_attention, sliding_attention or chunked_attention");
  } else if (local.kind == MaskKind::causal) {
    keys.fail(kKey, fmt::format("'{}' layers without a window", type), "a 'sliding_window' or 'attention_chunk_size'");
  }
  return local;
}

// The shortest form: none when all are causal, one when all are alike.
std::vector<Mask> shortest(std::vector<Mask> masks) {
  const bool alike = std::all_of(masks.begin(), masks.end(), [&](const Mask& m) { return m == masks.front(); });
  if (!alike) return masks;
  if (masks.empty() || masks.front() == Mask{}) return {};
  return {masks.front()};
}

}  // namespace

DecoderShape read_dimensions(Keys& keys, const ClassDefaults& defaults) {
  DecoderShape s;
  s.layers = keys.size_or(kLayers, defaults.layers, kMostLayers);
  s.hidden = keys.size_or(kHidden, defaults.hidden);
  s.heads = keys.size_or(kHeads, defaults.heads);
  s.kv_heads = read_kv_heads(keys, s, defaults.kv_heads);
  s.head_dim = read_head_dim(keys, s, defaults.head_dim);
  constexpr Names kPadded = {"padded_vocab_size"};
  s.vocab = keys.has(kPadded) ? keys.size(kPadded) : keys.size_or(kVocab, defaults.vocab);
  s.tied_embeddings = keys.tied_embeddings(defaults.tied);
  return s;
}

DecoderShape read_gated_decoder(Keys& keys, const ClassDefaults& defaults) {
  DecoderShape s = read_dimensions(keys, defaults);
  s.mla = read_mla(keys);
  if (s.mla) s.head_dim = s.mla->nope_dim + s.mla->rope_dim;
  s.ffn = keys.size_or(kFfn, defaults.ffn);
  s.qkv_bias = keys.flag("attention_bias", false);
  s.attention_out_bias = s.qkv_bias;
  s.mlp_bias = keys.flag("mlp_bias", false);
  s.moe = read_moe(keys, s);
  return s;
}

DecoderShape read_plain_decoder(Keys& keys, const ClassDefaults& defaults) {
  DecoderShape s = read_dimensions(keys, defaults);
  s.ffn = keys.size_if_given(kFfn, 4 * s.hidden);
  s.gated_mlp = false;
  s.norm = NormKind::layer;
  s.qkv_bias = s.attention_out_bias = s.mlp_bias = true;
  return s;
}

std::vector<Mask> layer_masks(Keys& keys, std::int64_t layers, const Mask& local,
                              const std::function<bool(std::int64_t)>& is_local) {
  const std::vector<std::string_view> types = keys.words("layer_types");
  if (!types.empty() && static_cast<std::int64_t>(types.size()) != layers) {
    keys.fail("layer_types", fmt::format("{} layer types for {} layers", types.size(), layers), "one type per layer");
    return {};
  }
  std::vector<Mask> masks;
  for (std::int64_t i = 0; i < layers; ++i) {
    if (!types.empty()) {
      masks.push_back(mask_of_type(keys, types[static_cast<std::size_t>(i)], local));
    } else {
      masks.push_back(is_local(i) ? local : Mask{});
    }
  }
  return shortest(std::move(masks));
}

Mask sliding_mask(Keys& keys, std::int64_t fallback) {
  constexpr Names kWindow = {"sliding_window"};
  const bool absent = !keys.has(kWindow) && !keys.is_null(kWindow);
  const std::int64_t window = absent ? fallback : keys.count(kWindow);
  if (absent && fallback > 0) keys.note_default("sliding_window", fmt::format("{}", fallback));
  return window > 0 ? Mask{MaskKind::sliding, window} : Mask{};
}

std::optional<MoeShape> read_moe(Keys& keys, const DecoderShape& s) {
  const std::int64_t experts = keys.count(kExperts);
  if (experts == 0) return std::nullopt;
  MoeShape moe{.experts = experts, .experts_per_token = keys.size(kExpertsPerToken)};
  moe.expert_ffn = keys.size_if_given(kExpertFfn, s.ffn);
  moe.shared_ffn = keys.has({"shared_expert_intermediate_size"})
                       ? keys.count({"shared_expert_intermediate_size"})
                       : keys.count({"n_shared_experts", "num_shared_experts"}) * moe.expert_ffn;
  if (moe.experts_per_token > experts) {
    keys.fail(kExpertsPerToken.first(), fmt::format("{} experts per token of only {}", moe.experts_per_token, experts),
              "at most the number of experts");
  }
  read_moe_layers(keys, s.layers, moe);
  return moe;
}

std::optional<MlaShape> read_mla(Keys& keys) {
  if (!keys.has({"kv_lora_rank"})) return std::nullopt;
  return MlaShape{.q_rank = keys.count({"q_lora_rank"}),
                  .kv_rank = keys.size({"kv_lora_rank"}),
                  .nope_dim = keys.size({"qk_nope_head_dim"}),
                  .rope_dim = keys.size({"qk_rope_head_dim"}),
                  .v_dim = keys.size({"v_head_dim"})};
}

}  // namespace nameplate::model_config
