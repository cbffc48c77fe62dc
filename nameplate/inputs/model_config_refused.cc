#include "nameplate/inputs/model_config_refused.h"

namespace nameplate::model_config {
namespace {

constexpr std::string_view kMixers = "has layers that are not attention + MLP";
constexpr std::string_view kEncoder = "is an encoder, not a decoder";
constexpr std::string_view kEncoderDecoder = "is an encoder-decoder";
constexpr std::string_view kDiffusion = "is a diffusion model";
constexpr std::string_view kVision = "is a vision model";
constexpr std::string_view kIndexer = "chooses its attention keys by an indexer";
constexpr std::string_view kUnlike = "has layers that all differ";
constexpr std::string_view kCross = "has cross-attention layers";

struct RefusedType {
  std::string_view model_type;
  std::string_view reason;
};

constexpr RefusedType kTypes[] = {
    {"bamba", kMixers},
    {"falcon_h1", kMixers},
    {"falcon_mamba", kMixers},
    {"granitemoehybrid", kMixers},
    {"kimi_linear", kMixers},
    {"lfm2", kMixers},
    {"lfm2_moe", kMixers},
    {"minimax", kMixers},
    {"minimax_text_01", kMixers},
    {"recurrent_gemma", kMixers},
    {"rwkv", kMixers},
    {"xlstm", kMixers},
    {"zamba", kMixers},
    {"zamba2", kMixers},
    {"gemma3n", "has an embedding table for every layer"},
    {"gemma3n_text", "has an embedding table for every layer"},
    {"mllama", kCross},
    {"mllama_text_model", kCross},
    {"openelm", kUnlike},
    {"albert", kEncoder},
    {"clip_text_model", kEncoder},
    {"deberta", kEncoder},
    {"deberta-v2", kEncoder},
    {"distilbert", kEncoder},
    {"electra", kEncoder},
    {"modernbert", kEncoder},
    {"mpnet", kEncoder},
    {"nomic_bert", kEncoder},
    {"siglip_text_model", kEncoder},
    {"wav2vec2", kEncoder},
    {"bart", kEncoderDecoder},
    {"m2m_100", kEncoderDecoder},
    {"marian", kEncoderDecoder},
    {"mbart", kEncoderDecoder},
    {"pegasus", kEncoderDecoder},
    {"umt5", kEncoderDecoder},
    {"hunyuan_video", kDiffusion},
    {"clip_vision_model", kVision},
    {"convnext", kVision},
    {"deit", kVision},
    {"dinov2", kVision},
    {"siglip_vision_model", kVision},
    {"swin", kVision},
};

struct RefusedKey {
  std::string_view key;
  std::string_view reason;
};

constexpr RefusedKey kKeys[] = {
    {"_diffusers_version", kDiffusion},
    {"attn_layer_period", kMixers},
    {"attn_type_list", kMixers},
    {"block_configs", kUnlike},
    {"block_types", kMixers},
    {"conv_L_cache", kMixers},
    {"cross_attention_layers", kCross},
    {"full_attention_interval", kMixers},
    {"hybrid_layer_pattern", kMixers},
    {"hybrid_override_pattern", kMixers},
    {"image_size", kVision},
    {"index_topk", kIndexer},
    {"layers_block_type", kMixers},
    {"linear_attn_config", kMixers},
    {"linear_num_key_heads", kMixers},
    {"mamba_d_state", kMixers},
    {"mamba_expand", kMixers},
    {"ssm_state_size", kMixers},
    {"state_size", kMixers},
    {"vocab_size_per_layer_input", "has an embedding table for every layer"},
};

bool is_set(const Node* node) { return node != nullptr && !node->is(Node::Kind::null); }

// "BertForMaskedLM": the class that the weights were saved from.
bool is_masked_language_model(const Node& object) {
  const Node* architectures = object.find("architectures");
  if (architectures == nullptr) return false;
  for (const Node& item : architectures->items) {
    if (item.as_string().value_or("").find("MaskedLM") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<Refusal> refused(const Node& object, std::string_view model_type) {
  for (const RefusedType& type : kTypes) {
    if (type.model_type == model_type) return Refusal{"model_type", type.reason};
  }
  for (const RefusedKey& key : kKeys) {
    if (is_set(object.find(key.key))) return Refusal{key.key, key.reason};
  }
  const Node* encoder_decoder = object.find("is_encoder_decoder");
  if (encoder_decoder != nullptr && encoder_decoder->as_boolean().value_or(false)) {
    return Refusal{"is_encoder_decoder", kEncoderDecoder};
  }
  if (is_masked_language_model(object)) return Refusal{"architectures", kEncoder};
  return std::nullopt;
}

}  // namespace nameplate::model_config
