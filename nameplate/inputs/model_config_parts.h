// The parts that families share: dimensions, masks of layers, mixture of experts, latent attention.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "nameplate/facts/architecture.h"
#include "nameplate/inputs/model_config_keys.h"

namespace nameplate::model_config {

// What a family's configuration class takes for a key that is absent; 0: the key is required (kv_heads: as heads;
// head_dim: hidden / heads).
struct ClassDefaults {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;
  std::int64_t vocab = 0;
  bool tied = false;
};

// layers, hidden, heads, kv_heads, head_dim, vocab and tied_embeddings.
DecoderShape read_dimensions(Keys& keys, const ClassDefaults& defaults);
// As read_dimensions, with a gated MLP, RMS norms, `attention_bias` and `mlp_bias`, experts and latent attention where
// the keys are there.
DecoderShape read_gated_decoder(Keys& keys, const ClassDefaults& defaults);
// As read_dimensions, with a two-matrix MLP (4 * hidden unless given), layer norms and biases everywhere.
DecoderShape read_plain_decoder(Keys& keys, const ClassDefaults& defaults);

// One mask per layer: `local` in the layers that `layer_types` or, without that list, `is_local` says; causal in the
// others.
std::vector<Mask> layer_masks(Keys& keys, std::int64_t layers, const Mask& local,
                              const std::function<bool(std::int64_t)>& is_local);
// A sliding mask of the window under `key` (causal when there is none), or `fallback` keys where the key is absent.
Mask sliding_mask(Keys& keys, std::int64_t fallback = 0);

// Experts where the file has them; which layers are dense follows from first_k_dense_replace, moe_layer_freq
// (DeepSeek), decoder_sparse_step, mlp_only_layers (Qwen), interleave_moe_layer_step, moe_layers (Llama 4).
std::optional<MoeShape> read_moe(Keys& keys, const DecoderShape& shape);
std::optional<MlaShape> read_mla(Keys& keys);

}  // namespace nameplate::model_config
