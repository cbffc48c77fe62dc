#include "nameplate/analysis/flops/count.h"

#include <algorithm>

namespace nameplate {
namespace {

Int128 windowed_pairs_twice(std::int64_t length, std::int64_t window) {
  const Int128 w = window;
  return 2 * w * length - w * (w - 1);  // rows 1..w see 1..w keys, the rest see w
}

Int128 chunked_pairs_twice(std::int64_t length, std::int64_t chunk) {
  const Int128 c = chunk, whole = length / chunk, rest = length % chunk;
  return whole * c * (c + 1) + rest * (rest + 1);
}

OperatorFlops matmul_flops(const Operator& op, const MatmulShape& shape, const Workload& workload) {
  const Int128 forward = Int128{2} * shape.in * shape.out * shape.active * units(workload) * op.repeat;
  return {forward, forward, op.trainable ? forward : 0};
}

OperatorFlops attention_flops(const Operator& op, const AttentionShape& shape, const Workload& workload,
                              AttentionCount count) {
  Int128 pairs_twice = 0;
  for (const LengthCount& part : workload.batch) {
    pairs_twice += attention_pairs_twice(shape.mask, part.length, count) * part.count;
  }
  const Int128 forward = pairs_twice * shape.heads * (shape.qk_dim + shape.v_dim) * op.repeat;
  return {forward, 2 * forward, 0};
}

struct Weights {
  Int128 all = 0;
  Int128 active = 0;
  Int128 matmul_active = 0;
};

Weights weights(const Operator& op) {
  Weights w;
  if (const auto* m = std::get_if<MatmulShape>(&op.shape)) {
    const Int128 one = Int128{m->in} * m->out;
    const Int128 bias = m->bias ? m->out : 0;
    w = {(one + bias) * m->instances, (one + bias) * m->active, one * m->active};
  } else if (const auto* e = std::get_if<EmbeddingShape>(&op.shape)) {
    w.all = w.active = Int128{e->rows} * e->width;
  } else if (const auto* n = std::get_if<ElementwiseShape>(&op.shape)) {
    w.all = w.active = n->parameters;
  }
  if (op.shares_weights) w.all = w.active = 0;
  return {w.all * op.repeat, w.active * op.repeat, w.matmul_active * op.repeat};
}

}  // namespace

std::string_view name(AttentionCount count) {
  switch (count) {
    case AttentionCount::causal:
      return "causal";
    case AttentionCount::full:
      return "full";
    case AttentionCount::exact:
      return "exact";
  }
  return {};
}

Int128 attention_pairs_twice(const Mask& mask, std::int64_t length, AttentionCount count) {
  const Int128 s = length;
  if (count == AttentionCount::full || mask.kind == MaskKind::bidirectional) return 2 * s * s;
  const bool narrow = mask.window < length;
  if (mask.kind == MaskKind::sliding && narrow) return windowed_pairs_twice(length, mask.window);
  if (mask.kind == MaskKind::chunked && narrow) return chunked_pairs_twice(length, mask.window);
  return count == AttentionCount::exact ? s * (s + 1) : s * s;
}

OperatorFlops& OperatorFlops::operator+=(const OperatorFlops& o) {
  forward += o.forward;
  backward_input += o.backward_input;
  backward_weight += o.backward_weight;
  return *this;
}

OperatorFlops operator_flops(const Operator& op, const Workload& workload, AttentionCount count) {
  if (const auto* m = std::get_if<MatmulShape>(&op.shape)) return matmul_flops(op, *m, workload);
  if (const auto* a = std::get_if<AttentionShape>(&op.shape)) return attention_flops(op, *a, workload, count);
  return {};
}

std::vector<OperatorCount> count_operators(const Architecture& architecture, const Workload& workload,
                                           AttentionCount count) {
  std::vector<OperatorCount> counts;
  for (const Block& block : architecture.blocks) {
    for (const Operator& op : block.operators) {
      const Weights w = weights(op);
      OperatorFlops f = operator_flops(op, workload, count);
      const Int128 repeat = block.repeat;
      counts.push_back({block.id,
                        op.id,
                        op.role,
                        block.repeat * op.repeat,
                        w.all * repeat,
                        w.active * repeat,
                        w.matmul_active * repeat,
                        {f.forward * repeat, f.backward_input * repeat, f.backward_weight * repeat},
                        block.is_mtp});
    }
  }
  return counts;
}

OperatorFlops step_flops(const Architecture& architecture, const Workload& workload, AttentionCount count) {
  OperatorFlops sum;
  for (const OperatorCount& op : count_operators(architecture, workload, count)) sum += op.flops;
  return sum;
}

ParameterCount count_parameters(const Architecture& architecture) {
  ParameterCount sum;
  for (const OperatorCount& op : count_operators(architecture, {}, AttentionCount::causal)) {
    if (op.is_mtp) {
      sum.mtp += op.parameters;
      continue;
    }
    sum.total += op.parameters;
    sum.active += op.parameters_active;
    sum.matmul_active += op.matmul_parameters_active;
    if (op.role == OperatorRole::token_embedding) sum.token_embedding += op.parameters;
    if (op.role == OperatorRole::position_embedding) sum.position_embedding += op.parameters;
    if (op.role == OperatorRole::output_projection) sum.output_projection += op.parameters;
    if (op.role == OperatorRole::router) sum.router += op.parameters;
  }
  return sum;
}

}  // namespace nameplate
