// How a cluster fails and recovers.
//
// Pitfall: a rate without its base is worthless. "6.5 per 1000 node-days", "one per 3 hours of the job" and "9 % per
// device and year" differ by what they count and what they scale with, so a rate carries both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/cluster.h"
#include "nameplate/facts/hardware.h"

namespace nameplate {

// What a rate is per, and so what it grows with.
enum class RateUnit { device, node, domain, job };

struct FailureRate {
  PerSecond rate;  // of one unit
  RateUnit unit = RateUnit::node;
  Source source;
  bool operator==(const FailureRate&) const = default;
};

// Weibull with the rate's mean: shape 1 is the exponential, below 1 early failures prevail.
struct FailureClass {
  std::string name;  // "gpu", "host", "network", "software"
  FailureRate rate;
  double shape = 1.0;
  DomainKind domain = DomainKind::node;  // what goes down together
  double domain_share = 0;               // of the events that take the whole domain; the others take one device or node
  Seconds detect;                        // until it is noticed
  Seconds restart;                       // until the job computes again, on a spare
  double recurs = 0;                     // probability that the repaired unit fails again for the same reason
  bool operator==(const FailureClass&) const = default;
};

// One station of a repair: automatic first, then by hand.
struct RepairStage {
  std::string name;
  Seconds duration;        // mean, exponential
  double success = 1;      // probability that the unit leaves repaired; otherwise it goes on to the next stage
  std::int64_t crews = 0;  // at work at the same time; 0: unlimited
  bool operator==(const RepairStage&) const = default;
};

// A place where checkpoints go: device memory of a neighbour, local disk, remote store.
struct CheckpointLevel {
  std::string name;  // "local"
  Seconds block;     // training waits
  Seconds total;     // until it can be restored from
  Seconds every;
  Seconds load;       // restoring from it
  double covers = 1;  // share of the failures that leave it usable
  bool operator==(const CheckpointLevel&) const = default;
};

struct FailureModel {
  std::vector<FailureClass> classes;
  std::vector<RepairStage> repair;
  std::vector<CheckpointLevel> checkpoints;  // the fastest first
  std::int64_t spares = 0;                   // nodes held ready
  std::optional<Seconds> fleet_age;          // since the nodes went into service; for shapes other than 1
  double lemon_share = 0;                    // of the nodes fail `lemon_factor` times as often
  double lemon_factor = 1;
  bool operator==(const FailureModel&) const = default;
};

}  // namespace nameplate
