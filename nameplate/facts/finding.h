// Something to act on, tied to the ledger row whose time it would give back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/facts/defect.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {

struct Worth {
  double accelerator_s = 0;
  std::optional<double> mfu_points;  // 0..1, of the MFU of the ledger's scope; absent without an MFU
  std::optional<double> low, high;   // of mfu_points
};

// The sentences "<id>", "<id>.change" and "<id>.risk" are in the catalogue, with the same arguments.
struct Finding {
  Message message;
  std::optional<LedgerRow> row;
  std::optional<Worth> worth;
  std::vector<std::string> evidence;  // "train.log:215: saving checkpoint to out"
};

}  // namespace nameplate
