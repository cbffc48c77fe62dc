#include "nameplate/analysis/attribution/kernel_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "nameplate/analysis/attribution/operator_flops.h"

namespace nameplate {
namespace {

// What a span of a name says about the work launched inside it.
struct NameMeaning {
  bool formula = false;
  bool opens_recompute = false;   // what is inside is recompute …
  bool closes_recompute = false;  // … up to a backward pass inside
  bool autograd_node = false;
  bool forward_only = false;
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool is_forward_only(std::string_view name) {
  constexpr std::string_view kForwardOnly[] = {"aten::linear",
                                               "aten::conv1d",
                                               "aten::conv2d",
                                               "aten::conv3d",
                                               "aten::scaled_dot_product_attention",
                                               "aten::dropout",
                                               "aten::layer_norm",
                                               "aten::rms_norm",
                                               "aten::embedding",
                                               "aten::batch_norm",
                                               "aten::cross_entropy_loss"};
  return std::find(std::begin(kForwardOnly), std::end(kForwardOnly), name) != std::end(kForwardOnly);
}

NameMeaning meaning_of(std::string_view name) {
  NameMeaning m;
  m.formula = has_flops_formula(name);
  const bool frame = has(name, "utils/checkpoint.py");
  m.opens_recompute =
      (frame && (has(name, "): recompute_fn") || has(name, "): backward"))) || name == "CheckpointFunctionBackward";
  m.autograd_node = name.starts_with("autograd::engine::evaluate_function");
  m.closes_recompute = m.autograd_node || (has(name, "torch/autograd/") && has(name, "backward"));
  m.forward_only = is_forward_only(name);
  return m;
}

// What holds for work launched inside each span of the host.
class Inside {
 public:
  Inside(const Timeline& timeline, const HostSpans& host, const std::vector<std::int32_t>& enclosing,
         const OperatorFormula& formula)
      : timeline_(timeline), host_(host), formula_(formula) {
    meanings_.reserve(timeline.names.size());
    for (const std::string& name : timeline.names) meanings_.push_back(meaning_of(name));
    states_.resize(enclosing.size());
    for (std::size_t i = 0; i < enclosing.size(); ++i) {
      states_[i] = next(enclosing[i] < 0 ? State{} : states_[static_cast<std::size_t>(enclosing[i])], i);
    }
  }

  bool recompute(std::int32_t span) const { return states_[static_cast<std::size_t>(span)].recompute; }
  // The call that gives the FLOPs; -1: none.
  std::int32_t owner(std::int32_t span) const { return states_[static_cast<std::size_t>(span)].owner; }
  const OperatorWork& work(std::int32_t owner) const { return work_.at(owner); }

 private:
  struct State {
    std::int32_t owner = -1;
    bool recompute = false;
    bool in_node = false;
  };

  State next(State state, std::size_t span) {
    const NameMeaning& m = meanings_[static_cast<std::size_t>(host_.name_id[span])];
    if (m.autograd_node) state.in_node = true;
    if (m.closes_recompute) state.recompute = false;
    if (m.opens_recompute || (m.forward_only && state.in_node)) state.recompute = true;
    if ((m.formula || formula_) && state.owner < 0 && host_.operands[span] >= 0) {
      if (const auto work = work_of(span)) {
        state.owner = static_cast<std::int32_t>(span);
        work_.emplace(state.owner, *work);
      }
    }
    return state;
  }

  std::optional<OperatorWork> work_of(std::size_t span) const {
    const Operands& operands = timeline_.operands[static_cast<std::size_t>(host_.operands[span])];
    const std::string& name = timeline_.names[static_cast<std::size_t>(host_.name_id[span])];
    if (const auto own = formula_ ? formula_(name, operands) : std::nullopt) {
      return OperatorWork{*own, operands.types.empty() ? std::nullopt : recorded_precision(operands.types), {}};
    }
    return operator_work(name, operands);
  }

  const Timeline& timeline_;
  const HostSpans& host_;
  const OperatorFormula& formula_;
  std::vector<NameMeaning> meanings_;
  std::vector<State> states_;
  std::map<std::int32_t, OperatorWork> work_;
};

// How likely a class does the matrix work of the operator that launched it; the highest present takes all of it.
int likelihood(DeviceEventClass c) {
  if (is_matrix(c)) return 3;
  if (c == DeviceEventClass::unclassified) return 2;
  return is_compute(c) ? 1 : 0;
}

std::optional<double> flops_without_operator(DeviceEventClass c) {
  if (is_matrix(c) || c == DeviceEventClass::unclassified) return std::nullopt;
  return 0;
}

void share_flops(const DeviceEvents& device, const Inside& inside, std::vector<KernelWork>& work) {
  struct Share {
    int likelihood = 0;
    std::int64_t time_ns = 0;
  };
  std::map<std::int32_t, Share> shares;
  const auto owner_of = [&](std::size_t i) { return device.launch[i] < 0 ? -1 : inside.owner(device.launch[i]); };
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (owner_of(i) < 0 || !is_compute(device.event_class[i])) continue;
    Share& share = shares[owner_of(i)];
    const int own = likelihood(device.event_class[i]);
    if (own > share.likelihood) share = {own, 0};
    if (own == share.likelihood) share.time_ns += device.duration_ns[i];
  }
  for (std::size_t i = 0; i < work.size(); ++i) {
    const auto share = shares.find(owner_of(i));
    if (share == shares.end() || !is_compute(device.event_class[i])) continue;
    const bool takes_part = likelihood(device.event_class[i]) == share->second.likelihood && share->second.time_ns > 0;
    const OperatorWork& of_call = inside.work(share->first);
    work[i].owner = share->first;
    work[i].flops =
        takes_part
            ? of_call.flops * (static_cast<double>(device.duration_ns[i]) / static_cast<double>(share->second.time_ns))
            : 0;
    if (takes_part) work[i].precision = of_call.precision;
    if (takes_part) work[i].causal = of_call.causal;
  }
}

}  // namespace

bool is_copy(DeviceEventClass c) {
  return c == DeviceEventClass::copy || c == DeviceEventClass::copy_to_device || c == DeviceEventClass::copy_to_host ||
         c == DeviceEventClass::memset;
}

bool is_compute(DeviceEventClass c) { return c != DeviceEventClass::collective && !is_copy(c); }

bool is_matrix(DeviceEventClass c) {
  return c == DeviceEventClass::matmul || c == DeviceEventClass::attention || c == DeviceEventClass::convolution;
}

std::vector<KernelWork> kernel_work(const Timeline& timeline, const RankTimeline& rank,
                                    const std::vector<std::int32_t>& enclosing, const OperatorFormula& formula) {
  const DeviceEvents& device = rank.device;
  const Inside inside(timeline, rank.host, enclosing, formula);
  std::vector<KernelWork> work(device.begin_ns.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (!is_compute(device.event_class[i])) continue;
    work[i].flops = flops_without_operator(device.event_class[i]);
    const bool launched_inside = device.launch[i] >= 0 && inside.recompute(device.launch[i]);
    work[i].recompute = (device.flags[i] & kRecompute) != 0 || launched_inside;
  }
  share_flops(device, inside, work);
  for (std::size_t i = 0; i < device.flops.size(); ++i) {  // a compiler's own count wins over one from shapes
    if (device.flops[i] >= 0 && is_compute(device.event_class[i])) work[i].flops = device.flops[i];
  }
  return work;
}

std::optional<Precision> dominant_precision(const std::vector<KernelWork>& work) {
  std::array<double, static_cast<std::size_t>(Precision::fp4) + 1> flops{};
  for (const KernelWork& w : work) {
    if (w.precision) flops[static_cast<std::size_t>(*w.precision)] += w.flops.value_or(0);
  }
  const auto most = std::max_element(flops.begin(), flops.end());
  if (*most <= 0) return std::nullopt;
  return static_cast<Precision>(most - flops.begin());
}

}  // namespace nameplate
