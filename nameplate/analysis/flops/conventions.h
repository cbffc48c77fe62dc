// Every convention by which people count the FLOPs of a training step, as a value with a name.
//
// MFU figures differ by up to a factor of two on the same run only through what is counted: causal attention in full or
// by half, embeddings in "6N", the output projection, recomputed work, the router. Each convention here says what it
// counts and where it is defined; any figure can be converted into any other by the ratio of their FLOPs.
//
// Symbols: B sequences, s length, L layers, h hidden, V vocabulary, N parameters, H heads, Q head dimension, T = s.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

// Model FLOPs give an MFU, hardware FLOPs (with recomputed work) an HFU.
enum class FlopsKind { model, hardware };
std::string_view name(FlopsKind kind);

struct Convention {
  std::string_view id;  // "megatron_lm"; its label is the sentence "convention.<id>"
  FlopsKind kind = FlopsKind::model;
  std::string_view attention;  // "causal", "full", "exact", "none": for people
  std::string_view formula;    // in the symbols above
  std::string_view source;
};

inline constexpr std::string_view kDefaultConvention = "nameplate";

// In the order in which they are shown; the first is Nameplate's own.
std::span<const Convention> conventions();
const Convention* find_convention(std::string_view id);

// FLOPs of one step of `workload` under a convention. Nothing where the convention is not defined for this model:
// formulas in h, L and V (Megatron 2021, Korthikanti 2022) hold for GPT shapes only: full heads, an MLP of 4h, no
// experts; "6N" only where every weight is trained and used once per unit.
std::optional<double> convention_flops(std::string_view id, const Architecture& architecture, const Workload& workload);

// The forward work that `recompute` repeats, in FLOPs of one step: nothing; the core attention of every layer
// ("selective", Korthikanti et al. 2022, when attention is not fused); every layer in full; and operators that are
// marked as recomputed. What no gradient reaches is not repeated. Zero for a selective policy on top of fused attention
// is the caller's to know.
Int128 recompute_flops(const Architecture& architecture, const Workload& workload, Recompute recompute,
                       AttentionCount count);

}  // namespace nameplate
