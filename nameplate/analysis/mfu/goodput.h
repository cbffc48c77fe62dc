// The run's time in the bins of Google's ML Goodput library, with Meta's ETTR beside it, so that a figure of either
// kind can be compared with others. docs/models/goodput.md has the mapping from ledger rows and its limits.
//
// Goodput = productive time / time that the job held its accelerators, so without the scheduler's queue. ETTR =
// productive time / wall-clock including the queue (Kokolis et al. 2025, arXiv 2410.21680, section II-D).
// Source of the bins: ml-goodput-measurement 0.2.3, BadputType. Bins that a log cannot tell apart are joined in the one
// that is named; what no bin names is OTHER. The bins sum to the total.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/analysis/mfu/wall_clock.h"

namespace nameplate {

struct GoodputBin {
  std::string_view name;  // "PRODUCTIVE", "PROGRAM_STARTUP", …
  double seconds = 0;
  std::vector<LedgerRow> rows;  // of the run's ledger that it holds; empty: PRODUCTIVE
};

struct Goodput {
  std::vector<GoodputBin> bins;  // PRODUCTIVE first, OTHER last; a bin nothing was looked for in is absent
  double total_s = 0;            // without the queue
  double queue_s = 0;
  double goodput = 0;  // 0..1
  double ettr = 0;     // 0..1
};

// Nothing when the clock holds no time.
std::optional<Goodput> goodput(const WallClock& clock);

}  // namespace nameplate
