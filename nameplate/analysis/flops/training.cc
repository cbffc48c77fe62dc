#include "nameplate/analysis/flops/training.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/facts/operator_makers.h"

namespace nameplate {
namespace {

struct Alias {
  std::string_view peft;
  std::string_view suffix;  // of the ids that it stands for
};
constexpr Alias kAliases[] = {
    {"q_proj", "attention.q"}, {"k_proj", "attention.k"}, {"v_proj", "attention.v"}, {"o_proj", "attention.out"},
    {"gate_proj", ".gate"},    {"up_proj", ".up"},        {"down_proj", ".down"},
};

bool is_dense(const Operator& op) {
  return std::holds_alternative<MatmulShape>(op.shape) && op.role != OperatorRole::router &&
         op.role != OperatorRole::output_projection && op.role != OperatorRole::adapter;
}

bool fits(std::string_view selector, const Block& block, const Operator& op) {
  if (selector == "all") return true;
  if (selector == "all-linear") return is_dense(op);
  for (const Alias& alias : kAliases) {
    if (selector == alias.peft) return op.id.ends_with(alias.suffix);
  }
  const std::string_view id = op.id;
  const bool ends = id.size() > selector.size() && id.ends_with(selector) && id[id.size() - selector.size() - 1] == '.';
  return id == selector || ends || name(op.role) == selector || block.id == selector || block.part == selector;
}

std::vector<std::string> selectors_of(const Architecture& architecture) {
  std::vector<std::string> known = {"all", "all-linear"};
  for (const Alias& alias : kAliases) known.emplace_back(alias.peft);
  for (const Block& block : architecture.blocks) {
    known.push_back(block.id);
    if (!block.part.empty()) known.push_back(block.part);
    for (const Operator& op : block.operators) {
      known.push_back(op.id);
      known.emplace_back(name(op.role));
    }
  }
  return known;
}

// Calls `change(block, index of the operator)` for what the selectors fit; each must fit something.
template <class Change>
Status for_each_selected(Architecture& architecture, std::span<const std::string> selectors, Change change) {
  std::vector<bool> used(selectors.size());
  for (Block& block : architecture.blocks) {
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
      bool selected = false;
      for (std::size_t s = 0; s < selectors.size(); ++s) {
        if (!fits(selectors[s], block, block.operators[i])) continue;
        selected = used[s] = true;
      }
      if (selected) change(block, i);
    }
  }
  for (std::size_t s = 0; s < selectors.size(); ++s) {
    if (used[s]) continue;
    Error bad = error(fmt::format("'{:.80}' fits no operator of {}", selectors[s], architecture.name),
                      did_you_mean(selectors[s], selectors_of(architecture)));
    bad.expected = "an operator, role, block or part as `nameplate flops` lists them";
    return bad;
  }
  return std::nullopt;
}

// A beside the matrix, then B: both of as many instances as the matrix has.
std::vector<Operator> adapters(const Operator& target, std::int64_t rank) {
  const auto& shape = std::get<MatmulShape>(target.shape);
  const auto one = [&](std::string_view end, std::int64_t in, std::int64_t out) {
    Operator op = matmul(fmt::format("{}.{}", target.id, end), OperatorRole::adapter,
                         {.in = in, .out = out, .instances = shape.instances, .active = shape.active});
    op.unit = target.unit;
    op.repeat = target.repeat;
    return op;
  };
  return {one("lora_a", shape.in, rank), one("lora_b", rank, shape.out)};
}

// The units of `other` beside those of `architecture`.
Status add_units(Architecture& architecture, const Architecture& other) {
  for (const UnitLength& unit : other.units) {
    const auto same = std::find_if(architecture.units.begin(), architecture.units.end(),
                                   [&](const UnitLength& known) { return known.name == unit.name; });
    if (same == architecture.units.end()) {
      architecture.units.push_back(unit);
    } else if (*same != unit) {
      return error(fmt::format("a sample of {} has {} x {} '{}', one of {} {} x {}", architecture.name, same->sequences,
                               same->length, unit.name, other.name, unit.sequences, unit.length),
                   "models on the same batch see the same samples");
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Architecture> with_frozen(Architecture architecture, std::span<const std::string> selectors) {
  const Status bad = for_each_selected(architecture, selectors,
                                       [](Block& block, std::size_t i) { block.operators[i].trainable = false; });
  if (bad) return *bad;
  return architecture;
}

Result<Architecture> with_lora(Architecture architecture, std::int64_t rank, std::span<const std::string> targets) {
  for (Block& block : architecture.blocks) {
    for (Operator& op : block.operators) op.trainable = false;
  }
  bool any = false;
  const Status bad = for_each_selected(architecture, targets, [&](Block& block, std::size_t& i) {
    if (!std::holds_alternative<MatmulShape>(block.operators[i].shape)) return;
    any = true;
    const std::vector<Operator> pair = adapters(block.operators[i], rank);
    block.operators.insert(block.operators.begin() + static_cast<std::ptrdiff_t>(i) + 1, pair.begin(), pair.end());
    i += pair.size();
  });
  if (bad) return *bad;
  if (!any) return error("LoRA on no dense layer", "q_proj, v_proj, …, or all-linear");
  return architecture;
}

Result<Architecture> with_precision(Architecture architecture, Precision precision,
                                    std::span<const std::string> selectors) {
  const Status bad = for_each_selected(architecture, selectors,
                                       [&](Block& block, std::size_t i) { block.operators[i].precision = precision; });
  if (bad) return *bad;
  return architecture;
}

Result<Architecture> with_recomputed(Architecture architecture, std::span<const std::string> selectors) {
  const Status bad = for_each_selected(architecture, selectors,
                                       [](Block& block, std::size_t i) { block.operators[i].recomputed = true; });
  if (bad) return *bad;
  return architecture;
}

Result<Architecture> with_forward_model(Architecture architecture, const Architecture& other) {
  if (other.unit != architecture.unit) {
    return error(fmt::format("{} works on one {} at a time and {} on one {}", other.name, other.unit, architecture.name,
                             architecture.unit),
                 "models on the same batch count it in the same unit");
  }
  if (Status bad = add_units(architecture, other)) return *bad;
  for (Block& block : architecture.blocks) {
    if (block.part.empty()) block.part = "trained";
  }
  for (Block block : other.blocks) {
    if (block.is_mtp) continue;
    block.part = other.name + " (forward)";
    block.id = fmt::format("{}/{}", other.name, block.id);
    block.is_forward_only = true;
    for (Operator& op : block.operators) op.trainable = false;
    architecture.blocks.push_back(std::move(block));
  }
  return architecture;
}

std::vector<PrecisionShare> precision_shares(const Architecture& architecture, const Workload& workload) {
  std::map<Precision, Int128> sums;
  Int128 total = 0;
  for (const OperatorCount& op : count_operators(architecture, workload, AttentionCount::causal)) {
    sums[op.precision.value_or(workload.precision)] += op.flops.total();
    total += op.flops.total();
  }
  std::vector<PrecisionShare> shares;
  for (const auto& [precision, flops] : sums) {
    if (flops > 0) shares.push_back({precision, to_double(flops) / to_double(total)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const PrecisionShare& a, const PrecisionShare& b) { return a.share_ratio > b.share_ratio; });
  return shares;
}

}  // namespace nameplate
