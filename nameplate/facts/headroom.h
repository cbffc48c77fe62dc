// Headroom that a cluster keeps besides spares: load caps of shared resources, buffers for bursts, and parts that could
// be pooled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"

namespace nameplate {

// Servers that many clients share: storage, a network tier, a scheduler. Waits are in service times.
struct SharedResource {
  std::string name;
  std::int64_t servers = 1;
  double burstiness = 1;           // (ca^2 + cs^2) / 2
  double mean_wait = 2;            // that is acceptable
  std::optional<double> p99_wait;  // likewise, for random arrivals
  std::optional<double> load;
  std::int64_t requests = 1;  // that a synchronous job waits for, all of them
  bool operator==(const SharedResource&) const = default;
};

// A buffer between a bursty source and a steady drain, in bytes.
struct BurstBuffer {
  std::string name;
  BytesPerSecond peak, drain;
  Seconds burst, gap;      // means
  double overflow = 1e-3;  // probability that is acceptable
  std::optional<Bytes> size;
  double mfu_per_gib = 0;  // what a GiB of it costs, ratio
  bool operator==(const BurstBuffer&) const = default;
};

// A kind of part that every request needs in turn: compute, storage, network.
struct PooledPart {
  std::string name;
  std::int64_t servers = 1;
  Seconds service;          // mean, of one request
  Seconds between_outages;  // mean; zero: none
  Seconds outage;           // mean
  double lost_share = 1;    // of the servers, during an outage
  bool operator==(const PooledPart&) const = default;
};

// Groups that work while enough of their units do: a rack of 18 trays that needs 16.
struct RedundantGroup {
  std::string name;
  std::int64_t needed = 0;
  std::int64_t units = 0;
  double availability = 0;  // of one unit
  std::int64_t groups = 1;  // that are all needed
  bool operator==(const RedundantGroup&) const = default;
};

struct Headroom {
  std::vector<SharedResource> resources;
  std::vector<BurstBuffer> buffers;
  std::vector<PooledPart> parts;
  std::vector<RedundantGroup> groups;
  double load = 0.7;  // of what bound nodes can carry, for the comparison of pools
  bool operator==(const Headroom&) const = default;
};

}  // namespace nameplate
