// The tables of a trace document. Internal to api/.
#pragma once

#include <vector>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/facts/fabric.h"
#include "nameplate/report/document.h"

namespace nameplate {

Table trace_steps_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks);
Table kernels_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks);
// `fabric`: what a benchmark of collectives reached on this machine; nullptr: not known.
Table collectives_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks,
                        const MeasuredFabric* fabric);

}  // namespace nameplate
