// What a trace's document says beside ledger, ranks and kernels: operators on the roofline, phases, each step's rows,
// the allocator's memory, and which capture would say more. Internal to api/.
#pragma once

#include "nameplate/advice/findings/trace_findings.h"
#include "nameplate/api/trace_set.h"
#include "nameplate/report/document.h"

namespace nameplate {

// Matrix operators whose roof is known.
std::vector<RoofPoint> roof_points(const std::vector<RankAttribution>& ranks);
void add_detail(const TraceSet& set, Document& d);
// Notes on what a better capture would tell, with the profiler's lines to paste; last, when all else is in `d`.
void add_capture_ladder(const TraceSet& set, Document& d);

}  // namespace nameplate
