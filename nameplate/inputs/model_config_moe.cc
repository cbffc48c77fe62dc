// Families with a mixture of experts.
#include "nameplate/inputs/model_config_families.h"
#include "nameplate/inputs/model_config_parts.h"

namespace nameplate::model_config {
namespace {

void require_experts(Keys& keys, const DecoderShape& s) {
  if (!s.moe) keys.fail({}, "a mixture of experts without a number of experts", "'num_experts' under its family's key");
}

}  // namespace

DecoderShape read_mixtral(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.kv_heads = 8});
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys), [](std::int64_t) { return true; });
  require_experts(keys, s);
  return s;
}

DecoderShape read_qwen2_moe(Keys& keys) {
  DecoderShape s = read_qwen2(keys);
  require_experts(keys, s);
  if (s.moe) s.moe->shared_gate = s.moe->shared_ffn > 0;
  return s;
}

// DeepSeek-V2 (arXiv 2405.04434), V3 (arXiv 2412.19437) and Kimi K2. With topk_method "noaux_tc" (in the authors' own
// keys: score_func "sigmoid") each router has a bias for balancing the load, which is in the published count.
DecoderShape read_deepseek(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  if (s.moe) { s.moe->router_bias = keys.text("topk_method") == "noaux_tc" || keys.text("score_func") == "sigmoid"; }
  s.mtp_depth = keys.count({"num_nextn_predict_layers"}, kMostPredictionModules);
  return s;
}

// DeepSeek-V3.2 (technical report, section 2.1).
DecoderShape read_deepseek_sparse(Keys& keys) {
  DecoderShape s = read_deepseek(keys);
  s.indexer = IndexerShape{.heads = keys.size({"index_n_heads"}),
                           .head_dim = keys.size({"index_head_dim"}),
                           .keys = keys.size({"index_topk"})};
  return s;
}

DecoderShape read_glm4_moe(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  require_experts(keys, s);
  s.attention_out_bias = false;
  s.qk_norm = keys.flag("use_qk_norm", false);
  if (s.moe) s.moe->router_bias = true;
  s.mtp_depth = keys.count({"num_nextn_predict_layers"}, kMostPredictionModules);
  return s;
}

// GPT-OSS (model card, August 2025): a window in every other layer, starting with the first; biases on attention,
// router and experts; one learned sink per head.
DecoderShape read_gpt_oss(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.kv_heads = 8, .head_dim = 64});
  require_experts(keys, s);
  s.qkv_bias = s.attention_out_bias = keys.flag("attention_bias", true);
  s.attention_sinks = 1;
  if (s.moe) s.moe->router_bias = s.moe->expert_bias = true;
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys, 128), [](std::int64_t i) { return i % 2 == 0; });
  return s;
}

// Llama 4: one shared expert as wide as a routed one, dense layers of another width, chunks in three of four layers.
// Its norm of queries and keys has no weights.
DecoderShape read_llama4(Keys& keys) {
  DecoderShape s = read_gated_decoder(
      keys, {.layers = 48, .hidden = 5120, .heads = 40, .kv_heads = 8, .head_dim = 128, .ffn = 8192, .vocab = 202048});
  require_experts(keys, s);
  if (s.moe) s.moe->shared_ffn = s.moe->expert_ffn;
  s.ffn = keys.size_if_given({"intermediate_size_mlp"}, s.ffn);
  constexpr Names kChunk = {"attention_chunk_size"};
  const std::int64_t chunk = keys.is_null(kChunk) ? 0 : keys.size_or(kChunk, 8192);
  const Mask local = chunk > 0 ? Mask{MaskKind::chunked, chunk} : Mask{};
  const std::vector<std::int64_t> rotary = keys.indices("no_rope_layers");  // 1: rotary positions, chunked
  s.masks = layer_masks(keys, s.layers, local, [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    return index < rotary.size() ? rotary[index] != 0 : (i + 1) % 4 != 0;
  });
  return s;
}

}  // namespace nameplate::model_config
