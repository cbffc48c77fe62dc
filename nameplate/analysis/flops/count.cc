#include "nameplate/analysis/flops/count.h"

#include <algorithm>

#include "nameplate/core/check.h"

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

// Every key of the block of `block` in which the query lies.
Int128 block_pairs(std::int64_t length, std::int64_t block) {
  const Int128 b = block, whole = length / block, rest = length % block;
  return whole * b * b + rest * rest;
}

// |i - j| <= half: each query sees 2 half + 1 keys, less what lies beyond the two ends.
Int128 band_pairs(std::int64_t length, std::int64_t half) {
  const Int128 s = length, h = half;
  return h + 1 >= s ? s * s : s * (2 * h + 1) - h * (h + 1);
}

const std::vector<LengthCount>& batch_of(const Workload& workload, std::string_view unit) {
  if (unit.empty()) return workload.batch;
  for (const UnitBatch& other : workload.others) {
    if (other.unit == unit) return other.batch;
  }
  NAMEPLATE_CHECK(false);
}

Int128 units_of(const std::vector<LengthCount>& batch) {
  Int128 sum = 0;
  for (const LengthCount& part : batch) sum += Int128{part.length} * part.count;
  return sum;
}

std::int64_t sequences_of(const std::vector<LengthCount>& batch) {
  std::int64_t sum = 0;
  for (const LengthCount& part : batch) sum += part.count;
  return sum;
}

// Units in each sample, run by run; empty where the sequences of one sample are not alike.
std::vector<LengthCount> per_sample(const std::vector<LengthCount>& batch, std::int64_t samples) {
  const std::int64_t count = sequences_of(batch);
  if (samples == 0 || count % samples != 0) return {};
  const std::int64_t each = count / samples;
  std::vector<LengthCount> runs;
  for (const LengthCount& part : batch) {
    if (each == 0 || part.count % each != 0) return {};
    runs.push_back({part.length * each, part.count / each});
  }
  return runs;
}

// Twice the pairs of cross attention: every query with every key of its sample. Where the sequences of a sample are not
// alike, with the mean number of keys.
Int128 cross_pairs_twice(const AttentionShape& shape, std::string_view unit, const Workload& workload) {
  const std::vector<LengthCount>& all_queries = batch_of(workload, unit);
  const std::vector<LengthCount>& all_keys = batch_of(workload, shape.keys_unit);
  const std::int64_t samples = sequences(workload);
  std::vector<LengthCount> queries = per_sample(all_queries, samples), keys = per_sample(all_keys, samples);
  if (queries.empty() || keys.empty()) {
    return samples == 0 ? 0 : 2 * units_of(all_queries) * units_of(all_keys) / samples;
  }
  Int128 sum = 0;
  for (auto q = queries.begin(), k = keys.begin(); q != queries.end() && k != keys.end();) {
    const std::int64_t both = std::min(q->count, k->count);
    sum += Int128{2} * q->length * k->length * both;
    if ((q->count -= both) == 0) ++q;
    if ((k->count -= both) == 0) ++k;
  }
  return sum;
}

Int128 pairs_twice(const AttentionShape& shape, std::string_view unit, const Workload& workload, AttentionCount count) {
  if (!shape.keys_unit.empty()) return cross_pairs_twice(shape, unit, workload);
  Int128 sum = 0;
  for (const LengthCount& part : batch_of(workload, unit)) {
    sum += attention_pairs_twice(shape.mask, part.length, count) * part.count;
  }
  return sum;
}

// FLOPs per element of the state.
std::int64_t scan_flops(ScanKind kind) {
  switch (kind) {
    case ScanKind::mamba:
      return 7;
    case ScanKind::gated_delta:
      return 8;
    case ScanKind::linear_attention:
      return 4;
  }
  NAMEPLATE_CHECK(false);
}

// The forward FLOPs of one shape; which gradients it has follows from its kind.
struct Forward {
  const Operator& op;
  const Workload& workload;
  AttentionCount count;

  Int128 per_unit(Int128 flops) const { return flops * units_of(batch_of(workload, op.unit)); }

  Int128 operator()(const MatmulShape& m) const { return per_unit(Int128{2} * m.in * m.out * m.active); }
  Int128 operator()(const AttentionShape& a) const {
    return pairs_twice(a, op.unit, workload, count) * a.heads * (a.qk_dim + a.v_dim);
  }
  Int128 operator()(const EmbeddingShape&) const { return 0; }
  Int128 operator()(const ElementwiseShape&) const { return 0; }
  Int128 operator()(const ContractionShape& c) const {
    if (!c.along_sequence) return per_unit(Int128{2} * c.in * c.out);
    Int128 squares = 0;
    for (const LengthCount& part : batch_of(workload, op.unit)) {
      squares += Int128{part.length} * part.length * part.count;
    }
    return 2 * squares * c.in * c.out;
  }
  Int128 operator()(const ConvolutionShape& c) const {
    return per_unit(Int128{2} * (c.in / c.groups) * c.out * c.kernel * c.positions);
  }
  Int128 operator()(const ScanShape& s) const {
    return per_unit(Int128{scan_flops(s.kind)} * s.heads * s.key_dim * s.value_dim);
  }
};

bool has_weight_gradient(const OperatorShape& shape) {
  return std::holds_alternative<MatmulShape>(shape) || std::holds_alternative<ConvolutionShape>(shape);
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
  } else if (const auto* c = std::get_if<ConvolutionShape>(&op.shape)) {
    w.all = w.active = Int128{c->in / c->groups} * c->out * c->kernel + (c->bias ? c->out : 0);
  } else if (const auto* s = std::get_if<ScanShape>(&op.shape)) {
    w.all = w.active = s->parameters;
  }
  if (op.shares_weights) w.all = w.active = 0;
  return {w.all * op.repeat, w.active * op.repeat, w.matmul_active * op.repeat};
}

bool is_trained(const Operator& op) { return op.trainable && (weights(op).all > 0 || op.shares_weights); }

// In how many repeats of its block an operator's input has a gradient: in the first only if something is trained before
// it, in the others also if anything in the block is.
struct GradientReach {
  bool before = false;  // something is trained before the operator that comes next
  bool in_block = false;

  void enter(const Block& block) {
    in_block = before || std::any_of(block.operators.begin(), block.operators.end(), is_trained);
  }
  std::int64_t repeats(const Block& block, const Operator& op) {
    const std::int64_t reached = (before ? 1 : 0) + (in_block ? block.repeat - 1 : 0);
    before |= is_trained(op);
    return op.reads_data || block.is_forward_only ? 0 : reached;
  }
};

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
  if (mask.kind == MaskKind::band) return 2 * band_pairs(length, mask.window / 2);
  if (mask.kind == MaskKind::blocks) return 2 * block_pairs(length, mask.window);
  const bool narrow = mask.window < length;
  const bool sliding = mask.kind == MaskKind::sliding || mask.kind == MaskKind::selected;
  if (sliding && narrow) return windowed_pairs_twice(length, mask.window);
  if (mask.kind == MaskKind::chunked && narrow) return chunked_pairs_twice(length, mask.window);
  return count == AttentionCount::exact ? s * (s + 1) : s * s;
}

Workload with_units(const Architecture& architecture, Workload workload) {
  const std::int64_t samples = sequences(workload);
  const auto add = [&](std::string_view unit, std::vector<LengthCount> batch) {
    const bool given = std::any_of(workload.others.begin(), workload.others.end(),
                                   [&](const UnitBatch& other) { return other.unit == unit; });
    if (!given) workload.others.push_back({std::string(unit), std::move(batch)});
  };
  add(architecture.unit, workload.batch);
  for (const UnitLength& unit : architecture.units) {
    std::vector<LengthCount> batch = {{unit.length, samples * unit.sequences}};
    if (unit.extends_own) {
      batch = workload.batch;
      for (LengthCount& part : batch) part.length += unit.length;
    }
    add(unit.name, std::move(batch));
  }
  add(kSampleUnit, {{1, samples}});
  return workload;
}

OperatorFlops& OperatorFlops::operator+=(const OperatorFlops& o) {
  forward += o.forward;
  backward_input += o.backward_input;
  backward_weight += o.backward_weight;
  return *this;
}

OperatorFlops operator_flops(const Operator& op, const Workload& workload, AttentionCount count) {
  const Int128 forward = std::visit(Forward{op, workload, count}, op.shape) * op.repeat;
  if (has_weight_gradient(op.shape)) return {forward, forward, op.trainable ? forward : 0};
  return {forward, 2 * forward, 0};  // both operands are activations
}

std::vector<OperatorCount> count_operators(const Architecture& architecture, const Workload& given,
                                           AttentionCount count) {
  const Workload workload = with_units(architecture, given);
  std::vector<OperatorCount> counts;
  GradientReach reach;
  for (const Block& block : architecture.blocks) {
    reach.enter(block);
    for (const Operator& op : block.operators) {
      const Weights w = weights(op);
      const OperatorFlops f = operator_flops(op, workload, count);
      const Int128 repeat = block.repeat;
      counts.push_back(
          {.block = block.id,
           .id = op.id,
           .role = op.role,
           .repeat = block.repeat * op.repeat,
           .parameters = w.all * repeat,
           .parameters_active = w.active * repeat,
           .matmul_parameters_active = w.matmul_active * repeat,
           .flops = {f.forward * repeat, f.backward_input * reach.repeats(block, op), f.backward_weight * repeat},
           .is_mtp = block.is_mtp,
           .is_forward_only = block.is_forward_only,
           .is_layer = !block.layers.empty() || block.is_mtp,
           .is_trained = is_trained(op),
           .is_recomputed = op.recomputed,
           .part = block.part,
           .unit = op.unit.empty() ? architecture.unit : op.unit,
           .precision = op.precision});
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
    if (op.is_forward_only) {
      sum.forward_only += op.parameters;
      continue;
    }
    if (op.is_mtp) {
      sum.mtp += op.parameters;
      continue;
    }
    sum.total += op.parameters;
    if (op.is_trained) sum.trained += op.parameters;
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
