// The ledgers that a log alone supports. A log tells model compute (the MFU), recompute where it is known, and the time
// that is not a step; what happens inside a step is `unattributed` until a trace says.
#pragma once

#include "nameplate/analysis/mfu/measure.h"

namespace nameplate {

// Steady steps, in accelerator-seconds (of one accelerator where their number is not known). Nothing without step
// times.
std::optional<Ledger> step_ledger(const RunFacts& facts, const Measurement& m);
// The wall-clock of the log. Nothing without a clock.
std::optional<Ledger> run_ledger(const RunFacts& facts, const Measurement& m);

}  // namespace nameplate
