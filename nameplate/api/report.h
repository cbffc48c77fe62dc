// report: the main job. A loaded run as a Document: MFU under stated conventions, ledgers, findings, assumptions,
// defects.
#pragma once

#include "nameplate/api/load.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct ReportOptions {
  bool all_steps = true;  // the table "steps", one row per row of the log, and the figures over it
};

Document report(const LoadedRun& run, const ReportOptions& options = {});

// What keeps a run from having an MFU, as one sentence with the flags that would answer ("how many accelerators? --gpus
// N"); nothing when the document has one.
std::optional<Error> missing_evidence(const Document& document);
// An MFU above the peak, as an error: some input is wrong.
std::optional<Error> impossible_figure(const Document& document);

}  // namespace nameplate
