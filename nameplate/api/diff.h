// diff: two Documents subtracted, row by row: measured and predicted, before and after.
//
// Ledgers of the same scope are brought to one step of one accelerator, so that runs of other lengths and sizes
// compare: the accelerator-seconds of a ledger over its steps x accelerators. Where a side has no steps (a capture that
// marks none) both are brought to shares of their totals instead. Kernels and operators are joined by name and brought
// to one step of one rank the same way. Every table closes: its rows sum to its total. A row that only one side looked
// for has no change: its time is in other rows of the other side.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct DiffOptions {
  double least_share = 0.02;  // of A's step: a row that changes by more is a finding
  // By how much each row may be off, as a share of A's step: a gap within it is no finding. Beside it counts the band
  // that a predicted side states of its step time.
  std::array<double, kLedgerRows> band_ratio{};
};

struct DiffSide {
  std::string name;  // as the user gave it
  Document document;
};

// An Error when the two have no ledger of one scope.
Result<Document> diff(const DiffSide& a, const DiffSide& b, const DiffOptions& options = {});

struct SideRequest {
  std::string path;                                           // a folder, a file, a pattern, a saved Document
  std::vector<std::pair<std::string, std::string>> settings;  // manifest keys set by flags
  std::string data_directory;                                 // --data
  std::vector<std::string> kernel_rules;
  int threads = 0;
};

// What `trace` makes of traces, `report` of a run, `predict` of a manifest with nothing measured or of "predict:PATH",
// and a saved Document as it is.
Result<DiffSide> open_side(const SideRequest& request);

}  // namespace nameplate
