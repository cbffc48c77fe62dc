// GPT models of Korthikanti et al. 2022 (arXiv 2205.05198, table 3) and how the Megatron of then saved tensors.
#pragma once

#include "nameplate/facts/architecture.h"
#include "nameplate/facts/memory.h"

namespace nameplate {

struct GptSize {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
};

inline constexpr GptSize kGpt22B = {48, 6144, 64};
inline constexpr GptSize kGpt1T = {128, 25600, 160};

inline DecoderShape gpt_shape(const GptSize& size) {
  DecoderShape s;
  s.layers = size.layers;
  s.hidden = size.hidden;
  s.heads = s.kv_heads = size.heads;
  s.head_dim = size.hidden / size.heads;
  s.ffn = 4 * size.hidden;
  s.gated_mlp = false;
  s.vocab = 51200;
  s.tied_embeddings = true;
  s.norm = NormKind::layer;
  return s;
}

inline DecoderShape llama_shape(std::int64_t layers = 32) {
  DecoderShape s;
  s.layers = layers;
  s.hidden = 4096;
  s.heads = 32;
  s.kv_heads = 8;
  s.head_dim = 128;
  s.ffn = 14336;
  s.vocab = 128256;
  return s;
}

inline DecoderShape moe_shape() {
  DecoderShape s = llama_shape();
  s.moe =
      MoeShape{.experts = 64, .experts_per_token = 4, .expert_ffn = 1024, .shared_ffn = 1024, .first_dense_layers = 1};
  return s;
}

inline MemoryFacts megatron_2022() {
  MemoryFacts facts;
  facts.fused_attention = false;
  facts.dropout = true;
  facts.bytes_per_logit = 6;
  return facts;
}

}  // namespace nameplate
