// How a cluster fails and recovers.
//
// Pitfall: a rate without its base is worthless. "6.5 per 1000 node-days", "one per 3 hours of the job" and "9 % per
// device and year" differ by what they count and what they scale with, so a rate carries both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/cluster.h"
#include "nameplate/facts/hardware.h"

namespace nameplate {

// What a rate is per, and so what it grows with.
enum class RateUnit { device, node, domain, job };
std::string_view name(RateUnit unit);

struct FailureRate {
  PerSecond rate;  // of one unit, mean over its life
  RateUnit unit = RateUnit::node;
  // The failures that were counted to find it, so that its uncertainty is known; absent: taken as exact.
  std::optional<double> events;
  Source source;
  bool operator==(const FailureRate&) const = default;
};

enum class FailureCause { hardware, network, software, silent_corruption, planned, unknown };
inline constexpr std::array kFailureCauses = {FailureCause::hardware, FailureCause::network,
                                              FailureCause::software, FailureCause::silent_corruption,
                                              FailureCause::planned,  FailureCause::unknown};
std::string_view name(FailureCause cause);

// A duration that depends on how many nodes the job has: at_one_node + per_doubling x log2(nodes), or, where there are
// points, straight lines between them over log2(nodes), the outer ones continued.
struct ScalePoint {
  std::int64_t nodes = 1;
  Seconds duration;
  bool operator==(const ScalePoint&) const = default;
};
struct ScaledDuration {
  Seconds at_one_node;
  Seconds per_doubling;
  std::vector<ScalePoint> points;  // ascending in nodes
  bool operator==(const ScaledDuration&) const = default;
};
Seconds at_scale(const ScaledDuration& duration, std::int64_t nodes);  // never below zero

// Weibull with the rate's mean: shape 1 is the exponential, below 1 early failures prevail.
struct FailureClass {
  std::string name;  // "gpu", "host", "network", "software"
  FailureCause cause = FailureCause::unknown;
  FailureRate rate;
  double shape = 1.0;
  DomainKind domain = DomainKind::node;  // what an event takes down at most
  double domain_share = 0;               // of the events that take the whole domain; the others take one node
  std::int64_t domain_nodes = 1;         // nodes in it
  Seconds detect;                        // until it is noticed
  ScaledDuration restart;                // from there until the job computes again, on a spare
  double recurs = 0;                     // probability that the repaired unit fails again for the same reason
  bool operator==(const FailureClass&) const = default;
};

// One station of a repair: automatic first, then by hand.
struct RepairStage {
  std::string name;
  Seconds duration;           // mean, exponential
  double success = 1;         // probability that the unit leaves as repaired; otherwise it goes on to the next stage
  double silent_failure = 0;  // of those that leave, the share that is not repaired after all
  std::int64_t crews = 0;     // at work at the same time; 0: unlimited
  bool operator==(const RepairStage&) const = default;
};

// A place where checkpoints go: device memory of a neighbour, local disk, remote store.
struct CheckpointLevel {
  std::string name;   // "local"
  Seconds block;      // training waits
  Seconds total;      // until it can be restored from
  Seconds every;      // work between two of them
  Seconds load;       // restoring from it
  double covers = 1;  // share of the failures that leave it usable
  // The copy lies outside this domain: an event that takes a larger one down takes the checkpoint along.
  std::optional<DomainKind> outside;
  bool operator==(const CheckpointLevel&) const = default;
};

// hot: powered and in place, fails like the others; warm: powered, fails less; cold: off, does not fail; borrowed: runs
// preemptible work until it is needed.
enum class SpareKind { hot, warm, cold, borrowed };
std::string_view name(SpareKind kind);

struct SparePool {
  SpareKind kind = SpareKind::hot;
  std::int64_t nodes = 0;
  Seconds ready;              // until one of them has taken a failed node's place; comes on top of the restart
  double failure_factor = 1;  // its rate over that of a node at work
  bool operator==(const SparePool&) const = default;
};

// How a job goes on with fewer nodes; without it, it stands still until all are there.
struct ElasticRun {
  double least_ratio = 1;   // of its nodes
  double scaling_loss = 0;  // speed is ratio^(1 + scaling_loss)
  Seconds rejoin;           // lost when a node leaves or comes back
  bool operator==(const ElasticRun&) const = default;
};

struct FailureModel {
  std::vector<FailureClass> classes;
  std::vector<RepairStage> repair;           // one after the other
  std::vector<CheckpointLevel> checkpoints;  // the fastest first
  std::vector<SparePool> spares;             // in the order in which they are taken
  double wrong_unit = 0;  // probability that the diagnosis sends a healthy node to repair and keeps the bad one
  std::optional<Seconds> fleet_age;  // since the nodes went into service; for shapes other than 1
  double lemon_share = 0;            // of the nodes fail `lemon_factor` times as often
  double lemon_factor = 1;
  std::optional<ElasticRun> elastic;
  bool operator==(const FailureModel&) const = default;
};

std::int64_t spare_nodes(const FailureModel& model);  // of all pools

}  // namespace nameplate
