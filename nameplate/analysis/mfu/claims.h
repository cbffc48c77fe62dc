// What the log says of itself, against the same steps counted by every convention.
//
// The FLOPs that a row claims are its printed rate times the step time; divided by the step's tokens they are FLOPs per
// token, which name the convention: the one that the format is known to use, or else the one that comes within 1 %.
#pragma once

#include <vector>

#include "nameplate/analysis/mfu/measure.h"

namespace nameplate {

std::vector<ClaimCheck> check_claims(const RunLog& log, const RunFacts& facts, const Measurement& m);

}  // namespace nameplate
