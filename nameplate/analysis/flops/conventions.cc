#include "nameplate/analysis/flops/conventions.h"

#include <algorithm>
#include <array>

namespace nameplate {
namespace {

// The quantities that the formulas name, for one architecture and workload.
struct Terms {
  const Architecture& architecture;
  const Workload& workload;
  ParameterCount n;
  double tokens = 0;          // B s
  double layers = 0;          // L
  double attention_full = 0;  // 12 L H Q T per token, summed over the batch: full attention, training
  double core_forward_full = 0;
  double layer_forward_causal = 0;  // forward of all layers, no head
  double core_forward_causal = 0;
  double model_causal = 0;
  double model_full = 0;
};

bool is_repeated(const OperatorCount& op, Recompute recompute) {
  if (recompute == Recompute::none || !op.is_layer || op.is_forward_only || op.role == OperatorRole::output_projection)
    return false;
  return recompute == Recompute::full || op.role == OperatorRole::attention_core;
}

// Forward FLOPs of the layers that recomputing them repeats, or of their core attention alone.
double layer_forward(const Terms& t, Recompute what, AttentionCount count) {
  Int128 sum = 0;
  for (const OperatorCount& op : count_operators(t.architecture, t.workload, count)) {
    if (is_repeated(op, what)) sum += op.flops.forward;
  }
  return to_double(sum);
}

Terms terms(const Architecture& architecture, const Workload& workload) {
  Terms t{.architecture = architecture, .workload = workload, .n = count_parameters(architecture)};
  t.tokens = to_double(units(workload));
  for (const Block& block : architecture.blocks) t.layers += static_cast<double>(block.layers.size());
  t.core_forward_full = layer_forward(t, Recompute::selective, AttentionCount::full);
  t.core_forward_causal = layer_forward(t, Recompute::selective, AttentionCount::causal);
  t.layer_forward_causal = layer_forward(t, Recompute::full, AttentionCount::causal);
  t.attention_full = 3 * t.core_forward_full;
  t.model_causal = to_double(step_flops(architecture, workload, AttentionCount::causal).total());
  t.model_full = to_double(step_flops(architecture, workload, AttentionCount::full).total());
  return t;
}

// "6N" means that every weight is used once per unit and trained.
bool is_six_n(const Terms& t) {
  const auto plain = [&](const Operator& op) { return op.unit.empty() && op.trainable; };
  return std::all_of(t.architecture.blocks.begin(), t.architecture.blocks.end(), [&](const Block& block) {
    return std::all_of(block.operators.begin(), block.operators.end(), plain);
  });
}

// The hidden size if the model is a GPT as the formulas of 2021 and 2022 know it.
std::optional<double> gpt_hidden(const Terms& t) {
  const auto& d = t.architecture.decoder;
  if (!d || !is_six_n(t) || !d->pattern.empty() || d->moe || d->mla || d->mtp_depth > 0 || d->gated_mlp ||
      !d->masks.empty())
    return std::nullopt;
  if (d->kv_heads != d->heads || d->heads * d->head_dim != d->hidden || d->ffn != 4 * d->hidden) return std::nullopt;
  return static_cast<double>(d->hidden);
}

using Formula = std::optional<double> (*)(const Terms&);

std::optional<double> causal(const Terms& t) { return t.model_causal; }
std::optional<double> full(const Terms& t) { return t.model_full; }
std::optional<double> exact(const Terms& t) {
  return to_double(step_flops(t.architecture, t.workload, AttentionCount::exact).total());
}

double router_training(const Terms& t) {
  double sum = 0;
  for (const OperatorCount& op : count_operators(t.architecture, t.workload, AttentionCount::causal)) {
    if (op.role == OperatorRole::router) sum += to_double(op.flops.total());
  }
  return sum;
}

// Megatron-LM adds one FLOP pair per latent channel for the norms of multi-head latent attention.
double latent_norms(const Terms& t) {
  const auto& d = t.architecture.decoder;
  if (!d || !d->mla) return 0;
  const double layers = t.layers + static_cast<double>(d->mtp_depth);
  return 6 * t.tokens * layers * static_cast<double>(d->mla->q_rank + d->mla->kv_rank);
}

bool is_causal(const Terms& t) {
  for (const Block& block : t.architecture.blocks) {
    for (const Operator& op : block.operators) {
      const auto* core = std::get_if<AttentionShape>(&op.shape);
      if (core == nullptr) continue;
      const MaskKind kind = core->mask.kind;
      if (!core->keys_unit.empty() || kind == MaskKind::bidirectional || kind == MaskKind::band ||
          kind == MaskKind::blocks) {
        return false;
      }
    }
  }
  return true;
}

// Windows are ignored by Megatron-LM (issue 1725): half of the full attention in every layer.
std::optional<double> megatron_lm(const Terms& t) {
  if (!is_six_n(t) || !is_causal(t)) return std::nullopt;
  return t.model_full - t.attention_full / 2 - router_training(t) + latent_norms(t);
}
std::optional<double> megatron_lm_full(const Terms& t) { return t.model_full - router_training(t); }

std::optional<double> palm(const Terms& t) {
  if (!is_six_n(t)) return std::nullopt;
  return 6 * to_double(t.n.active) * t.tokens + t.attention_full;
}
std::optional<double> nanogpt(const Terms& t) {
  if (!is_six_n(t)) return std::nullopt;
  return 6 * to_double(t.n.active - t.n.position_embedding) * t.tokens + t.attention_full;
}
std::optional<double> torchtitan(const Terms& t) {
  if (!is_six_n(t)) return std::nullopt;
  const Int128 table = t.n.output_projection > 0 ? t.n.token_embedding : 0;  // a tied table is the head and stays
  return 6 * to_double(t.n.active - table) * t.tokens + t.attention_full;
}
std::optional<double> six_n(const Terms& t) {
  if (!is_six_n(t)) return std::nullopt;
  return 6 * to_double(t.n.active) * t.tokens;
}
std::optional<double> six_n_no_embedding(const Terms& t) {
  if (!is_six_n(t)) return std::nullopt;
  return 6 * to_double(t.n.active - t.n.token_embedding - t.n.position_embedding) * t.tokens;
}

std::optional<double> hardware_full(const Terms& t) { return t.model_causal + t.layer_forward_causal; }
std::optional<double> hardware_selective(const Terms& t) { return t.model_causal + t.core_forward_causal; }
std::optional<double> hardware_flash(const Terms& t) { return t.model_causal + t.core_forward_causal / 2; }
std::optional<double> palm_full_recompute(const Terms& t) {
  const auto model = palm(t);
  return model ? std::optional(*model * 4 / 3) : std::nullopt;
}

// 96 B s L h^2 (1 + s/(6h) + V/(16 L h)): four passes over the layers, three over the logits, full attention.
std::optional<double> megatron_2021(const Terms& t) {
  const auto h = gpt_hidden(t);
  if (!h) return std::nullopt;
  const double vocab = static_cast<double>(t.architecture.decoder->vocab);
  const double squares = to_double(units_squared(t.workload));
  return 96 * t.layers * *h * *h * (t.tokens * (1 + vocab / (16 * t.layers * *h)) + squares / (6 * *h));
}

// 72 B s L h^2 (1 + c s/h + V/(12 h L)) with c = 1/6 (model), 1/3 (selective as published), 2/9 (one attention
// forward).
std::optional<double> korthikanti(const Terms& t, double attention) {
  const auto h = gpt_hidden(t);
  if (!h) return std::nullopt;
  const double vocab = static_cast<double>(t.architecture.decoder->vocab);
  const double squares = to_double(units_squared(t.workload));
  return 72 * t.layers * *h * *h * (t.tokens * (1 + vocab / (12 * t.layers * *h)) + attention * squares / *h);
}
std::optional<double> korthikanti_model(const Terms& t) { return korthikanti(t, 1.0 / 6); }
std::optional<double> korthikanti_selective(const Terms& t) { return korthikanti(t, 1.0 / 3); }
std::optional<double> korthikanti_selective_strict(const Terms& t) { return korthikanti(t, 2.0 / 9); }

struct Entry {
  Convention convention;
  Formula formula;
};

constexpr auto kModel = FlopsKind::model;
constexpr auto kHardware = FlopsKind::hardware;

constexpr std::array kEntries = {
    Entry{{"nameplate", kModel, "causal", "6 x matmul weights + attention over s/2 keys (exact in windows)",
           "this program: the matrix work actually needed"},
          causal},
    Entry{{"full", kModel, "full", "6 x matmul weights + attention over s keys",
           "masks ignored; output projection counted"},
          full},
    Entry{{"megatron_lm", kModel, "causal", "as nameplate, windows ignored, no router",
           "Megatron-LM num_floating_point_operations since 2024"},
          megatron_lm},
    Entry{{"palm", kModel, "full", "6N + 12 L H Q T, N with embeddings",
           "Chowdhery et al. 2022, arXiv 2204.02311, appendix B"},
          palm},
    Entry{{"torchtitan", kModel, "full", "6 (N - embedding) + 6 L H (d_qk + d_v) T",
           "torchtitan, torchtitan/models/utils.py"},
          torchtitan},
    Entry{{"nanogpt", kModel, "full", "6 (N - positions) + 12 L H Q T", "nanoGPT, model.py estimate_mfu"}, nanogpt},
    Entry{{"six_n", kModel, "none", "6N, N with embeddings",
           "Kaplan et al. 2020, arXiv 2001.08361; Chinchilla, arXiv 2203.15556"},
          six_n},
    Entry{{"hardware_full", kHardware, "causal", "nameplate + one forward of all layers",
           "strict count of full recompute"},
          hardware_full},
    Entry{{"exact", kModel, "exact", "6 x matmul weights + attention over (s+1)/2 keys",
           "every unmasked pair, diagonal included"},
          exact},
    Entry{{"megatron_lm_full", kModel, "full", "as full, no router",
           "Megatron-LM num_floating_point_operations before mid-2024"},
          megatron_lm_full},
    Entry{{"llm_foundry", kModel, "full", "6N + 12 L h s, N with all embeddings",
           "llm-foundry, scripts/train/benchmarking"},
          palm},
    Entry{{"six_n_no_embedding", kModel, "none", "6N, N without embeddings",
           "Kaplan et al. 2020, arXiv 2001.08361, section 2.1"},
          six_n_no_embedding},
    Entry{{"korthikanti_model", kModel, "full", "72 B s L h^2 (1 + s/6h + V/12hL)",
           "Korthikanti et al. 2022, arXiv 2205.05198, eq. 8"},
          korthikanti_model},
    Entry{{"hardware_selective", kHardware, "causal", "nameplate + one forward of core attention",
           "strict count of selective recompute"},
          hardware_selective},
    Entry{{"hardware_flash", kHardware, "causal", "nameplate + q k^T once more (attention 3.5 x forward)",
           "Dao 2023, arXiv 2307.08691: the backward pass recomputes the scores"},
          hardware_flash},
    Entry{{"megatron_2021", kHardware, "full", "96 B s L h^2 (1 + s/6h + V/16Lh)",
           "Narayanan et al. 2021, arXiv 2104.04473, section 5.1: full recompute"},
          megatron_2021},
    Entry{{"korthikanti_selective", kHardware, "full", "72 B s L h^2 (1 + s/3h + V/12hL)",
           "Korthikanti et al. 2022, eq. 9 as published: doubles all attention work"},
          korthikanti_selective},
    Entry{{"korthikanti_selective_strict", kHardware, "full", "72 B s L h^2 (1 + 2s/9h + V/12hL)",
           "the same with one more attention forward, as the method repeats it"},
          korthikanti_selective_strict},
    Entry{{"llm_foundry_hardware", kHardware, "full", "4/3 (6N + 12 L h s)",
           "llm-foundry, HFU with activation checkpointing"},
          palm_full_recompute},
};

constexpr auto kConventions = [] {
  std::array<Convention, kEntries.size()> list{};
  for (std::size_t i = 0; i < kEntries.size(); ++i) list[i] = kEntries[i].convention;
  return list;
}();

}  // namespace

std::string_view name(FlopsKind kind) { return kind == FlopsKind::model ? "model" : "hardware"; }

std::span<const Convention> conventions() { return kConventions; }

const Convention* find_convention(std::string_view id) {
  for (const Convention& convention : kConventions) {
    if (convention.id == id) return &convention;
  }
  return nullptr;
}

std::optional<double> convention_flops(std::string_view id, const Architecture& architecture,
                                       const Workload& workload) {
  for (const Entry& entry : kEntries) {
    if (entry.convention.id == id) return entry.formula(terms(architecture, workload));
  }
  return std::nullopt;
}

Int128 recompute_flops(const Architecture& architecture, const Workload& workload, Recompute recompute,
                       AttentionCount count) {
  Int128 sum = 0;
  for (const OperatorCount& op : count_operators(architecture, workload, count)) {
    if (op.flops.total() == op.flops.forward) continue;  // no gradient reaches it
    if (op.is_recomputed || is_repeated(op, recompute)) sum += op.flops.forward;
  }
  return sum;
}

}  // namespace nameplate
