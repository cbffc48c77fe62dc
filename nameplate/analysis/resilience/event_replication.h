// One replication of a simulated run. A plain struct: results of many threads or machines are these bytes in order.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "nameplate/analysis/resilience/event_account.h"
#include "nameplate/analysis/resilience/event_model.h"

namespace nameplate {

// Times are kept for up to this many nodes down; the last entry holds all beyond.
inline constexpr std::size_t kMostNodesDown = 255;

// What the fleet's nodes did, in node-seconds. All zero where only the job was simulated.
struct FleetAccount {
  TimeAccount job;        // of the nodes that it had
  double held_spare = 0;  // ready, or on their way
  double in_repair = 0;   // or waiting for it
  double lent = 0;        // borrowed spares at their own work; not bought by this fleet
  bool operator==(const FleetAccount&) const = default;
};

struct Replication {
  // 1: reached its work; always so for a length of wall-clock. A whole word, since padding would not be the same bytes.
  std::uint64_t finished = 0;
  double wall = 0;   // seconds
  double work = 0;   // achieved, in seconds at full speed
  TimeAccount time;  // its sum is `wall`
  FleetAccount fleet;
  std::array<std::uint64_t, kMaxFailureClasses> failures{};  // of the job, by class
  std::array<double, kMostNodesDown + 1> nodes_down_time{};  // seconds with so many nodes out of service
  bool operator==(const Replication&) const = default;
};
static_assert(std::is_trivially_copyable_v<Replication>);

double ettr(const Replication& replication);  // productive time over wall-clock
std::uint64_t failures(const Replication& replication);
// Share of the time with more than `spares` nodes out of service.
double share_short_of(const Replication& replication, std::int64_t spares);

}  // namespace nameplate
