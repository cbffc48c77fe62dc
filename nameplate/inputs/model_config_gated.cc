// Families with a gated MLP and RMS norms.
#include <fmt/format.h>

#include "nameplate/inputs/model_config_families.h"
#include "nameplate/inputs/model_config_parts.h"

namespace nameplate::model_config {
namespace {

bool everywhere(std::int64_t) { return true; }

// Qwen 2 and 3: the window holds from layer `max_window_layers` on, and only if it is switched on.
void read_qwen_masks(Keys& keys, DecoderShape& s) {
  if (!keys.flag("use_sliding_window", false)) return;
  const std::int64_t first = keys.has({"max_window_layers"}) ? keys.count({"max_window_layers"}) : 28;
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys, 4096), [&](std::int64_t i) { return i >= first; });
}

}  // namespace

DecoderShape read_llama(Keys& keys) {
  if (!keys.is_nested()) return read_gated_decoder(keys, {});
  return read_gated_decoder(keys, {.layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 32000});
}

DecoderShape read_like_llama(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  if (keys.flag("use_sliding_window", true)) s.masks = layer_masks(keys, s.layers, sliding_mask(keys), everywhere);
  s.mtp_depth = keys.count({"num_nextn_predict_layers"}, kMostPredictionModules);
  return s;
}

// Meta's own params.json: the MLP's width is 2/3 of 4 h, scaled and rounded up to a multiple.
DecoderShape read_meta_llama(Keys& keys) {
  DecoderShape s = read_dimensions(keys, {});
  const Node* scale = keys.find({"ffn_dim_multiplier"});
  const double multiplier = scale == nullptr ? 1.0 : scale->as_number().value_or(0.0);
  if (!(multiplier > 0 && multiplier <= 1024)) {
    keys.fail("ffn_dim_multiplier", fmt::format("'ffn_dim_multiplier' is {}", multiplier), "a number from 0 to 1024");
    return s;
  }
  const std::int64_t multiple = keys.size({"multiple_of"});
  const auto width = static_cast<std::int64_t>(multiplier * static_cast<double>(8 * s.hidden / 3));
  s.ffn = (width + multiple - 1) / multiple * multiple;
  if (s.ffn < 1 || s.ffn > kMostSize) {
    keys.fail("ffn_dim_multiplier", fmt::format("an MLP of width {}", s.ffn), fmt::format("at most {}", kMostSize));
  }
  return s;
}

DecoderShape read_mistral(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.kv_heads = 8});
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys, 4096), everywhere);
  return s;
}

DecoderShape read_qwen2(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  s.qkv_bias = true;
  s.attention_out_bias = false;
  read_qwen_masks(keys, s);
  return s;
}

DecoderShape read_qwen3(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.head_dim = 128});
  s.qk_norm = true;
  read_qwen_masks(keys, s);
  return s;
}

DecoderShape read_gemma(Keys& keys) { return read_gated_decoder(keys, {.head_dim = 256, .tied = true}); }

// Gemma 2 (arXiv 2408.00118): norms before and after each part, a window in every other layer, starting with the first.
DecoderShape read_gemma2(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.layers = 26,
                                             .hidden = 2304,
                                             .heads = 8,
                                             .kv_heads = 4,
                                             .head_dim = 256,
                                             .ffn = 9216,
                                             .vocab = 256000,
                                             .tied = true});
  s.norms_per_layer = 4;
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys, 4096), [](std::int64_t i) { return i % 2 == 0; });
  return s;
}

// Gemma 3 (arXiv 2503.19786): every sixth layer sees all keys. Its text_config is stored without the keys that equal
// the class's defaults.
DecoderShape read_gemma3(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.layers = 26,
                                             .hidden = 2304,
                                             .heads = 8,
                                             .kv_heads = 4,
                                             .head_dim = 256,
                                             .ffn = 9216,
                                             .vocab = 262208,
                                             .tied = true});
  s.norms_per_layer = 4;
  s.qk_norm = true;
  const std::int64_t period = keys.size_if_given({"sliding_window_pattern", "_sliding_window_pattern"}, 6);
  s.masks =
      layer_masks(keys, s.layers, sliding_mask(keys, 4096), [&](std::int64_t i) { return (i + 1) % period != 0; });
  return s;
}

DecoderShape read_phi3(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys), everywhere);
  return s;
}

// ChatGLM 2/3 and GLM-4 in their authors' own keys: grouped heads only if multi_query_attention says so.
DecoderShape read_chatglm(Keys& keys) {
  DecoderShape s = read_dimensions(keys, {});
  s.ffn = keys.size(kFfn);
  if (keys.flag("multi_query_attention", false)) {
    s.kv_heads = keys.size({"multi_query_group_num"});
    if (s.kv_heads > s.heads || s.heads % s.kv_heads != 0) {
      keys.fail("multi_query_group_num", fmt::format("{} groups for {} attention heads", s.kv_heads, s.heads),
                "a number that divides the attention heads");
    }
  }
  const bool bias = keys.flag("add_bias_linear", true);
  s.qkv_bias = bias || keys.flag("add_qkv_bias", false);
  s.attention_out_bias = s.mlp_bias = bias;
  if (!keys.flag("rmsnorm", true)) s.norm = NormKind::layer;
  s.final_norm = keys.flag("post_layer_norm", true);
  return s;
}

DecoderShape read_glm(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.head_dim = 128});
  s.attention_out_bias = false;
  return s;
}

DecoderShape read_glm4(Keys& keys) {
  DecoderShape s = read_glm(keys);
  s.norms_per_layer = 4;
  return s;
}

// Command R: attention and MLP in parallel behind one norm, which has a weight and no bias, as an RMS norm has.
DecoderShape read_cohere(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.tied = true});
  s.norms_per_layer = 1;
  s.qk_norm_full = keys.flag("use_qk_norm", false);
  return s;
}

// Command R7B and A: a window in three of four layers.
DecoderShape read_cohere2(Keys& keys) {
  DecoderShape s = read_cohere(keys);
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys, 4096), [](std::int64_t i) { return (i + 1) % 4 != 0; });
  return s;
}

DecoderShape read_stablelm(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  s.norm = NormKind::layer;
  s.qkv_bias = keys.flag("use_qkv_bias", false);
  s.attention_out_bias = false;
  if (keys.flag("use_parallel_residual", false)) s.norms_per_layer = 1;
  if (keys.flag("qk_layernorm", false)) {
    keys.fail("qk_layernorm", "norms of queries and keys without biases, not counted yet", "'qk_layernorm' false");
  }
  return s;
}

// OLMo (arXiv 2402.00838), section 2.1: layer norms without weights.
DecoderShape read_olmo(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  s.norm = NormKind::unweighted;
  return s;
}

// OLMo 2 (arXiv 2501.00656), section 3: norms after attention and MLP only, queries and keys normed over all heads.
DecoderShape read_olmo2(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {});
  s.qk_norm_full = true;
  return s;
}

// OLMo 3 adds a window in three of four layers.
DecoderShape read_olmo3(Keys& keys) {
  DecoderShape s = read_olmo2(keys);
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys, 4096), [](std::int64_t i) { return (i + 1) % 4 != 0; });
  return s;
}

}  // namespace nameplate::model_config
