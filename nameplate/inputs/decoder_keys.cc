#include "nameplate/inputs/decoder_keys.h"

#include <fmt/format.h>

#include <utility>

#include "nameplate/core/text.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

constexpr std::int64_t kMostLayers = 100'000;  // masks are kept one per layer

std::optional<MlaShape> read_mla(TableReader& reader) {
  MlaShape mla;
  mla.q_rank = reader.count("q_rank", 0).value_or(0);
  std::optional<std::int64_t> kv_rank = reader.count("kv_rank");
  std::optional<std::int64_t> nope = reader.count("nope_dim");
  std::optional<std::int64_t> rope = reader.count("rope_dim");
  std::optional<std::int64_t> value = reader.count("v_dim");
  if (!kv_rank && !nope && !rope && !value && mla.q_rank == 0) return std::nullopt;
  if (!kv_rank || !nope || !rope || !value) {
    reader.fail("kv_rank", "latent attention needs kv_rank, nope_dim, rope_dim and v_dim, not only some of them");
    return std::nullopt;
  }
  mla.kv_rank = *kv_rank;
  mla.nope_dim = *nope;
  mla.rope_dim = *rope;
  mla.v_dim = *value;
  return mla;
}

void check_moe(TableReader& reader, const MoeShape& moe, const DecoderShape& shape) {
  if (moe.experts_per_token > moe.experts) {
    reader.fail("experts_per_token", fmt::format("{} of {} experts", moe.experts_per_token, moe.experts),
                "at most as many as there are experts");
  }
  if (moe.first_dense_layers > shape.layers) {
    reader.fail("first_dense_layers", fmt::format("{} of {} layers", moe.first_dense_layers, shape.layers),
                "at most as many as there are layers");
  }
  for (std::int64_t layer : moe.dense_layers) {
    if (layer >= shape.layers) {
      reader.fail("dense_layers", fmt::format("layer {} of {}", layer, shape.layers), "indices from 0, below layers");
    }
  }
  bool all_experts = moe.first_dense_layers == 0 && moe.every == 1 && moe.dense_layers.empty();
  if (!all_experts && shape.ffn == 0) reader.fail("ffn", "'ffn' is missing", "the inner size of the dense layers");
}

std::optional<MoeShape> read_moe(TableReader& reader, const DecoderShape& shape) {
  MoeShape moe;
  std::optional<std::int64_t> experts = reader.count("experts");
  std::optional<std::int64_t> per_token = reader.count("experts_per_token");
  std::optional<std::int64_t> expert_ffn = reader.count("expert_ffn");
  moe.shared_ffn = reader.count("shared_ffn", 0).value_or(0);
  moe.shared_gate = reader.flag("shared_gate", false);
  moe.first_dense_layers = reader.count("first_dense_layers", 0).value_or(0);
  moe.every = reader.count("moe_every").value_or(1);
  moe.dense_layers = reader.counts("dense_layers");
  moe.router_bias = reader.flag("router_bias", false);
  moe.expert_bias = reader.flag("expert_bias", false);
  if (!experts) {
    if (moe != MoeShape{} || per_token || expert_ffn)
      reader.fail("experts", "'experts' is missing", "a positive integer");
    return std::nullopt;
  }
  moe.experts = *experts;
  if (!per_token) reader.fail("experts_per_token", "'experts_per_token' is missing", "a positive integer");
  moe.experts_per_token = per_token.value_or(1);
  if (!expert_ffn && shape.ffn == 0) reader.fail("expert_ffn", "'expert_ffn' is missing", "a positive integer");
  moe.expert_ffn = expert_ffn.value_or(shape.ffn);
  check_moe(reader, moe, shape);
  return moe;
}

// "5:1": five layers with a window, then one without, over and over. Nothing when it is not of that form.
struct WindowPattern {
  std::int64_t windowed = 0;
  std::int64_t global = 0;
};
std::optional<WindowPattern> parse_pattern(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 2) return std::nullopt;
  std::optional<std::int64_t> windowed = parse_integer(parts[0]);
  std::optional<std::int64_t> global = parse_integer(parts[1]);
  if (!windowed || !global || *windowed < 0 || *global < 0 || *windowed + *global < 1) return std::nullopt;
  if (*windowed > kMostLayers || *global > kMostLayers) return std::nullopt;
  return WindowPattern{*windowed, *global};
}

std::vector<Mask> read_masks(TableReader& reader, std::int64_t layers) {
  std::optional<std::int64_t> window = reader.count("window");
  std::optional<std::int64_t> chunk = reader.count("chunk");
  std::optional<std::string> pattern = reader.text("window_pattern");
  if (window && chunk) reader.fail("chunk", "both 'window' and 'chunk' are given", "one of them");
  if (!window && !chunk) {
    if (pattern) reader.fail("window_pattern", "'window_pattern' without 'window' or 'chunk'");
    return {};
  }
  Mask mask = window ? Mask{MaskKind::sliding, *window} : Mask{MaskKind::chunked, *chunk};
  if (!pattern) return {mask};
  std::optional<WindowPattern> period = parse_pattern(*pattern);
  if (!period) {
    reader.fail("window_pattern", fmt::format("'{:.80}'", *pattern), "layers with and without a window, as in \"5:1\"");
    return {};
  }
  std::vector<Mask> masks;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    bool windowed = layer % (period->windowed + period->global) < period->windowed;
    masks.push_back(windowed ? mask : Mask{});
  }
  return masks;
}

void read_heads(TableReader& reader, DecoderShape& shape) {
  shape.heads = reader.required_count("heads");
  shape.kv_heads = reader.count("kv_heads").value_or(shape.heads);
  if (shape.heads % shape.kv_heads != 0) {
    reader.fail("kv_heads", fmt::format("{} heads over {} kv_heads", shape.heads, shape.kv_heads),
                "a divisor of heads");
  }
  shape.mla = read_mla(reader);
  std::optional<std::int64_t> head_dim = reader.count("head_dim");
  if (!head_dim && !shape.mla && shape.hidden % shape.heads != 0) {
    reader.fail("head_dim", fmt::format("hidden {} is not a multiple of {} heads", shape.hidden, shape.heads),
                "'head_dim' to be given");
  }
  std::int64_t derived = shape.mla ? shape.mla->nope_dim + shape.mla->rope_dim : shape.hidden / shape.heads;
  shape.head_dim = head_dim.value_or(derived);
}

// `biases` is every projection of a layer at once; each can be given apart.
void read_biases(TableReader& reader, DecoderShape& shape) {
  bool biases = reader.flag("biases", false);
  shape.qkv_bias = reader.flag("qkv_bias", biases);
  shape.attention_out_bias = reader.flag("attention_out_bias", biases);
  shape.mlp_bias = reader.flag("mlp_bias", biases);
  shape.output_bias = reader.flag("output_bias", false);
}

void read_norms(TableReader& reader, DecoderShape& shape) {
  std::string norm = reader.text("norm").value_or("rms");
  if (norm != "rms" && norm != "layer") reader.fail("norm", fmt::format("'{:.80}'", norm), "\"rms\" or \"layer\"");
  shape.norm = norm == "layer" ? NormKind::layer : NormKind::rms;
  shape.norms_per_layer = reader.count("norms_per_layer", 0).value_or(2);
  shape.final_norm = reader.flag("final_norm", true);
  shape.embedding_norm = reader.flag("embedding_norm", false);
  shape.qk_norm = reader.flag("qk_norm", false);
  shape.qk_norm_full = reader.flag("qk_norm_full", false);
}

void read_embeddings(TableReader& reader, DecoderShape& shape) {
  shape.vocab = reader.required_count("vocab");
  shape.tied_embeddings = reader.flag("tied_embeddings", false);
  shape.learned_positions = reader.count("learned_positions", 0).value_or(0);
  shape.embedding_width = reader.count("embedding_width", 0).value_or(0);
}

// Mamba-2 layers of a hybrid, by heads as they are published.
std::optional<MambaShape> read_mamba(TableReader& reader) {
  const std::optional<std::int64_t> heads = reader.count("mamba_heads");
  const std::optional<std::int64_t> head_dim = reader.count("mamba_head_dim");
  const std::optional<std::int64_t> state = reader.count("mamba_state");
  const std::int64_t groups = reader.count("mamba_groups").value_or(1);
  if (!heads && !head_dim && !state) return std::nullopt;
  if (!heads || !head_dim || !state) {
    reader.fail("mamba_heads",
                "state-space layers need mamba_heads, mamba_head_dim and mamba_state, not only some of them");
    return std::nullopt;
  }
  return MambaShape{.inner = *heads * *head_dim, .state = *state, .heads = *heads, .groups = groups};
}

std::vector<LayerShape> read_pattern(TableReader& reader, const DecoderShape& shape) {
  const std::string letters = reader.text("layer_pattern").value_or("");
  if (!letters.empty() && std::cmp_not_equal(letters.size(), shape.layers)) {
    reader.fail("layer_pattern", fmt::format("{} letters for {} layers", letters.size(), shape.layers),
                "a letter per layer");
  }
  std::vector<LayerShape> pattern;
  for (char letter : letters) {
    const std::optional<LayerShape> layer = layer_by_letter(letter);
    const bool missing = letter == 'M' && !shape.mamba;
    if (!layer || missing) {
      reader.fail("layer_pattern", fmt::format("a layer '{}'", letter),
                  "layers '*', 'M' (with mamba_heads), '-' and 'E'");
      return {};
    }
    pattern.push_back(*layer);
  }
  return pattern;
}

}  // namespace

std::optional<LayerShape> layer_by_letter(char letter) {
  switch (letter) {
    case '*':
      return LayerShape{.feed_forward = FeedForward::none};
    case 'M':
      return LayerShape{.mixer = Mixer::mamba, .feed_forward = FeedForward::none};
    case '-':
      return LayerShape{.mixer = Mixer::none};
    case 'E':
      return LayerShape{.mixer = Mixer::none, .feed_forward = FeedForward::experts};
    default:
      return std::nullopt;
  }
}

Result<DecoderShape> read_decoder_shape(const Node& table, const std::string& file) {
  DecoderShape shape;
  TableReader reader(table, file, "model");
  shape.layers = reader.required_count("layers");
  if (shape.layers > kMostLayers) reader.fail("layers", std::to_string(shape.layers), "at most 100000 layers");
  shape.hidden = reader.required_count("hidden");
  read_heads(reader, shape);
  shape.ffn = reader.count("ffn").value_or(0);
  shape.gated_mlp = reader.flag("gated_mlp", true);
  read_embeddings(reader, shape);
  read_biases(reader, shape);
  read_norms(reader, shape);
  shape.output_gate = reader.flag("output_gate", false);
  shape.attention_sinks = reader.flag("attention_sinks", false) ? 1 : 0;
  shape.mtp_depth = reader.count("mtp_depth", 0).value_or(0);
  shape.moe = read_moe(reader, shape);
  if (shape.ffn == 0 && !shape.moe) reader.fail("ffn", "'ffn' is missing", "the inner size of the MLP, or 'experts'");
  shape.masks = read_masks(reader, shape.layers);
  shape.mamba = read_mamba(reader);
  shape.pattern = read_pattern(reader, shape);
  if (Status error = reader.finish()) return *error;
  return shape;
}

}  // namespace nameplate
