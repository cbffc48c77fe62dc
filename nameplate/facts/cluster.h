// A cluster: pools of accelerators on one tree of domains, which is both the network's tiers and the failure domains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/hardware.h"

namespace nameplate {

struct Pool {
  Accelerator accelerator;
  std::int64_t count = 0;
  int per_node = 8;
  bool operator==(const Pool&) const = default;
};

enum class DomainKind { die, node, tray, rack, pdu, switch_, pod, zone };

struct Domain {
  DomainKind kind = DomainKind::node;
  std::int64_t size = 0;                    // accelerators inside
  std::optional<BytesPerSecond> bandwidth;  // per accelerator and direction, inside the domain
  double oversubscription = 1.0;            // towards the next domain
  std::optional<Seconds> latency;
  bool operator==(const Domain&) const = default;
};

struct Storage {
  std::int64_t servers = 0;
  std::optional<BytesPerSecond> bandwidth;
  std::optional<double> iops;
  std::optional<Bytes> cache;
  bool operator==(const Storage&) const = default;
};

struct Host {
  int cpu_cores = 0;
  std::optional<Bytes> memory;
  bool operator==(const Host&) const = default;
};

struct Cluster {
  std::vector<Pool> pools;                                // heterogeneous clusters have several
  std::vector<Domain> topology;                           // innermost first
  std::optional<BytesPerSecond> network_per_accelerator;  // scale-out, one direction
  Storage storage;
  Host host;
  bool operator==(const Cluster&) const = default;
};

std::int64_t accelerator_count(const Cluster& cluster);

}  // namespace nameplate
