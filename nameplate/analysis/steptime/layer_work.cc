#include "nameplate/analysis/steptime/layer_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nameplate/analysis/flops/count.h"

namespace nameplate {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

bool is_feed_forward(OperatorRole role) {
  return role == OperatorRole::mlp || role == OperatorRole::expert || role == OperatorRole::shared_expert ||
         role == OperatorRole::router;
}

RecomputeShares recompute_shares(const StepSetup& setup) {
  if (setup.recompute) return *setup.recompute;
  if (setup.workload.recompute == Recompute::full) return {1, 1, 1, 1};
  return setup.workload.recompute == Recompute::selective ? setup.framework.selective : RecomputeShares{};
}

// One block as work of one device. Walks the operators in order.
class BlockCompiler {
 public:
  BlockCompiler(const StepSetup& setup, const Block& block, double tokens)
      : setup_(setup),
        plan_(setup.plan),
        tokens_(tokens),
        length_(longest_sequence(setup.workload)),
        shares_(recompute_shares(setup)),
        is_low_(is_narrow(setup.workload.precision)),
        element_(element_bytes(setup.workload.precision)),
        tp_(real(plan_.tp)),
        sequence_split_(plan_.sp ? tp_ : 1) {
    work_.block = block.id;
    work_.repeat = real(block.repeat);
    work_.is_layer = !block.layers.empty();
    for (const Operator& op : block.operators) visit(op);
    finish(block);
  }

  LayerWork take() { return std::move(work_); }

 private:
  void visit(const Operator& op) {
    if (const auto* matmul = std::get_if<MatmulShape>(&op.shape)) return visit_matmul(op, *matmul);
    if (const auto* attention = std::get_if<AttentionShape>(&op.shape)) return visit_attention(op, *attention);
    if (const auto* scan = std::get_if<ScanShape>(&op.shape)) return visit_scan(op, *scan);
    if (const auto* embedding = std::get_if<EmbeddingShape>(&op.shape)) {
      if (hidden_ == 0) hidden_ = real(embedding->width);
      work_.parameters += real(embedding->rows * embedding->width) / tp_;
      // Rows read and written forward, their gradients added backward.
      work_.fixed_bytes += 6 * element_ * tokens_ * real(embedding->width) / sequence_split_;
    } else if (const auto* elementwise = std::get_if<ElementwiseShape>(&op.shape)) {
      work_.parameters += real(elementwise->parameters * op.repeat);
      if (op.role == OperatorRole::norm && hidden_ == 0) hidden_ = real(elementwise->width);
    } else if (const auto* convolution = std::get_if<ConvolutionShape>(&op.shape)) {
      // A short depthwise convolution before a scan: read and written forward, twice that backward.
      work_.fixed_bytes += 6 * element_ * tokens_ * real(convolution->out * convolution->positions) / tp_;
    }
  }

  // How the weight of `op` is divided: columns, rows, both whole.
  struct Split {
    double in = 1;
    double out = 1;
  };
  Split split_of(const Operator& op, const MatmulShape& shape) {
    const double degree = op.role == OperatorRole::expert ? real(plan_.etp) : tp_;
    switch (op.role) {
      case OperatorRole::attention_projection:
      case OperatorRole::mixer_projection:
        if (op.id.ends_with("q_down") || op.id.ends_with("kv_down")) return {};
        return behind_core_ ? Split{degree, 1} : Split{1, degree};
      case OperatorRole::mlp:
      case OperatorRole::expert:
      case OperatorRole::shared_expert:
        return op.id.ends_with("down") || (real(shape.in) != hidden_ && real(shape.out) == hidden_) ? Split{degree, 1}
                                                                                                    : Split{1, degree};
      case OperatorRole::output_projection:
        return {1, tp_};
      default:
        return {};
    }
  }

  void visit_matmul(const Operator& op, const MatmulShape& shape) {
    if (hidden_ == 0) hidden_ = real(shape.in);
    const Split split = split_of(op, shape);
    const bool expert = op.role == OperatorRole::expert;
    MatmulWork w{.id = op.id, .role = op.role, .n = real(shape.out) / split.out, .k = real(shape.in) / split.in};
    w.m = tokens_ * (op.role == OperatorRole::router ? 1 / sequence_split_ : 1);
    w.count = real(op.repeat);
    if (expert) {
      const double local = std::max(1.0, real(shape.instances) / real(plan_.ep));
      const double dispatched = tokens_ * real(shape.active) * real(plan_.etp) / tp_ * setup_.expert_imbalance;
      w.m = dispatched / local;
      w.count *= local;
      w.grouped = true;
      work_.local_experts = local;
      work_.experts_per_token = real(shape.active);
      dispatched_ = dispatched;
    }
    w.low_precision = is_low_ && op.role != OperatorRole::router && op.role != OperatorRole::output_projection;
    w.weight_gradient = op.trainable && setup_.task == StepTask::pretrain;
    w.repeated = op.role == OperatorRole::attention_projection ? shares_.projections
                 : is_feed_forward(op.role)                    ? shares_.feed_forward
                                                               : 0;
    const double parameters = w.n * w.k * w.count;
    if (!op.shares_weights || plan_.pp > 1) work_.parameters += parameters;
    if (expert) work_.expert_parameters += parameters;
    if (is_feed_forward(op.role)) add_activation(op, shape, w);
    if (op.role == OperatorRole::output_projection) {
      work_.fixed_bytes += setup_.framework.logit_bytes * tokens_ * w.n;
    }
    join(std::move(w), shape);
  }

  // The activation between the two matmuls of an MLP: two inputs and an output forward, five backward when gated; else
  // two and three (a gelu with its bias).
  void add_activation(const Operator& op, const MatmulShape& shape, const MatmulWork& w) {
    if (op.role == OperatorRole::router || split_of(op, shape).in > 1 || op.id.ends_with("down")) return;
    const bool gated = setup_.architecture.decoder && setup_.architecture.decoder->gated_mlp;
    work_.fixed_bytes += (gated ? 4.0 : 5.0) * element_ * w.m * w.n * w.count;
  }

  // Products of one input run as one.
  void join(MatmulWork w, const MatmulShape& shape) {
    if (w.low_precision) work_.cast_bytes += 4 * w.m * w.n * w.count;
    if (!work_.matmuls.empty()) {
      MatmulWork& last = work_.matmuls.back();
      const bool columns = last_in_ == shape.in && last.k == w.k && last.m == w.m && last.count == w.count &&
                           last.role == w.role && joins_;
      if (columns && !behind_core_now(w.role)) {
        last.n += w.n;
        return;
      }
    }
    if (w.low_precision) work_.cast_bytes += 4 * w.m * w.k * w.count;
    last_in_ = shape.in;
    joins_ = true;
    work_.matmuls.push_back(std::move(w));
  }
  bool behind_core_now(OperatorRole role) const {
    return behind_core_ && (role == OperatorRole::attention_projection || role == OperatorRole::mixer_projection);
  }

  void visit_attention(const Operator& op, const AttentionShape& shape) {
    const double sequences = tokens_ * real(plan_.cp) / real(length_);  // of the micro-batch
    const double heads = real(shape.heads) / tp_;
    const double pairs = to_double(attention_pairs_twice(shape.mask, length_, AttentionCount::causal)) / 2;
    const double widths = real(shape.qk_dim + shape.v_dim);
    joins_ = false;
    if (op.role == OperatorRole::attention_core) behind_core_ = true;
    if (!setup_.framework.fused_attention) return add_unfused(op, shape, sequences);
    AttentionWork w{.id = op.id, .repeated = shares_.core};
    w.forward_flops = 2 * pairs * heads * widths * sequences / real(plan_.cp);
    w.backward_flops = 2.5 * w.forward_flops;
    w.shape = attention_shape(pairs / real(length_), real(std::max(shape.qk_dim, shape.v_dim)));
    // Queries, keys, values and outputs once.
    w.traffic = element_ * tokens_ * (real(shape.heads) + real(shape.kv_heads)) * widths / tp_;
    w.kv_bytes = plan_.cp > 1 ? element_ * tokens_ * real(shape.kv_heads) * widths / tp_ : 0;
    work_.attention.push_back(std::move(w));
  }

  // Of one kernel: queries with few keys keep the matrix units waiting, narrow heads feed them short products. Assumed
  // halves: 256 keys, 32 columns; 1 at 4096 keys and 128 columns.
  static double attention_shape(double keys, double width) {
    return keys / (keys + 256) * (4096.0 + 256) / 4096 * (width / (width + 32)) * (128.0 + 32) / 128;
  }

  // Scores are written and read: two batched products, and softmax, mask and dropout over every score (35 bytes forward
  // and backward; the mask is applied, not skipped).
  void add_unfused(const Operator& op, const AttentionShape& shape, double sequences) {
    const double length = real(length_), heads = real(shape.heads) / tp_ * sequences;
    MatmulWork scores{.id = op.id,
                      .role = op.role,
                      .m = length / real(plan_.cp),
                      .n = length,
                      .k = real(shape.qk_dim),
                      .count = heads,
                      .repeated = shares_.core};
    MatmulWork values = scores;
    values.n = real(shape.v_dim);
    values.k = length;
    work_.matmuls.push_back(std::move(scores));
    work_.matmuls.push_back(std::move(values));
    work_.fixed_bytes += 35 * element_ / 2 * heads * length * length / real(plan_.cp);
  }

  // Kernels of a scan read its inputs and write its output, gate and normalise it (5 passes over the values forward, 12
  // backward) and keep fp32 states once per chunk of 256 units (3 and 4 passes); counted in mamba_ssm's kernels. Their
  // products run at half the rate of tuned attention: assumed.
  void visit_scan(const Operator& op, const ScanShape& shape) {
    constexpr double kChunk = 256;
    constexpr double kShapeOfScan = 0.5;
    const double values = real(shape.heads * shape.value_dim) / tp_;
    AttentionWork w{.id = op.id, .repeated = shares_.core, .shape = kShapeOfScan};
    w.forward_flops = (shape.kind == ScanKind::gated_delta ? 8.0 : 7.0) * values * real(shape.key_dim) * tokens_;
    w.backward_flops = 2 * w.forward_flops;
    work_.attention.push_back(std::move(w));
    work_.fixed_bytes += tokens_ * values * (17 * element_ + 7 * 4 * real(shape.key_dim) / kChunk);
    behind_core_ = true;
    joins_ = false;
  }

  void finish(const Block& block) {
    const bool head = std::any_of(work_.matmuls.begin(), work_.matmuls.end(),
                                  [](const MatmulWork& w) { return w.role == OperatorRole::output_projection; });
    if (!work_.is_layer && !block.is_mtp) {
      work_.tp.forward = head ? 1 : 0.5;
    } else {
      // Norms and residuals see the whole width on each rank unless the sequence is divided.
      work_.pass_bytes = element_ * tokens_ * hidden_ * (2.0 / 3 / sequence_split_ + 1.0 / 3 / tp_);
      if (behind_core_) work_.tp.forward += 1;
      const bool dense_part = std::any_of(work_.matmuls.begin(), work_.matmuls.end(), [](const MatmulWork& w) {
        return w.role == OperatorRole::mlp || w.role == OperatorRole::shared_expert;
      });
      if (dense_part) work_.tp.forward += 1;
      // Experts divided over tp gather the tokens sent to them.
      if (work_.local_experts > 0 && plan_.etp > 1) work_.tp.forward += work_.experts_per_token;
    }
    // A pair is an all-gather and a reduce-scatter, or an all-reduce: twice the tensor.
    work_.tp.bytes = 2 * element_ * tokens_ * hidden_;
    work_.tp.backward = work_.tp.forward * (1 + (work_.is_layer ? shares_.projections + shares_.feed_forward : 0) / 2);
    if (work_.local_experts > 0) {
      work_.ep = {element_ * dispatched_ / real(plan_.etp) * hidden_, 2, 2 + 2 * shares_.feed_forward};
      work_.permute_bytes = element_ * dispatched_ * hidden_;
    }
    work_.repeated_elementwise = work_.is_layer ? shares_.elementwise : 0;
    // Each of the four kinds of work is about a quarter of a layer's kernels.
    const double kinds = shares_.projections + shares_.core + shares_.feed_forward + shares_.elementwise;
    work_.repeated_launches = work_.is_layer ? kinds / 4 : 0;
    // Each micro-batch adds its weight gradients to those before: read and written once more.
    if (plan_.zero < 3 && plan_.accumulation > 1 && setup_.task == StepTask::pretrain) {
      work_.fixed_bytes += 2 * setup_.framework.gradient_bytes * work_.parameters;
    }
    // An adapter reads its layer's input again and its result is added: counted for q, k, v and the output.
    constexpr double kAdapterPasses = 10;
    if (setup_.task == StepTask::lora && work_.is_layer) work_.fixed_bytes += kAdapterPasses * work_.pass_bytes;
    work_.trained = setup_.task == StepTask::lora ? 0.005 : 1;
  }

  const StepSetup& setup_;
  const Plan& plan_;
  double tokens_;
  std::int64_t length_;
  RecomputeShares shares_;
  bool is_low_;
  double element_;
  double tp_;
  double sequence_split_;
  LayerWork work_;
  double hidden_ = 0;
  double dispatched_ = 0;
  bool behind_core_ = false;
  std::int64_t last_in_ = 0;
  bool joins_ = false;
};

}  // namespace

std::int64_t longest_sequence(const Workload& workload) {
  std::int64_t longest = 0;
  for (const LengthCount& each : workload.batch) longest = std::max(longest, each.length);
  return longest;
}

LayerWork layer_work(const StepSetup& setup, const Block& block, double tokens) {
  return BlockCompiler(setup, block, tokens).take();
}

}  // namespace nameplate
