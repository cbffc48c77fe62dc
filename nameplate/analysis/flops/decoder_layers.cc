#include "nameplate/analysis/flops/decoder_layers.h"

#include "nameplate/facts/operator_makers.h"

namespace nameplate {
namespace {

void add_grouped_attention(const DecoderShape& s, std::int64_t kv_heads, const Mask& mask, std::vector<Operator>& ops) {
  const std::int64_t q_width = s.heads * s.head_dim;
  const std::int64_t kv_width = kv_heads * s.head_dim;
  const auto role = OperatorRole::attention_projection;
  const std::int64_t q_out = s.output_gate ? 2 * q_width : q_width;
  ops.push_back(matmul("attention.q", role, {.in = s.hidden, .out = q_out, .bias = s.qkv_bias}));
  ops.push_back(matmul("attention.k", role, {.in = s.hidden, .out = kv_width, .bias = s.qkv_bias}));
  ops.push_back(matmul("attention.v", role, {.in = s.hidden, .out = kv_width, .bias = s.qkv_bias}));
  if (s.qk_norm) {
    ops.push_back({.id = "attention.qk_norm",
                   .role = OperatorRole::norm,
                   .shape = ElementwiseShape{q_width + kv_width, 2 * norm_parameters(s.norm, s.head_dim)}});
  }
  if (s.qk_norm_full) {
    ops.push_back({.id = "attention.qk_norm",
                   .role = OperatorRole::norm,
                   .shape = ElementwiseShape{q_width + kv_width,
                                             norm_parameters(s.norm, q_width) + norm_parameters(s.norm, kv_width)}});
  }
  if (s.attention_sinks > 0) {
    ops.push_back({.id = "attention.sinks", .shape = ElementwiseShape{s.heads, s.heads * s.attention_sinks}});
  }
  ops.push_back({.id = "attention.core",
                 .role = OperatorRole::attention_core,
                 .shape = AttentionShape{s.heads, kv_heads, s.head_dim, s.head_dim, mask}});
  ops.push_back(matmul("attention.out", role, {.in = q_width, .out = s.hidden, .bias = s.attention_out_bias}));
}

// The scores of the indexer run over all keys; its head weights and its one key are projected from the layer's input,
// its queries from the latent query. In training its own loss trains it, which costs the same products.
void add_indexer(const DecoderShape& s, const MlaShape& mla, std::vector<Operator>& ops) {
  const IndexerShape& x = *s.indexer;
  const auto role = OperatorRole::indexer;
  ops.push_back(matmul("indexer.q", role, {.in = mla.q_rank, .out = x.heads * x.head_dim}));
  ops.push_back(matmul("indexer.k", role, {.in = s.hidden, .out = x.head_dim}));
  ops.push_back(
      {.id = "indexer.k_norm", .role = OperatorRole::norm, .shape = ElementwiseShape{x.head_dim, 2 * x.head_dim}});
  ops.push_back(matmul("indexer.weights", role, {.in = s.hidden, .out = x.heads}));
  ops.push_back({.id = "indexer.scores", .role = role, .shape = AttentionShape{x.heads, 1, x.head_dim, 0, {}}});
}

// DeepSeek-V2 (arXiv 2405.04434), section 2.1, as trained: the up-projections are applied, not absorbed.
void add_latent_attention(const DecoderShape& s, const MlaShape& mla, const Mask& mask, std::vector<Operator>& ops) {
  const auto role = OperatorRole::attention_projection;
  const std::int64_t qk_dim = mla.nope_dim + mla.rope_dim;
  if (mla.q_rank > 0) {
    ops.push_back(matmul("attention.q_down", role, {.in = s.hidden, .out = mla.q_rank, .bias = s.qkv_bias}));
    ops.push_back(norm("attention.q_norm", NormKind::rms, mla.q_rank));
    ops.push_back(matmul("attention.q_up", role, {.in = mla.q_rank, .out = s.heads * qk_dim}));
  } else {
    ops.push_back(matmul("attention.q", role, {.in = s.hidden, .out = s.heads * qk_dim}));
  }
  ops.push_back(
      matmul("attention.kv_down", role, {.in = s.hidden, .out = mla.kv_rank + mla.rope_dim, .bias = s.qkv_bias}));
  ops.push_back(norm("attention.kv_norm", NormKind::rms, mla.kv_rank));
  ops.push_back(matmul("attention.kv_up", role, {.in = mla.kv_rank, .out = s.heads * (mla.nope_dim + mla.v_dim)}));
  if (s.indexer) add_indexer(s, mla, ops);
  const Mask seen = s.indexer ? Mask{MaskKind::selected, s.indexer->keys} : mask;
  ops.push_back({.id = "attention.core",
                 .role = OperatorRole::attention_core,
                 .shape = AttentionShape{s.heads, s.heads, qk_dim, mla.v_dim, seen}});
  ops.push_back(
      matmul("attention.out", role, {.in = s.heads * mla.v_dim, .out = s.hidden, .bias = s.attention_out_bias}));
}

struct MlpShape {
  std::string prefix;
  OperatorRole role;
  std::int64_t ffn;
  std::int64_t instances = 1;
  std::int64_t active = 1;
  bool bias = false;
};

void add_mlp(const DecoderShape& s, const MlpShape& m, std::vector<Operator>& ops) {
  const MatmulShape up{.in = s.hidden, .out = m.ffn, .instances = m.instances, .active = m.active, .bias = m.bias};
  const MatmulShape down{.in = m.ffn, .out = s.hidden, .instances = m.instances, .active = m.active, .bias = m.bias};
  if (s.gated_mlp) ops.push_back(matmul(m.prefix + ".gate", m.role, up));
  ops.push_back(matmul(m.prefix + ".up", m.role, up));
  ops.push_back(matmul(m.prefix + ".down", m.role, down));
}

void add_moe(const DecoderShape& s, const MoeShape& moe, std::vector<Operator>& ops) {
  ops.push_back(
      matmul("moe.router", OperatorRole::router, {.in = s.hidden, .out = moe.experts, .bias = moe.router_bias}));
  add_mlp(s, {"moe.experts", OperatorRole::expert, moe.expert_ffn, moe.experts, moe.experts_per_token, moe.expert_bias},
          ops);
  if (moe.shared_ffn > 0) {
    add_mlp(
        s,
        {.prefix = "moe.shared", .role = OperatorRole::shared_expert, .ffn = moe.shared_ffn, .bias = moe.expert_bias},
        ops);
    if (moe.shared_gate) { ops.push_back(matmul("moe.shared_gate", OperatorRole::router, {.in = s.hidden, .out = 1})); }
  }
}

// A depthwise convolution over the last `taps` tokens.
Operator causal_convolution(std::string id, std::int64_t channels, std::int64_t taps, bool bias) {
  return {.id = std::move(id),
          .role = OperatorRole::convolution,
          .shape = ConvolutionShape{.in = channels, .out = channels, .kernel = taps, .groups = channels, .bias = bias}};
}

// Mamba-2 (arXiv 2405.21060, figure 6): one projection makes the gate, x, B, C and a step size per head.
void add_mamba2(const DecoderShape& s, const MambaShape& m, std::vector<Operator>& ops) {
  const auto role = OperatorRole::mixer_projection;
  const std::int64_t convolved = m.inner + 2 * m.groups * m.state;
  ops.push_back(
      matmul("mamba.in", role, {.in = s.hidden, .out = m.inner + convolved + m.heads, .bias = m.projection_bias}));
  ops.push_back(causal_convolution("mamba.convolution", convolved, m.conv, m.conv_bias));
  ops.push_back({.id = "mamba.scan",
                 .role = OperatorRole::scan,
                 .shape = ScanShape{.heads = m.heads,
                                    .key_dim = m.state,
                                    .value_dim = m.inner / m.heads,
                                    .parameters = 3 * m.heads}});  // A, D and the bias of the step size
  ops.push_back(norm("mamba.norm", NormKind::rms, m.inner));
  ops.push_back(matmul("mamba.out", role, {.in = m.inner, .out = s.hidden, .bias = m.projection_bias}));
}

// Mamba (arXiv 2312.00752, section 3.4): B, C and the step size are projected from x, the latter through a low rank.
void add_mamba1(const DecoderShape& s, const MambaShape& m, std::vector<Operator>& ops) {
  const auto role = OperatorRole::mixer_projection;
  const std::int64_t selected = m.step_rank + 2 * m.state;
  ops.push_back(matmul("mamba.in", role, {.in = s.hidden, .out = 2 * m.inner, .bias = m.projection_bias}));
  ops.push_back(causal_convolution("mamba.convolution", m.inner, m.conv, m.conv_bias));
  ops.push_back(matmul("mamba.select", role, {.in = m.inner, .out = selected}));
  if (m.inner_norms) ops.push_back(norm("mamba.inner_norms", NormKind::rms, selected));
  ops.push_back(matmul("mamba.step", role, {.in = m.step_rank, .out = m.inner, .bias = true}));
  ops.push_back(
      {.id = "mamba.scan",
       .role = OperatorRole::scan,
       .shape = ScanShape{
           .heads = m.inner, .key_dim = m.state, .value_dim = 1, .parameters = m.inner * (m.state + 1)}});  // A and D
  ops.push_back(matmul("mamba.out", role, {.in = m.inner, .out = s.hidden, .bias = m.projection_bias}));
}

// Gated delta net as in Qwen3-Next: q, k, v and an output gate; a decay and a write strength per value head.
void add_delta_net(const DecoderShape& s, const DeltaNetShape& d, std::vector<Operator>& ops) {
  const auto role = OperatorRole::mixer_projection;
  const std::int64_t qk = d.key_heads * d.key_dim, v = d.value_heads * d.value_dim;
  ops.push_back(matmul("delta.qkvg", role, {.in = s.hidden, .out = 2 * qk + 2 * v}));
  ops.push_back(matmul("delta.gates", role, {.in = s.hidden, .out = 2 * d.value_heads}));
  ops.push_back(causal_convolution("delta.convolution", 2 * qk + v, d.conv, false));
  ops.push_back({.id = "delta.scan",
                 .role = OperatorRole::scan,
                 .shape = ScanShape{.kind = ScanKind::gated_delta,
                                    .heads = d.value_heads,
                                    .key_dim = d.key_dim,
                                    .value_dim = d.value_dim,
                                    .parameters = 2 * d.value_heads}});
  ops.push_back(norm("delta.norm", NormKind::rms, d.value_dim));
  ops.push_back(matmul("delta.out", role, {.in = v, .out = s.hidden}));
}

void add_mixer(const DecoderShape& s, const LayerShape& layer, const Mask& mask, std::vector<Operator>& ops) {
  switch (layer.mixer) {
    case Mixer::attention:
      if (s.mla) return add_latent_attention(s, *s.mla, mask, ops);
      return add_grouped_attention(s, layer.kv_heads > 0 ? layer.kv_heads : s.kv_heads, mask, ops);
    case Mixer::mamba:
      return s.mamba->heads > 0 ? add_mamba2(s, *s.mamba, ops) : add_mamba1(s, *s.mamba, ops);
    case Mixer::delta_net:
      return add_delta_net(s, *s.delta_net, ops);
    case Mixer::linear:
      ops.push_back(matmul("attention.linear", OperatorRole::attention_projection, {.in = s.hidden, .out = s.hidden}));
      return;
    case Mixer::none:
      return;
  }
}

void add_feed_forward(const DecoderShape& s, const LayerShape& layer, std::vector<Operator>& ops) {
  switch (layer.feed_forward) {
    case FeedForward::dense:
      return add_mlp(
          s, {.prefix = "mlp", .role = OperatorRole::mlp, .ffn = layer.ffn > 0 ? layer.ffn : s.ffn, .bias = s.mlp_bias},
          ops);
    case FeedForward::experts:
      return add_moe(s, *s.moe, ops);
    case FeedForward::linear:
      ops.push_back(matmul("mlp.linear", OperatorRole::mlp, {.in = s.hidden, .out = s.hidden}));
      return;
    case FeedForward::none:
      return;
  }
}

// `norms_per_layer` is that of a layer with both parts; one with one part has half of them.
std::int64_t norms_of(const DecoderShape& s, const LayerShape& layer) {
  const bool both = layer.mixer != Mixer::none && layer.feed_forward != FeedForward::none;
  return both ? s.norms_per_layer : s.norms_per_layer / 2;
}

}  // namespace

std::vector<Operator> layer_operators(const DecoderShape& s, const LayerShape& layer, const Mask& mask) {
  std::vector<Operator> ops;
  if (const std::int64_t norms = norms_of(s, layer); norms > 0) ops.push_back(norm("norms", s.norm, s.hidden, norms));
  add_mixer(s, layer, mask, ops);
  add_feed_forward(s, layer, ops);
  return ops;
}

}  // namespace nameplate
