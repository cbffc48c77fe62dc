#include "nameplate/facts/operator_makers.h"

#include <numeric>
#include <utility>

namespace nameplate {
namespace {

void add_attention(const StackShape& s, const std::string& name, bool cross, std::vector<Operator>& ops) {
  const auto role = OperatorRole::attention_projection;
  const std::int64_t width = s.heads * s.head_dim;
  const std::int64_t source = cross && s.cross_width > 0 ? s.cross_width : s.hidden;
  const auto keys = [&](std::string id, bool bias) {
    const Operator op = matmul(s.prefix + name + std::move(id), role, {.in = source, .out = width, .bias = bias});
    return cross ? per(s.cross_unit, op) : op;
  };
  ops.push_back(matmul(s.prefix + name + ".q", role, {.in = s.hidden, .out = width, .bias = s.bias}));
  ops.push_back(keys(".k", s.bias && s.key_bias));
  ops.push_back(keys(".v", s.bias));
  if (s.qk_norm) ops.push_back(norm(s.prefix + name + ".qk_norm", s.norm, width, 2));
  AttentionShape core{s.heads, s.heads, s.head_dim, s.head_dim, s.mask, {}};
  if (cross) {
    core.mask = {MaskKind::bidirectional, 0};
    core.keys_unit = s.cross_unit;
  }
  ops.push_back({.id = s.prefix + name + ".core", .role = OperatorRole::attention_core, .shape = std::move(core)});
  ops.push_back(matmul(s.prefix + name + ".out", role, {.in = width, .out = s.hidden, .bias = s.bias}));
}

}  // namespace

Operator matmul(std::string id, OperatorRole role, const MatmulShape& shape) {
  return {.id = std::move(id), .role = role, .shape = shape};
}

Operator linear(std::string id, std::int64_t in, std::int64_t out, bool bias) {
  return matmul(std::move(id), OperatorRole::other, {.in = in, .out = out, .bias = bias});
}

std::int64_t norm_parameters(NormKind kind, std::int64_t width) {
  if (kind == NormKind::unweighted) return 0;
  return kind == NormKind::layer ? 2 * width : width;
}

Operator norm(std::string id, NormKind kind, std::int64_t width, std::int64_t repeat) {
  return {.id = std::move(id),
          .role = OperatorRole::norm,
          .shape = ElementwiseShape{width, norm_parameters(kind, width)},
          .repeat = repeat};
}

Operator embedding(std::string id, OperatorRole role, std::int64_t rows, std::int64_t width) {
  return {.id = std::move(id), .role = role, .shape = EmbeddingShape{rows, width}};
}

Operator per(std::string unit, Operator op) {
  op.unit = std::move(unit);
  return op;
}

Operator on_data(Operator op) {
  op.reads_data = true;
  return op;
}

Block stack_block(const StackShape& s) {
  Block block{.id = s.id, .repeat = s.layers, .part = s.part};
  block.layers.resize(static_cast<std::size_t>(s.layers));
  std::iota(block.layers.begin(), block.layers.end(), 0);
  if (s.norms_per_layer > 0) block.operators.push_back(norm(s.prefix + "norms", s.norm, s.hidden, s.norms_per_layer));
  add_attention(s, "attention", false, block.operators);
  if (!s.cross_unit.empty()) add_attention(s, "cross_attention", true, block.operators);
  const auto mlp = [&](std::string_view id, std::int64_t in, std::int64_t out) {
    block.operators.push_back(
        matmul(s.prefix + std::string(id), OperatorRole::mlp, {.in = in, .out = out, .bias = s.bias}));
  };
  if (s.gated_mlp) mlp("mlp.gate", s.hidden, s.ffn);
  mlp("mlp.up", s.hidden, s.ffn);
  mlp("mlp.down", s.ffn, s.hidden);
  for (Operator& op : block.operators) {
    if (op.unit.empty()) op.unit = s.unit;
  }
  return block;
}

}  // namespace nameplate
