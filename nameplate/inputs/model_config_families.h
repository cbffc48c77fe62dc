// One reader per family of decoder transformers, in one table by model_type.
//
// Each reader says how its family differs from the shared parts (model_config_parts.h). Source of defaults and
// structure: the configuration and modelling code of the family in Hugging Face transformers 4.x, or its authors' own
// repository.
#pragma once

#include <span>
#include <string_view>

#include "nameplate/facts/architecture.h"
#include "nameplate/inputs/model_config_keys.h"

namespace nameplate::model_config {

using Reader = DecoderShape (*)(Keys&);

struct Family {
  std::string_view model_type;
  Reader reader;
};

std::span<const Family> families();
Reader find_reader(std::string_view model_type);  // nullptr: not in the table

// Gated MLP, RMS norms: model_config_gated.cc.
DecoderShape read_llama(Keys& keys);
DecoderShape read_like_llama(Keys& keys);  // a family that is not in the table: windows, experts, MTP by the usual keys
DecoderShape read_meta_llama(Keys& keys);
DecoderShape read_mistral(Keys& keys);
DecoderShape read_qwen2(Keys& keys);
DecoderShape read_qwen3(Keys& keys);
DecoderShape read_gemma(Keys& keys);
DecoderShape read_gemma2(Keys& keys);
DecoderShape read_gemma3(Keys& keys);
DecoderShape read_phi3(Keys& keys);
DecoderShape read_chatglm(Keys& keys);
DecoderShape read_glm(Keys& keys);
DecoderShape read_glm4(Keys& keys);
DecoderShape read_cohere(Keys& keys);
DecoderShape read_cohere2(Keys& keys);
DecoderShape read_stablelm(Keys& keys);
DecoderShape read_olmo(Keys& keys);
DecoderShape read_olmo2(Keys& keys);
DecoderShape read_olmo3(Keys& keys);

// Mixture of experts, latent attention: model_config_moe.cc.
DecoderShape read_mixtral(Keys& keys);
DecoderShape read_qwen2_moe(Keys& keys);
DecoderShape read_deepseek(Keys& keys);
DecoderShape read_glm4_moe(Keys& keys);
DecoderShape read_gpt_oss(Keys& keys);
DecoderShape read_llama4(Keys& keys);

DecoderShape read_deepseek_sparse(Keys& keys);  // DeepSeek-V3.2 and GLM-5: keys chosen by an indexer

// Layers of several kinds: model_config_hybrid.cc.
DecoderShape read_jamba(Keys& keys);
DecoderShape read_mamba(Keys& keys);
DecoderShape read_mamba2(Keys& keys);
DecoderShape read_nemotron_h(Keys& keys);
DecoderShape read_nemotron_nas(Keys& keys);
DecoderShape read_qwen3_next(Keys& keys);

// Two-matrix MLP, layer norms: model_config_plain.cc.
DecoderShape read_gpt2(Keys& keys);
DecoderShape read_gpt_bigcode(Keys& keys);
DecoderShape read_starcoder2(Keys& keys);
DecoderShape read_nemotron(Keys& keys);
DecoderShape read_megatron(Keys& keys);  // a GPT that names no family
DecoderShape read_gpt_neox(Keys& keys);
DecoderShape read_falcon(Keys& keys);
DecoderShape read_bloom(Keys& keys);
DecoderShape read_opt(Keys& keys);
DecoderShape read_phi(Keys& keys);

}  // namespace nameplate::model_config
