// What does each kernel of a rank work on: how many model FLOPs, at which precision, is it repeated forward work?
//
// A kernel belongs to the operators of the host that enclose its launch. The outermost one whose FLOPs are known from
// its shapes gives the count (operator_flops.h), shared among the kernels of that call that can do matrix work, by
// their time: classified matrix kernels, else those of no known class, else all. Kernels that classes say do no matrix
// work have no model FLOPs; those of matrix kernels without shapes, and of kernels of no class, are not known.
//
// Recompute is what the timeline flags, and forward work inside a backward pass: launched inside the frame
// torch/utils/checkpoint.py "recompute_fn" (checkpoints without re-entry), inside CheckpointFunction's backward but
// outside the backward pass that it starts (with re-entry), or by an operator that only a forward pass calls
// ("aten::linear", …) inside autograd's evaluation of a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/analysis/attribution/operator_flops.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct KernelWork {
  std::optional<double> flops;  // model FLOPs, 0 for work that is no matrix work; nothing: not known
  std::optional<Precision> precision;
  std::optional<bool> causal;  // of attention
  bool recompute = false;
  std::int32_t owner = -1;  // the span of the operator that gives the FLOPs; -1: none does
};

bool is_compute(DeviceEventClass c);  // a kernel that is no communication
bool is_copy(DeviceEventClass c);
bool is_matrix(DeviceEventClass c);

// One per device event of the rank; copies and collectives have none. `formula`: the user's own operators, tried first.
std::vector<KernelWork> kernel_work(const Timeline& timeline, const RankTimeline& rank,
                                    const std::vector<std::int32_t>& enclosing, const OperatorFormula& formula = {});

// The precision that most FLOPs run in; nothing without any.
std::optional<Precision> dominant_precision(const std::vector<KernelWork>& work);

}  // namespace nameplate
