// What the traces beside a log add to a report: the rows of its ledgers that the log cannot know, tables of kernels and
// collectives, findings. Internal to api/.
#pragma once

#include "nameplate/api/load.h"
#include "nameplate/report/document.h"

namespace nameplate {

// Beyond this difference between the traced steps and the log's, neither stands for the other and no ledger is refined.
inline constexpr double kMostStepTimeDifference = 0.2;

// `d` has the ledgers and findings of the log. Does nothing without traces.
void add_traces(const LoadedRun& run, const Measurement& m, Document& d);

// A report of traces alone, without a log or figures that somebody states.
Document report_of_traces(const LoadedRun& run);

}  // namespace nameplate
