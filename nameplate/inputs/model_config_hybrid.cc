// Decoders whose layers are of several kinds: state-space or linear attention beside attention, or sizes of their own.
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "nameplate/inputs/decoder_keys.h"
#include "nameplate/inputs/model_config_families.h"
#include "nameplate/inputs/model_config_parts.h"

namespace nameplate::model_config {
namespace {

std::vector<LayerShape> pattern(std::int64_t layers, const std::function<LayerShape(std::int64_t)>& layer) {
  std::vector<LayerShape> list;
  for (std::int64_t i = 0; i < layers; ++i) list.push_back(layer(i));
  return list;
}

FeedForward experts_if(bool experts) { return experts ? FeedForward::experts : FeedForward::dense; }

// A model of Mamba layers alone: no attention whose heads would be required.
DecoderShape mamba_only(Keys& keys, const ClassDefaults& defaults) {
  DecoderShape s;
  s.layers = keys.size_or(kLayers, defaults.layers, kMostLayers);
  s.hidden = keys.size_or(kHidden, defaults.hidden);
  s.vocab = keys.size_or(kVocab, defaults.vocab);
  s.tied_embeddings = keys.tied_embeddings(defaults.tied);
  s.pattern = pattern(
      s.layers, [](std::int64_t) { return LayerShape{.mixer = Mixer::mamba, .feed_forward = FeedForward::none}; });
  return s;
}

MambaShape mamba_sizes(Keys& keys, std::int64_t hidden) {
  MambaShape m{.state = keys.size_or({"state_size"}, 16), .conv = keys.size_or({"conv_kernel"}, 4)};
  m.inner = keys.size_if_given({"intermediate_size"}, keys.size_or({"expand"}, 2) * hidden);
  m.conv_bias = keys.flag("use_conv_bias", true);
  m.projection_bias = keys.flag("use_bias", false);
  return m;
}

LayerShape nemotron_layer(Keys& keys, char letter) {
  if (const std::optional<LayerShape> layer = layer_by_letter(letter)) return *layer;
  keys.fail("hybrid_override_pattern", fmt::format("a layer '{}'", letter), "layers '*', 'M', '-' and 'E'");
  return {};
}

// One entry of `block_configs`: a part that is absent, a matrix in its place, or sizes of its own. The MLP's width is
// 2/3 of ffn_mult * hidden, rounded up to a multiple of 256 (DeciLM, modeling_decilm.py).
LayerShape nas_layer(Keys& keys, const DecoderShape& s, const Node& config) {
  constexpr std::string_view kKey = "block_configs";
  const auto is_set = [](const Node* part, std::string_view key) {
    const Node* node = part->find(key);
    return node != nullptr && node->as_boolean().value_or(false);
  };
  const Node* attention = config.find("attention");
  const Node* ffn = config.find("ffn");
  if (attention == nullptr || ffn == nullptr) {
    keys.fail(kKey, "a layer without 'attention' or 'ffn'", "both in every layer");
    return {};
  }
  LayerShape layer;
  if (is_set(attention, "no_op")) {
    layer.mixer = Mixer::none;
  } else if (is_set(attention, "replace_with_linear")) {
    layer.mixer = Mixer::linear;
  } else {
    const Node* group = attention->find("n_heads_in_group");
    const std::int64_t heads = group == nullptr ? 0 : group->as_integer().value_or(0);
    if (heads < 1 || s.heads % heads != 0)
      keys.fail(kKey, fmt::format("{} heads in a group", heads), "a divisor of the heads");
    layer.kv_heads = heads < 1 ? s.heads : s.heads / heads;
  }
  if (is_set(ffn, "no_op")) {
    layer.feed_forward = FeedForward::none;
  } else if (is_set(ffn, "replace_with_linear")) {
    layer.feed_forward = FeedForward::linear;
  } else {
    const Node* multiple = ffn->find("ffn_mult");
    const double factor = multiple == nullptr ? 0 : multiple->as_number().value_or(0);
    if (!(factor > 0 && factor <= 1024)) {
      keys.fail(kKey, fmt::format("'ffn_mult' {}", factor), "a number from 0 to 1024");
      return layer;
    }
    const auto width = static_cast<std::int64_t>(2 * factor * static_cast<double>(s.hidden) / 3);
    layer.ffn = (width + 255) / 256 * 256;
  }
  return layer;
}

}  // namespace

DecoderShape read_mamba(Keys& keys) {
  DecoderShape s = mamba_only(keys, {.layers = 32, .hidden = 768, .vocab = 50280, .tied = true});
  s.norms_per_layer = 2;  // one for a layer of one part
  s.mamba = mamba_sizes(keys, s.hidden);
  const bool automatic = keys.text("time_step_rank") == "auto" || !keys.has({"time_step_rank"});
  s.mamba->step_rank = automatic ? (s.hidden + 15) / 16 : keys.size({"time_step_rank"});
  return s;
}

DecoderShape read_mamba2(Keys& keys) {
  DecoderShape s = mamba_only(keys, {.layers = 64, .hidden = 4096, .vocab = 32768});
  s.mamba = mamba_sizes(keys, s.hidden);
  s.mamba->heads = keys.size_or({"num_heads"}, 128);
  s.mamba->groups = keys.size_or({"n_groups"}, 8);
  return s;
}

// Jamba (arXiv 2403.19887): attention in one of `attn_layer_period` layers, experts in one of `expert_layer_period`.
DecoderShape read_jamba(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.kv_heads = 8});
  s.mamba = MambaShape{.inner = keys.size_or({"mamba_expand"}, 2) * s.hidden,
                       .state = keys.size_or({"mamba_d_state"}, 16),
                       .conv = keys.size_or({"mamba_d_conv"}, 4),
                       .conv_bias = keys.flag("mamba_conv_bias", true),
                       .projection_bias = keys.flag("mamba_proj_bias", false),
                       .inner_norms = true};
  const bool automatic = keys.text("mamba_dt_rank") == "auto" || !keys.has({"mamba_dt_rank"});
  s.mamba->step_rank = automatic ? (s.hidden + 15) / 16 : keys.size({"mamba_dt_rank"});
  const std::int64_t attention_period = keys.size_or({"attn_layer_period"}, 8);
  const std::int64_t attention_offset = keys.has({"attn_layer_offset"}) ? keys.count({"attn_layer_offset"}) : 4;
  const std::int64_t expert_period = keys.size_or({"expert_layer_period"}, 2);
  const std::int64_t expert_offset = keys.has({"expert_layer_offset"}) ? keys.count({"expert_layer_offset"}) : 1;
  s.pattern = pattern(s.layers, [&](std::int64_t i) {
    return LayerShape{.mixer = i % attention_period == attention_offset ? Mixer::attention : Mixer::mamba,
                      .feed_forward = experts_if(s.moe && i % expert_period == expert_offset)};
  });
  return s;
}

// Nemotron-H (arXiv 2504.03624): one letter a layer; MLPs of two matrices (squared ReLU).
DecoderShape read_nemotron_h(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.kv_heads = 8});
  s.head_dim = keys.size_if_given({"attention_head_dim", "head_dim"}, s.head_dim);
  s.gated_mlp = false;
  const std::int64_t heads = keys.size({"mamba_num_heads"});
  s.mamba = MambaShape{.inner = heads * keys.size({"mamba_head_dim"}),
                       .state = keys.size({"ssm_state_size"}),
                       .heads = heads,
                       .groups = keys.size({"n_groups", "mamba_n_groups"}),
                       .conv = keys.size_or({"conv_kernel"}, 4),
                       .conv_bias = keys.flag("use_conv_bias", true),
                       .projection_bias = keys.flag("mamba_proj_bias", false)};
  if (s.moe) s.moe->router_bias = true;
  if (keys.has({"moe_latent_size"}))
    keys.fail("moe_latent_size", "experts in a latent space, not counted yet", "no such key");
  const std::string_view letters = keys.text("hybrid_override_pattern");
  if (static_cast<std::int64_t>(letters.size()) != s.layers) {
    keys.fail("hybrid_override_pattern", fmt::format("{} layers for {}", letters.size(), s.layers),
              "a letter per layer");
    return s;
  }
  for (const char letter : letters) s.pattern.push_back(nemotron_layer(keys, letter));
  return s;
}

// Llama-Nemotron (arXiv 2505.00949): a Llama whose layers a search has thinned, one by one.
DecoderShape read_nemotron_nas(Keys& keys) {
  DecoderShape s = read_dimensions(keys, {});
  const Node* configs = keys.find({"block_configs"});
  if (configs == nullptr || static_cast<std::int64_t>(configs->items.size()) != s.layers) {
    keys.fail("block_configs", "not one entry for each layer", "a list of layers");
    return s;
  }
  for (const Node& config : configs->items) s.pattern.push_back(nas_layer(keys, s, config));
  return s;
}

// Qwen3-Next: gated delta net in three of four layers, attention with an output gate in the fourth, experts everywhere.
DecoderShape read_qwen3_next(Keys& keys) {
  DecoderShape s = read_gated_decoder(keys, {.head_dim = 256});
  s.qk_norm = s.output_gate = true;
  s.delta_net = DeltaNetShape{.key_heads = keys.size_or({"linear_num_key_heads"}, 16),
                              .value_heads = keys.size_or({"linear_num_value_heads"}, 32),
                              .key_dim = keys.size_or({"linear_key_head_dim"}, 128),
                              .value_dim = keys.size_or({"linear_value_head_dim"}, 128),
                              .conv = keys.size_or({"linear_conv_kernel_dim"}, 4)};
  if (s.moe) s.moe->shared_gate = s.moe->shared_ffn > 0;
  const std::int64_t period = keys.size_or({"full_attention_interval"}, 4);
  const std::vector<std::string_view> types = keys.words("layer_types");
  if (!types.empty() && static_cast<std::int64_t>(types.size()) != s.layers) {
    keys.fail("layer_types", fmt::format("{} layer types for {} layers", types.size(), s.layers), "one type per layer");
    return s;
  }
  s.pattern = pattern(s.layers, [&](std::int64_t i) {
    const bool full = types.empty() ? (i + 1) % period == 0 : types[static_cast<std::size_t>(i)] == "full_attention";
    return LayerShape{.mixer = full ? Mixer::attention : Mixer::delta_net,
                      .feed_forward = experts_if(s.moe.has_value())};
  });
  return s;
}

}  // namespace nameplate::model_config
