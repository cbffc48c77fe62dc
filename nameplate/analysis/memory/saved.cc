#include "nameplate/analysis/memory/saved.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace nameplate {
namespace {

// One saved tensor before the recompute policy is applied; `dropped_by` names the module that computes it again.
struct Candidate {
  SavedTensor tensor;
  std::optional<RecomputeModule> dropped_by;
  bool recomputed = false;  // by the operator's own policy
};

bool is_moe_role(OperatorRole role) {
  return role == OperatorRole::expert || role == OperatorRole::shared_expert || role == OperatorRole::router;
}

bool is_mlp_role(OperatorRole role) {
  return role == OperatorRole::mlp || role == OperatorRole::expert || role == OperatorRole::shared_expert;
}

// Walks the operators of a block in order and collects what each saves.
class Saver {
 public:
  Saver(const Block& block, const SaveRules& rules)
      : rules_(rules),
        tensor_split_(static_cast<double>(rules.plan.tp)),
        sequence_split_(rules.plan.sp ? static_cast<double>(rules.plan.tp) : 1),
        input_bytes_(rules.precision == Precision::fp8 && rules.facts.fp8_saved_inputs ? 1 : 2) {
    latent_ = std::any_of(block.operators.begin(), block.operators.end(),
                          [](const Operator& op) { return op.id.ends_with("kv_up"); });
    for (const Operator& op : block.operators) visit(op);
  }

  std::vector<Candidate> candidates;
  std::vector<MatmulGroup> groups;
  std::vector<SavedTensor> alternate;  // outputs that the policy alternate_matmuls keeps
  double block_input_width = 0;

 private:
  void visit(const Operator& op) {
    amount_ = share_of(op.unit).per_own_unit * static_cast<double>(op.repeat);
    if (const auto* attention = std::get_if<AttentionShape>(&op.shape)) {
      visit_attention(op, *attention);
    } else if (const auto* matmul = std::get_if<MatmulShape>(&op.shape)) {
      visit_matmul(op, *matmul);
    } else if (const auto* elementwise = std::get_if<ElementwiseShape>(&op.shape)) {
      if (op.role == OperatorRole::norm) visit_norm(op, *elementwise);
    } else if (const auto* convolution = std::get_if<ConvolutionShape>(&op.shape)) {
      visit_convolution(op, *convolution);
    } else if (const auto* scan = std::get_if<ScanShape>(&op.shape)) {
      save_inner(op, ".output", 2 * static_cast<double>(scan->heads * scan->value_dim) / tensor_split_);
      behind_scan_ = true;
    } else if (const auto* contraction = std::get_if<ContractionShape>(&op.shape)) {
      if (contraction->along_sequence) save(op, ".operands", 2 * 2 * static_cast<double>(contraction->out));
    }
  }

  UnitShare share_of(const std::string& unit) const {
    for (const UnitShare& other : rules_.other_units) {
      if (other.unit == unit) return other;
    }
    return {unit, 1, rules_.sequence_length};
  }

  void visit_norm(const Operator& op, const ElementwiseShape& shape) {
    if (block_input_width == 0)
      block_input_width = static_cast<double>(shape.width) * amount_ / static_cast<double>(op.repeat);
    // What the norm of a state-space layer reads is the scan's output.
    if (behind_scan_) return;
    // Norms of queries and keys lie behind the column split; all others see the whole width.
    save(op, ".input",
         2 * static_cast<double>(shape.width) / (op.id.ends_with("qk_norm") ? tensor_split_ : sequence_split_));
  }

  void visit_convolution(const Operator& op, const ConvolutionShape& shape) {
    // The short convolution before a scan reads the projection's output, which is kept.
    if (in_mixer_ || !op.trainable) return;
    save(op, ".input", 2 * static_cast<double>(shape.in * shape.positions));
  }

  void visit_attention(const Operator& op, const AttentionShape& shape) {
    const auto heads = static_cast<double>(shape.heads);
    const auto qk = static_cast<double>(shape.qk_dim);
    const auto v = static_cast<double>(shape.v_dim);
    const UnitShare own = share_of(op.unit);
    const UnitShare keys = share_of(shape.keys_unit.empty() ? op.unit : shape.keys_unit);
    const double keys_per_query = keys.per_own_unit / own.per_own_unit;
    const double output = 2 * heads * v / tensor_split_;
    save(op, ".qkv", 2 * (heads * qk + static_cast<double>(shape.kv_heads) * (qk + v) * keys_per_query) / tensor_split_,
         latent_ ? std::optional(RecomputeModule::latent_up_projection) : std::nullopt);
    save(op, ".output", output);
    if (rules_.facts.context_parallel_copy && rules_.plan.cp > 1) save(op, ".output_copy", output);
    double scores = 4 * heads;  // log-sum-exp
    if (!rules_.facts.fused_attention) {
      scores = (rules_.facts.dropout ? 5.0 : 2.0) * heads * static_cast<double>(keys.sequence_length);
    }
    save_inner(op, ".scores", scores / tensor_split_, RecomputeModule::core_attention);
    alternate.push_back({op.id + ".output", op.role, (output + 4 * heads / tensor_split_) * amount_});
    behind_core_ = true;
  }

  void visit_matmul(const Operator& op, const MatmulShape& shape) {
    if (op.role == OperatorRole::mixer_projection) {
      visit_mixer(op, shape);
    } else if (op.role == OperatorRole::attention_projection && behind_core_) {
      row_split(op, shape);
      // The output that attention saved is this input; fp8 matmuls keep a copy of their own.
      if (input_bytes_ == 1 && op.trainable) save(op, ".input_fp8", static_cast<double>(shape.in) / tensor_split_);
      if (rules_.facts.dropout) save_mask(op, shape);
    } else if (is_mlp_role(op.role)) {
      visit_mlp(op, shape);
    } else if (op.role == OperatorRole::router) {
      save_mlp_input(op, shape);
      save_inner(op, ".probabilities", 2 * 4 * static_cast<double>(shape.out) / sequence_split_,
                 RecomputeModule::experts);
    } else if (op.role == OperatorRole::output_projection) {
      const double split = rules_.facts.keeps_gathered_inputs ? 1 : sequence_split_;
      if (op.trainable) save(op, ".input", 2 * static_cast<double>(shape.in) / split);
    } else {
      column_split(op, shape);
    }
  }

  // Layers of attention's inputs, and any that are not split.
  void column_split(const Operator& op, const MatmulShape& shape) {
    const bool replicated = op.id.ends_with("q_down") || op.id.ends_with("kv_down");
    const double split = replicated || op.role != OperatorRole::attention_projection ? 1 : tensor_split_;
    const bool gathered = split > 1 && sequence_split_ > 1;
    join_group({op.role, static_cast<double>(shape.in), static_cast<double>(shape.out) / split, amount_, gathered});
    if (first_to_need(op, shape)) {
      const bool from_norm = op.role == OperatorRole::attention_projection;
      save(op, ".input", input_bytes_ * static_cast<double>(shape.in) / sequence_split_,
           from_norm ? std::optional(RecomputeModule::norm) : std::nullopt);
    }
    keep_alternate(op, static_cast<double>(shape.out) / split);
  }

  void visit_mixer(const Operator& op, const MatmulShape& shape) {
    if (behind_scan_) {
      row_split(op, shape);
      if (op.trainable) save(op, ".input", input_bytes_ * static_cast<double>(shape.in) / tensor_split_);
      return;
    }
    const double out = static_cast<double>(shape.out) / tensor_split_;
    join_group({op.role, static_cast<double>(shape.in), out, amount_, sequence_split_ > 1});
    if (first_to_need(op, shape)) {
      save(op, ".input", input_bytes_ * static_cast<double>(shape.in) / sequence_split_, RecomputeModule::norm);
    }
    save_inner(op, ".output", 2 * out);
    in_mixer_ = true;
    keep_alternate(op, out);
  }

  void row_split(const Operator& op, const MatmulShape& shape) {
    groups.push_back({op.role, static_cast<double>(shape.in) / tensor_split_, static_cast<double>(shape.out), amount_});
    keep_alternate(op, static_cast<double>(shape.out) / sequence_split_);
  }

  void visit_mlp(const Operator& op, const MatmulShape& shape) {
    const bool expert = op.role == OperatorRole::expert;
    // Experts are split over etp; tokens over what tp is left.
    const double weight_split = expert ? static_cast<double>(rules_.plan.etp) : tensor_split_;
    const double units = expert ? static_cast<double>(shape.active) * weight_split / tensor_split_ : 1;
    const bool second =
        hidden_role_ == op.role && hidden_width_ == shape.in && (op.id.ends_with("down") || shape.in != mlp_in_);
    if (second) {
      visit_mlp_down(op, shape, weight_split, units);
      return;
    }
    mlp_in_ = shape.in;
    hidden_width_ = shape.out;
    hidden_role_ = op.role;
    const double in = static_cast<double>(shape.in);
    const double out = static_cast<double>(shape.out) / weight_split;
    join_group({op.role, in, out, units * amount_, !expert && sequence_split_ > 1});
    if (!expert) {
      save_mlp_input(op, shape);
    } else if (first_to_need(op, shape)) {
      save(op, ".dispatched", input_bytes_ * units * in, RecomputeModule::experts);
    }
    save_inner(op, ".output", 2 * units * out, hidden_module(op));
    keep_alternate(op, units * out);
  }

  void visit_mlp_down(const Operator& op, const MatmulShape& shape, double weight_split, double units) {
    const double in = static_cast<double>(shape.in) / weight_split;
    if (op.trainable) {
      save_inner(op, ".input", input_bytes_ * units * in,
                 op.role == OperatorRole::expert ? RecomputeModule::expert_activation : hidden_module(op));
    }
    if (rules_.facts.dropout) save_mask(op, shape);
    groups.push_back({op.role, in, static_cast<double>(shape.out), units * amount_});
    // The last output of a layer feeds a sum, whose gradient needs no operand: a compiler drops it.
    keep_alternate(op, rules_.facts.compiled ? 0 : static_cast<double>(shape.out) / sequence_split_);
  }

  static RecomputeModule hidden_module(const Operator& op) {
    return is_moe_role(op.role) ? RecomputeModule::experts : RecomputeModule::mlp;
  }

  // Router, shared experts and dense MLP read one tensor.
  void save_mlp_input(const Operator& op, const MatmulShape& shape) {
    if (mlp_input_saved_ || !op.trainable) return;
    mlp_input_saved_ = true;
    save(op, ".input", input_bytes_ * static_cast<double>(shape.in) / sequence_split_, RecomputeModule::norm);
  }

  void save_mask(const Operator& op, const MatmulShape& shape) {
    save(op, ".dropout_mask", static_cast<double>(shape.out) / sequence_split_);
  }

  void join_group(const MatmulGroup& joining) {
    for (MatmulGroup& group : groups) {
      if (group.role != joining.role || group.in != joining.in) continue;
      group.out += joining.out;
      return;
    }
    groups.push_back(joining);
  }

  // Whether `op` is the first whose weight gradient needs this input. A frozen weight needs none.
  bool first_to_need(const Operator& op, const MatmulShape& shape) {
    return op.trainable && inputs_.emplace(op.role, shape.in).second;
  }

  void save(const Operator& op, const char* what, double bytes,
            std::optional<RecomputeModule> dropped_by = std::nullopt) {
    candidates.push_back({{op.id + what, op.role, bytes * amount_}, dropped_by});
  }

  // What the operator's own recomputation makes again from its inputs.
  void save_inner(const Operator& op, const char* what, double bytes,
                  std::optional<RecomputeModule> dropped_by = std::nullopt) {
    save(op, what, bytes, dropped_by);
    candidates.back().recomputed = op.recomputed;
  }

  void keep_alternate(const Operator& op, double width) {
    if (++matmuls_ % 2 == 1 && width > 0) alternate.push_back({op.id + ".output", op.role, 2 * width * amount_});
  }

  const SaveRules& rules_;
  double tensor_split_;
  double sequence_split_;
  double input_bytes_;
  double amount_ = 1;  // of the operator at hand, per unit of the model's own
  bool latent_ = false;
  bool behind_core_ = false;
  bool in_mixer_ = false;
  bool behind_scan_ = false;
  bool mlp_input_saved_ = false;
  std::int64_t mlp_in_ = 0;
  std::int64_t hidden_width_ = -1;
  OperatorRole hidden_role_ = OperatorRole::other;
  int matmuls_ = 0;
  std::set<std::pair<OperatorRole, std::int64_t>> inputs_;  // by who reads them, and width
};

bool contains(const std::vector<RecomputeModule>& modules, RecomputeModule module) {
  return std::find(modules.begin(), modules.end(), module) != modules.end();
}

bool dropped(const Candidate& candidate, const std::vector<RecomputeModule>& modules) {
  if (!candidate.dropped_by) return false;
  // Recomputing the whole MoE layer includes its activation function.
  const bool inside_experts =
      candidate.dropped_by == RecomputeModule::expert_activation && contains(modules, RecomputeModule::experts);
  return inside_experts || contains(modules, *candidate.dropped_by);
}

std::vector<SavedTensor> kept_tensors(const Saver& saver, const SaveRules& rules) {
  const double split = rules.plan.sp ? static_cast<double>(rules.plan.tp) : 1;
  const SavedTensor input{"block.input", OperatorRole::other, 2 * saver.block_input_width / split};
  if (rules.recompute == Recompute::full) return {input};
  const bool selective = rules.recompute == Recompute::selective;
  if (selective && contains(rules.facts.selective, RecomputeModule::alternate_matmuls)) {
    std::vector<SavedTensor> kept = {input};
    kept.insert(kept.end(), saver.alternate.begin(), saver.alternate.end());
    return kept;
  }
  std::vector<SavedTensor> kept;
  for (const Candidate& candidate : saver.candidates) {
    const bool by_policy = selective && dropped(candidate, rules.facts.selective);
    if (!by_policy && !candidate.recomputed) kept.push_back(candidate.tensor);
  }
  return kept;
}

double sum(const std::vector<SavedTensor>& tensors) {
  double total = 0;
  for (const SavedTensor& tensor : tensors) total += tensor.bytes_per_unit;
  return total;
}

}  // namespace

double BlockActivations::kept_bytes_per_unit() const { return sum(kept); }

BlockActivations block_activations(const Block& block, const SaveRules& rules) {
  Saver saver(block, rules);
  BlockActivations result{.kept = kept_tensors(saver, rules), .matmuls = std::move(saver.groups)};
  double all = 0;
  for (const Candidate& candidate : saver.candidates) all += candidate.tensor.bytes_per_unit;
  const double recomputed = std::max(0.0, all - result.kept_bytes_per_unit());
  double widest = 0;
  double gathered = 0;
  for (const MatmulGroup& group : result.matmuls) {
    widest = std::max(widest, 2 * group.units * (group.in + group.out));
    if (group.gathered_input && rules.facts.keeps_gathered_inputs) gathered += 2 * group.units * group.in;
  }
  result.working_bytes_per_unit = recomputed + widest + gathered;
  return result;
}

}  // namespace nameplate
