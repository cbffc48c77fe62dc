// The memory part of flops: what one step needs on each accelerator of a plan, and whether it fits. Internal to api/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/analysis/memory/estimate.h"
#include "nameplate/api/flops.h"
#include "nameplate/api/load.h"
#include "nameplate/facts/memory.h"
#include "nameplate/facts/workload.h"
#include "nameplate/inputs/catalogue.h"
#include "nameplate/report/document.h"

namespace nameplate {

// "none", "selective", "full", or modules joined by "+" ("mlp+moe_act"), which is selective.
struct RecomputeChoice {
  Recompute recompute = Recompute::none;
  std::vector<RecomputeModule> modules;  // empty: the framework's
};
Result<RecomputeChoice> parse_recompute(std::string_view text);

// The product of parallel degrees; an Error above 1e9.
Result<std::int64_t> ranks(std::initializer_list<std::int64_t> degrees);

// Layers, embedding and head: what a pipeline can be divided into.
std::int64_t stages_at_most(const Architecture& architecture);

// The memory that software sees on every part that a name may mean; nothing where they differ or it is not known.
std::optional<Bytes> shared_capacity(const AcceleratorMatch& match);

// Bytes of state per parameter of an optimizer by its name; those of Adam for an empty one.
Result<double> optimizer_bytes(const std::string& optimizer);

// Whether the fullest stage fits, as a note and values memory_capacity_bytes and out_of_memory_risk_ratio.
void add_fit(const StageMemory& peak, const std::string& accelerator, Bytes capacity, Document& d);
// Values memory_peak_bytes, memory_reserved_bytes and parameters_per_gpu; tables "memory" (stage x term),
// "memory_stages", "activations".
void add_estimate(const MemoryEstimate& estimate, Document& d);

// Adds values memory_peak_bytes (allocated), memory_reserved_bytes, parameters_per_gpu and, with an accelerator,
// memory_capacity_bytes and out_of_memory_risk_ratio; tables "memory" (stage x term), "memory_stages", "activations".
// `sequences`: of one step, when known.
Status add_memory(const MemoryRequest& request, const RecomputeChoice& recompute, const LoadedRun& run,
                  std::optional<std::int64_t> sequences, const Catalogue& catalogue, Document& d);

}  // namespace nameplate
