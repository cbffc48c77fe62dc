// Operators by the time of their kernels, phases of a step, and what the allocator held: what a rank's kernels say when
// they are put back under the operators that launched them.
//
// The call site of an operator is the innermost frame of the user's own code around its first call, where frames are
// recorded (with_stack=True); what autograd launches in a thread of its own has none.
//
// An operator is the one that gives a kernel's FLOPs, else the innermost around its launch. A phase goes by what is
// around the launch: an optimizer's step; a node of autograd (backward, recomputed forward work included); else
// forward.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/analysis/attribution/totals.h"

namespace nameplate {

// Whether a span's name is that of an operator of the framework ("aten::mm"), and not of autograd's own.
bool is_operator_name(std::string_view name);

// The peak of a kernel's own precision; nothing where none is known.
using PeakOfEvent = std::function<std::optional<FlopsPerSecond>(std::size_t event)>;

std::vector<OperatorTotal> operator_totals(const Timeline& timeline, const SweptRank& r,
                                           const std::vector<std::int32_t>& enclosing, const PeakOfEvent& peak);
std::vector<PhaseTotal> phase_totals(const Timeline& timeline, const SweptRank& r,
                                     const std::vector<std::int32_t>& enclosing);
// `window`: what the ledger covers.
MemoryUse memory_use(const MemoryEvents& memory, const HostSpans& host, Stretch window);

}  // namespace nameplate
