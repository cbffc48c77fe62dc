#include "nameplate/analysis/memory/estimate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/memory/saved.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

// Parameters of one repeat of a block on one device, after tp, ep and etp.
struct DeviceParameters {
  double dense = 0;
  double expert = 0;
  double trainable_dense = 0;
  double trainable_expert = 0;

  double all() const { return dense + expert; }
  DeviceParameters& operator+=(const DeviceParameters& o) {
    dense += o.dense;
    expert += o.expert;
    trainable_dense += o.trainable_dense;
    trainable_expert += o.trainable_expert;
    return *this;
  }
};

// A block with what one repeat of it needs.
struct SizedBlock {
  const Block* block = nullptr;
  DeviceParameters parameters;
  BlockActivations activations;
};

// Whether tensor parallelism leaves the weight whole on every rank.
bool replicated(const Operator& op) {
  return op.role == OperatorRole::norm || op.role == OperatorRole::router ||
         op.role == OperatorRole::position_embedding || op.role == OperatorRole::mtp_projection ||
         op.id.ends_with("q_down") || op.id.ends_with("kv_down");
}

// `counts` are those of the block's operators, all repeats together.
DeviceParameters device_parameters(const Block& block, std::span<const OperatorCount> counts, const Plan& plan) {
  DeviceParameters sum;
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    const Operator& op = block.operators[i];
    // A tied table lives on the first and on the last stage.
    const bool second_copy =
        op.shares_weights && op.role == OperatorRole::output_projection && plan.pp > 1 && !block.is_mtp;
    double parameters = to_double(second_copy ? counts[i].matmul_parameters_active : counts[i].parameters);
    const bool expert = op.role == OperatorRole::expert;
    parameters /= static_cast<double>(block.repeat * (expert ? plan.ep * plan.etp : replicated(op) ? 1 : plan.tp));
    (expert ? sum.expert : sum.dense) += parameters;
    if (op.trainable) (expert ? sum.trainable_expert : sum.trainable_dense) += parameters;
  }
  return sum;
}

// Which repeats of which blocks a pipeline stage holds: layers, and what stands before and behind them.
struct StageBlocks {
  std::vector<const SizedBlock*> layers;
  std::vector<const SizedBlock*> ends;
};

bool is_layer(const Block& block) { return !block.layers.empty() || (block.repeat > 1 && !block.is_mtp); }

// Even where the layers divide; with embedding and head as a layer each where that divides (126 layers on 16 stages);
// else the first stages hold one more.
std::vector<std::int64_t> layers_per_stage(std::int64_t layers, const Plan& plan) {
  if (!plan.stage_layers.empty()) return plan.stage_layers;
  std::vector<std::int64_t> split;
  if (plan.pp > 1 && layers % plan.pp != 0 && (layers + 2) % plan.pp == 0) {
    split.assign(static_cast<std::size_t>(plan.pp), (layers + 2) / plan.pp);
    --split.front();
    --split.back();
    return split;
  }
  for (std::int64_t stage = 0; stage < plan.pp; ++stage)
    split.push_back(layers / plan.pp + (stage < layers % plan.pp ? 1 : 0));
  return split;
}

// The model's layers in order; those of blocks that do not say which follow in the order of the blocks.
std::vector<const SizedBlock*> ordered_layers(const std::vector<SizedBlock>& blocks) {
  std::vector<std::pair<std::int64_t, const SizedBlock*>> layers;
  std::int64_t next = 0;
  for (const SizedBlock& sized : blocks) {
    if (!is_layer(*sized.block)) continue;
    for (std::int64_t i = 0; i < sized.block->repeat; ++i) {
      const auto& named = sized.block->layers;
      layers.emplace_back(named.empty() ? next : named[static_cast<std::size_t>(i)], &sized);
      next = std::max(next, layers.back().first) + 1;
    }
  }
  std::stable_sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const SizedBlock*> ordered;
  for (const auto& [index, sized] : layers) ordered.push_back(sized);
  return ordered;
}

std::vector<StageBlocks> divide(const std::vector<SizedBlock>& blocks, const Plan& plan) {
  const std::vector<const SizedBlock*> layers = ordered_layers(blocks);
  std::vector<StageBlocks> stages(static_cast<std::size_t>(plan.pp));
  auto next = layers.begin();
  const std::vector<std::int64_t> split = layers_per_stage(static_cast<std::int64_t>(layers.size()), plan);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto count = std::min<std::ptrdiff_t>(split[i], layers.end() - next);
    stages[i].layers.assign(next, next + count);
    next += count;
  }
  bool behind = false;
  for (const SizedBlock& sized : blocks) {
    behind |= is_layer(*sized.block);
    if (is_layer(*sized.block)) continue;
    std::vector<const SizedBlock*>& ends = (behind ? stages.back() : stages.front()).ends;
    for (std::int64_t i = 0; i < sized.block->repeat; ++i) ends.push_back(&sized);
  }
  return stages;
}

// Under DualPipe a device holds two parts of the model, one for each direction.
std::vector<StageBlocks> both_directions(const std::vector<StageBlocks>& parts) {
  std::vector<StageBlocks> devices = parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const StageBlocks& other = parts[parts.size() - 1 - i];
    devices[i].layers.insert(devices[i].layers.end(), other.layers.begin(), other.layers.end());
    devices[i].ends.insert(devices[i].ends.end(), other.ends.begin(), other.ends.end());
  }
  return devices;
}

// How many ranks share one copy of a state that is divided from ZeRO stage `from` on.
struct Shards {
  double dense = 1;
  double expert = 1;
};

Shards shards(const Plan& plan, int from) {
  if (plan.zero < from) return {};
  const double ranks = static_cast<double>(plan.dp_shard * plan.cp);
  return {ranks, std::max(1.0, ranks * static_cast<double>(plan.tp) / static_cast<double>(plan.ep * plan.etp))};
}

Bytes divided(double bytes, double dense, double expert, const Shards& by) {
  return Bytes::from_base(bytes * (dense / by.dense + expert / by.expert));
}

// One 16-bit tensor per distinct weight shape.
Bytes weight_gradient_dummies(const StageBlocks& stage) {
  std::set<std::pair<double, double>> shapes;
  for (const SizedBlock* sized : stage.layers) {
    for (const MatmulGroup& group : sized->activations.matmuls) shapes.emplace(group.in, group.out);
  }
  Bytes sum;
  for (const auto& [in, out] : shapes) sum += bytes(2 * in * out);
  return sum;
}

Bytes gathered_units(const StageBlocks& stage, double stage_parameters, const Plan& plan, const MemoryFacts& f) {
  if (plan.zero < 3) return {};
  if (plan.pp > 1 && f.pipeline_stays_gathered) return bytes((2 + f.unit_gradient_bytes) * stage_parameters);
  double root = 0;
  for (const SizedBlock* sized : stage.ends) root += sized->parameters.all();
  double layer = 0;
  for (const SizedBlock* sized : stage.layers) layer = std::max(layer, sized->parameters.all());
  return bytes((f.root_stays_gathered ? 2 * root : 0) + (2 * f.gathered_units + f.unit_gradient_bytes) * layer);
}

void add_states(StageMemory& m, const StageBlocks& stage, const Workload& workload, const Plan& plan,
                const MemoryFacts& f) {
  DeviceParameters p;
  for (const SizedBlock* sized : stage.layers) p += sized->parameters;
  for (const SizedBlock* sized : stage.ends) p += sized->parameters;
  m.parameters = p.all();
  m.weights = divided(f.weight_bytes, p.dense, p.expert, shards(plan, 3));
  m.gradients = divided(f.gradient_bytes, p.trainable_dense, p.trainable_expert, shards(plan, 2));
  const double optimizer = std::max(0.0, workload.optimizer_state_bytes_per_parameter - (f.weights_are_master ? 4 : 0));
  // The two copies of DualPipe have one optimizer state between them.
  const double copies = plan.pp > 1 && plan.schedule == PipelineSchedule::dualpipe ? 2 : 1;
  m.optimizer = divided(optimizer / copies, p.trainable_dense, p.trainable_expert, shards(plan, 1));
  m.gathered = gathered_units(stage, m.parameters, plan, f);
  if (plan.zero == 1 || plan.zero == 2) m.buffers += f.bucket;
  if (f.weight_gradient_dummies) m.buffers += weight_gradient_dummies(stage);
}

void add_tensors(StageMemory& m, const SizedBlock& sized, double units) {
  for (const SavedTensor& tensor : sized.activations.kept) {
    const Bytes size = bytes(tensor.bytes_per_unit * units);
    auto known = std::find_if(m.activations_by_tensor.begin(), m.activations_by_tensor.end(),
                              [&](const ActivationMemory& a) { return a.id == tensor.id; });
    if (known == m.activations_by_tensor.end())
      known = m.activations_by_tensor.insert(known, {tensor.id, tensor.role, {}});
    known->bytes += size;
    m.activations += size;
  }
}

double logits_per_unit(const StageBlocks& stage, const Plan& plan) {
  double width = 0;
  for (const SizedBlock* sized : stage.ends) {
    for (const Operator& op : sized->block->operators) {
      const auto* head = op.role == OperatorRole::output_projection ? std::get_if<MatmulShape>(&op.shape) : nullptr;
      // Heads of multi-token prediction follow one another; one set of logits lives at a time.
      if (head != nullptr) width = std::max(width, static_cast<double>(head->out));
    }
  }
  return width / static_cast<double>(plan.tp);
}

StageMemory stage_memory(const StageBlocks& stage, double held, double units, const Workload& workload,
                         const Plan& plan, const MemoryFacts& f) {
  StageMemory m{.layers = static_cast<std::int64_t>(stage.layers.size()), .micro_batches_in_flight = held};
  add_states(m, stage, workload, plan, f);
  double working = 0;
  for (const SizedBlock* sized : stage.layers) {
    add_tensors(m, *sized, units * m.micro_batches_in_flight);
    working = std::max(working, sized->activations.working_bytes_per_unit * units);
  }
  for (const SizedBlock* sized : stage.ends) add_tensors(m, *sized, units);
  const double logits = logits_per_unit(stage, plan) * units * f.bytes_per_logit;
  (logits >= working ? m.logits : m.working) = bytes(std::max(logits, working));
  m.constant = f.constant;
  if (f.segments_add_up) m.reserve += bytes(std::min(logits, working));
  m.reserve += m.allocated() * f.fragmentation_ratio;
  return m;
}

std::int64_t longest(const Workload& workload) {
  std::int64_t length = 0;
  for (const LengthCount& part : workload.batch) length = std::max(length, part.length);
  return length;
}

// The units other than the model's own, of one sample of `length`.
std::vector<UnitShare> other_units(const Architecture& architecture, std::int64_t length) {
  std::vector<UnitShare> shares;
  for (const UnitBatch& other : with_units(architecture, uniform_workload(1, length)).others) {
    if (other.unit == architecture.unit) continue;
    UnitShare share{other.unit, 0, 0};
    for (const LengthCount& part : other.batch) {
      share.per_own_unit += static_cast<double>(part.length * part.count) / static_cast<double>(length);
      share.sequence_length = std::max(share.sequence_length, part.length);
    }
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace

Bytes StageMemory::allocated() const {
  return weights + gradients + optimizer + gathered + buffers + activations + logits + working + constant;
}

MemoryEstimate estimate_memory(const Architecture& architecture, const Workload& workload, const Plan& plan,
                               const MemoryFacts& framework, std::span<const double> held) {
  const std::int64_t length = longest(workload);
  const SaveRules rules{framework,          plan,   workload.recompute,
                        workload.precision, length, other_units(architecture, length)};
  const std::vector<OperatorCount> counts = count_operators(architecture, {}, AttentionCount::causal);
  std::span<const OperatorCount> rest = counts;
  std::vector<SizedBlock> blocks;
  for (const Block& block : architecture.blocks) {
    // What has no backward pass keeps nothing for it.
    BlockActivations saved = block.is_forward_only ? BlockActivations{} : block_activations(block, rules);
    blocks.push_back({&block, device_parameters(block, rest, plan), std::move(saved)});
    rest = rest.subspan(block.operators.size());
  }
  std::vector<StageBlocks> stages = divide(blocks, plan);
  if (plan.pp > 1 && plan.schedule == PipelineSchedule::dualpipe) stages = both_directions(stages);
  NAMEPLATE_CHECK(held.empty() || held.size() == stages.size());
  const double units =
      static_cast<double>(plan.micro_batch) * static_cast<double>(length) / static_cast<double>(plan.cp);
  MemoryEstimate estimate;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    estimate.stages.push_back(stage_memory(stages[i], held.empty() ? 1 : held[i], units, workload, plan, framework));
    estimate.stages[i].stage = static_cast<std::int64_t>(i);
    if (estimate.stages[i].reserved() > estimate.peak().reserved()) estimate.peak_stage = i;
  }
  return estimate;
}

Bytes addressable_memory(Bytes stated) {
  const double gb = stated / gigabytes(1);
  return gb == std::floor(gb) ? gib(gb) : stated;
}

double out_of_memory_risk(Bytes reserved, Bytes capacity, const MemoryRiskFacts& facts) {
  const Bytes usable = capacity - facts.outside;
  if (usable <= Bytes{}) return 1;
  const double deviations = std::log(usable / reserved) / facts.sigma_ratio;
  return 0.5 * std::erfc(deviations / std::sqrt(2.0));
}

}  // namespace nameplate
