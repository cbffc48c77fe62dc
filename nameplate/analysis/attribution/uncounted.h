// Which kernels have no known FLOPs, and why: what an own formula (--operators) or another capture would count.
//
// A kernel goes to the innermost operator around its launch, else stands for itself. Time is what the sweep booked.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/totals.h"

namespace nameplate {

std::string_view name(UncountedReason reason);  // "no_formula"

// By time.
std::vector<UncountedTotal> uncounted_totals(const Timeline& timeline, const SweptRank& r,
                                             const std::vector<std::int32_t>& enclosing);

}  // namespace nameplate
