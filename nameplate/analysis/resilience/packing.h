// Driving a cluster harder earns MFU and, where failures depend on load, loses time: which of the two wins?
//
// The mean time between outages at MFU m is t(m) = t0 (m0 / m)^k: k = 0 load does not matter, k = 1 failures per FLOP
// are constant, above 1 driving harder costs more than it earns once outages are long enough. k is the user's
// (published figures do not agree on one); everything else is arithmetic. An outage takes `outage`, restart and lost
// work included, and nothing is computed during it: delivered MFU = m t(m) / (t(m) + outage).
#pragma once

#include <optional>

#include "nameplate/core/quantity.h"

namespace nameplate {

struct PackingModel {
  double mfu = 0;   // today, in steps
  Seconds between;  // computing time between two outages at it
  double exponent = 0;
};

Seconds time_between_outages(const PackingModel& model, double mfu);
double delivered_mfu(const PackingModel& model, double mfu, Seconds outage);
// The outage at which `mfu` delivers as much as today's: longer ones erase its gain. Nothing: none does, since outages
// become rarer per unit of work or stay as they are.
std::optional<Seconds> erasing_outage(const PackingModel& model, double mfu);
// The MFU that delivers most for outages of this length; at most `highest`. For k <= 1 that is `highest`.
double best_mfu(const PackingModel& model, Seconds outage, double highest);

}  // namespace nameplate
