// Published dimensions of a few models, typed in here from their reports for the tests of this folder.
#pragma once

#include "nameplate/facts/architecture.h"

namespace nameplate::shapes {

inline DecoderShape llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv,
                          std::int64_t ffn, std::int64_t vocab) {
  return {.layers = layers,
          .hidden = hidden,
          .heads = heads,
          .kv_heads = kv,
          .head_dim = hidden / heads,
          .ffn = ffn,
          .vocab = vocab};
}
inline DecoderShape llama_3_8b() { return llama(32, 4096, 32, 8, 14336, 128256); }
inline DecoderShape llama_3_70b() { return llama(80, 8192, 64, 8, 28672, 128256); }
inline DecoderShape llama_3_1_405b() { return llama(126, 16384, 128, 8, 53248, 128256); }

inline DecoderShape qwen3_30b_a3b() {
  return {.layers = 48,
          .hidden = 2048,
          .heads = 32,
          .kv_heads = 4,
          .head_dim = 128,
          .ffn = 6144,
          .vocab = 151936,
          .qk_norm = true,
          .moe = MoeShape{.experts = 128, .experts_per_token = 8, .expert_ffn = 768}};
}
inline DecoderShape mixtral_8x7b() {
  DecoderShape s = llama(32, 4096, 32, 8, 14336, 32000);
  s.moe = MoeShape{.experts = 8, .experts_per_token = 2, .expert_ffn = 14336};
  return s;
}
inline DecoderShape deepseek_v3(std::int64_t mtp) {
  return {
      .layers = 61,
      .hidden = 7168,
      .heads = 128,
      .kv_heads = 128,
      .head_dim = 192,
      .ffn = 18432,
      .vocab = 129280,
      .moe =
          MoeShape{
              .experts = 256, .experts_per_token = 8, .expert_ffn = 2048, .shared_ffn = 2048, .first_dense_layers = 3},
      .mla = MlaShape{.q_rank = 1536, .kv_rank = 512, .nope_dim = 128, .rope_dim = 64, .v_dim = 128},
      .mtp_depth = mtp};
}
// GPT-2 style: four-times MLP, biases everywhere, learned positions, tied embeddings.
inline DecoderShape gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t positions,
                        std::int64_t vocab) {
  return {.layers = layers,
          .hidden = hidden,
          .heads = heads,
          .kv_heads = heads,
          .head_dim = hidden / heads,
          .ffn = 4 * hidden,
          .gated_mlp = false,
          .vocab = vocab,
          .tied_embeddings = true,
          .learned_positions = positions,
          .qkv_bias = true,
          .attention_out_bias = true,
          .mlp_bias = true,
          .norm = NormKind::layer};
}
inline DecoderShape gpt2() { return gpt(12, 768, 12, 1024, 50257); }
inline DecoderShape gpt3_175b() { return gpt(96, 12288, 96, 2048, 51200); }

}  // namespace nameplate::shapes
