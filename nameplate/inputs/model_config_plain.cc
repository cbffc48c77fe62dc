// Families with a two-matrix MLP and layer norms.
#include "nameplate/inputs/model_config_families.h"
#include "nameplate/inputs/model_config_parts.h"

namespace nameplate::model_config {

DecoderShape read_gpt2(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {.tied = true});
  s.learned_positions = keys.size_or(kPositions, 1024);
  return s;
}

// StarCoder: GPT-2 with one key/value head.
DecoderShape read_gpt_bigcode(Keys& keys) {
  DecoderShape s = read_gpt2(keys);
  if (keys.flag("multi_query", true)) s.kv_heads = 1;
  return s;
}

DecoderShape read_starcoder2(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {.tied = true});
  s.qkv_bias = s.attention_out_bias = s.mlp_bias = keys.flag("use_bias", true);
  s.masks = layer_masks(keys, s.layers, sliding_mask(keys), [](std::int64_t) { return true; });
  return s;
}

DecoderShape read_megatron(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {.tied = true});
  s.learned_positions = keys.count(kPositions);
  return s;
}

DecoderShape read_gpt_neox(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {});
  s.qkv_bias = s.attention_out_bias = keys.flag("attention_bias", true);
  return s;
}

// Falcon (arXiv 2311.16867). Attention and MLP in parallel share one norm (7B) or have one each (40B, 180B); the first
// releases are called RefinedWeb and spell their keys n_layer, n_head, n_head_kv.
DecoderShape read_falcon(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {.tied = true});
  const bool grouped = keys.flag("new_decoder_architecture", keys.has({"n_head_kv"}));
  if (!grouped) s.kv_heads = keys.flag("multi_query", true) ? 1 : s.heads;
  if (grouped) {
    s.norms_per_layer = keys.size_if_given({"num_ln_in_parallel_attn"}, 2);
  } else {
    s.norms_per_layer = keys.flag("parallel_attn", true) ? 1 : 2;
  }
  s.qkv_bias = s.attention_out_bias = s.mlp_bias = keys.flag("bias", false);
  return s;
}

// Nemotron 3 and 4, Minitron: squared ReLU, no biases outside the norms.
DecoderShape read_nemotron(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {});
  s.qkv_bias = s.attention_out_bias = keys.flag("attention_bias", false);
  s.mlp_bias = keys.flag("mlp_bias", false);
  return s;
}

DecoderShape read_bloom(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {.tied = true});
  s.embedding_norm = true;
  return s;
}

// OPT (arXiv 2205.01068): two rows more in the position table than positions; the 350M model embeds into half its width
// and, norming after each part, has no final norm.
DecoderShape read_opt(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {.tied = true});
  s.learned_positions = keys.size_or(kPositions, 2048) + 2;
  const std::int64_t width = keys.size_if_given({"word_embed_proj_dim"}, s.hidden);
  if (width != s.hidden) s.embedding_width = width;
  s.final_norm = keys.flag("do_layer_norm_before", true) && !keys.flag("_remove_final_layer_norm", false);
  s.qkv_bias = s.attention_out_bias = s.mlp_bias = keys.flag("enable_bias", true);
  return s;
}

// Phi 1, 1.5 and 2: attention and MLP in parallel behind one norm; the output projection has a bias.
DecoderShape read_phi(Keys& keys) {
  DecoderShape s = read_plain_decoder(keys, {});
  s.norms_per_layer = 1;
  s.output_bias = true;
  s.qk_norm = keys.flag("qk_layernorm", false);
  return s;
}

}  // namespace nameplate::model_config
