// Training that is not plain pre-training, as changes of the list of operators: frozen parts, LoRA, operators of
// another precision, operators that are recomputed, other models that run forward on the same batch.
//
// Frozen weights have no gradient of their own; the gradient of their input is counted where something trained lies
// before them (count.h). So a LoRA run costs about 4N + 6 N_lora per token, and a model that is frozen whole (a
// teacher, a reward model) one forward pass. LoRA (Hu et al. 2021, arXiv 2106.09685) adds x A B with A of in x rank and
// B of rank x out beside each target. An error of the count: in the first layer, projections that share the input of an
// adapted one count a gradient of that input, which nothing needs.
//
// Operators are selected by id ("attention.q", and ".q" of any prefix), role, block or part; also by the names of
// Hugging Face's PEFT (q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj), "all-linear" (every dense layer
// but router and output projection) and "all". A selector that fits nothing is an Error.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

Result<Architecture> with_frozen(Architecture architecture, std::span<const std::string> selectors);
Result<Architecture> with_lora(Architecture architecture, std::int64_t rank, std::span<const std::string> targets);
Result<Architecture> with_precision(Architecture architecture, Precision precision,
                                    std::span<const std::string> selectors);
Result<Architecture> with_recomputed(Architecture architecture, std::span<const std::string> selectors);

// Adds a model that runs forward only on the same batch: the teacher of a distillation, the frozen reference or the
// reward model beside a policy. 2N FLOPs per unit and its attention, no gradients; a part of its own, by its name. Its
// multi-token-prediction modules do not run. An Error where the two models count their batch in different units.
Result<Architecture> with_forward_model(Architecture architecture, const Architecture& other);

// The share of a step's FLOPs in each precision, most first; operators without one of their own run in the workload's.
struct PrecisionShare {
  Precision precision = Precision::bf16;
  double share_ratio = 0;
};
std::vector<PrecisionShare> precision_shares(const Architecture& architecture, const Workload& workload);

}  // namespace nameplate
