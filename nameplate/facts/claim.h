// What somebody says that a cluster reaches, in numbers that can be checked against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "nameplate/core/quantity.h"

namespace nameplate {

// "ettr>=0.90, checkpoint_block=60s, mtti=3.09h": what is left of the time under stated costs.
struct GoodputClaim {
  double ettr = 0;  // at least
  Seconds mttf;
  std::optional<Seconds> block;
  std::optional<Seconds> restart;
  std::optional<Seconds> interval;
  bool operator==(const GoodputClaim&) const = default;
};

// "46%->82% with 20% spares": reliability before and after redundancy.
struct RedundancyClaim {
  double before = 0;
  double after = 0;
  double redundancy = 0;              // spares per needed unit
  std::optional<std::int64_t> units;  // needed, where stated
  bool operator==(const RedundancyClaim&) const = default;
};

// "R=0.95, N=1000, M=1200": units that are up with probability R, N needed of M.
struct ReliabilityClaim {
  double up = 0;
  std::int64_t needed = 0;
  std::int64_t units = 0;
  std::optional<Seconds> mission;  // that R is meant for
  bool operator==(const ReliabilityClaim&) const = default;
};

// "throughput=2.3x, recovery=1/5": separate pools, say, against one bound pool.
struct RecoveryClaim {
  double throughput = 1;  // after over before
  double recovery = 1;    // recovery time, before over after
  bool operator==(const RecoveryClaim&) const = default;
};

// "mfu=45%->58%, outage=12h": a gain in speed against an outage that it brings; with "between=10d, exponent=2" how
// often one came before, and how the time between two falls with the speed.
struct PackingClaim {
  double mfu_before = 0;
  double mfu_after = 0;
  Seconds outage;
  std::optional<Seconds> between;  // computing time between two outages before
  double exponent = 0;             // it falls with (before / after)^exponent
  bool operator==(const PackingClaim&) const = default;
};

using Claim = std::variant<GoodputClaim, RedundancyClaim, ReliabilityClaim, RecoveryClaim, PackingClaim>;

}  // namespace nameplate
