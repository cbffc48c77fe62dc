// A log says how long steps take and what their model FLOPs are worth; a trace of some of them says where the rest of a
// step goes. Together: the ledger of the log, its unexplained time inside steps divided as the traced steps divided
// theirs.
//
// Method: the rows of the trace beside model compute, as shares of their sum, times the unexplained time. So the total,
// the model compute and whatever else the log knows stay as they were, and what the trace does not explain stays
// unattributed. It assumes that the traced steps are like the others; the caller says how far their times differ.
#pragma once

#include "nameplate/facts/ledger.h"

namespace nameplate {

// `inside_s`: of the unattributed accelerator-seconds of `of_log`, those inside steps; at most 0: nothing is divided.
Ledger refine(const Ledger& of_log, double inside_s, const Ledger& of_trace);

}  // namespace nameplate
