#include "nameplate/inputs/model_config_families.h"

#include <algorithm>

namespace nameplate::model_config {
namespace {

constexpr Family kFamilies[] = {
    {"bloom", read_bloom},
    {"chatglm", read_chatglm},
    {"cohere", read_cohere},
    {"cohere2", read_cohere2},
    {"deepseek_v2", read_deepseek},
    {"deepseek_v3", read_deepseek},
    {"deepseek_v32", read_deepseek_sparse},
    {"dense", read_llama},  // SimuMax
    {"falcon", read_falcon},
    {"gemma", read_gemma},
    {"gemma2", read_gemma2},
    {"gemma3", read_gemma3},
    {"gemma3_text", read_gemma3},
    {"glm", read_glm},
    {"glm4", read_glm4},
    {"glm4_moe", read_glm4_moe},
    {"glm_moe_dsa", read_deepseek_sparse},
    {"gpt2", read_gpt2},
    {"gpt_bigcode", read_gpt_bigcode},
    {"gpt_neox", read_gpt_neox},
    {"gpt_oss", read_gpt_oss},
    {"jamba", read_jamba},
    {"kimi_k2", read_deepseek},
    {"llama", read_llama},
    {"llama4", read_llama4},
    {"llama4_text", read_llama4},
    {"mamba", read_mamba},
    {"mamba2", read_mamba2},
    {"mistral", read_mistral},
    {"mixtral", read_mixtral},
    {"moe", read_mixtral},  // SimuMax
    {"nemotron", read_nemotron},
    {"nemotron-nas", read_nemotron_nas},
    {"nemotron_h", read_nemotron_h},
    {"olmo", read_olmo},
    {"olmo2", read_olmo2},
    {"olmo3", read_olmo3},
    {"opt", read_opt},
    {"phi", read_phi},
    {"phi3", read_phi3},
    {"qwen2", read_qwen2},
    {"qwen2_5_vl", read_qwen2},
    {"qwen2_5_vl_text", read_qwen2},
    {"qwen2_moe", read_qwen2_moe},
    {"qwen2_vl", read_qwen2},
    {"qwen2_vl_text", read_qwen2},
    {"qwen3", read_qwen3},
    {"qwen3_moe", read_qwen3},
    {"qwen3_next", read_qwen3_next},
    {"qwen3_vl", read_qwen3},
    {"qwen3_vl_moe", read_qwen3},
    {"qwen3_vl_moe_text", read_qwen3},
    {"qwen3_vl_text", read_qwen3},
    {"RefinedWeb", read_falcon},
    {"RefinedWebModel", read_falcon},
    {"stablelm", read_stablelm},
    {"starcoder2", read_starcoder2},
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

Reader find_reader(std::string_view model_type) {
  const auto* found = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                   [&](const Family& family) { return family.model_type == model_type; });
  return found == std::end(kFamilies) ? nullptr : found->reader;
}

}  // namespace nameplate::model_config
