// A measured fabric: what a benchmark of collectives reached, by collective and message size.
//
// Bandwidths as NVIDIA's nccl-tests define them (doc/PERFORMANCE.md there): algorithm bandwidth = size / time; bus
// bandwidth = algorithm bandwidth x 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1
// for broadcast and reduce. The bus bandwidth is the one to compare with a link's peak, whatever the number of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

// One row of a benchmark.
struct FabricPoint {
  CollectiveKind collective = CollectiveKind::other;
  Bytes size;  // of the message, as the benchmark counts it
  std::string dtype;
  bool in_place = false;
  Seconds time;  // of one collective
  std::optional<BytesPerSecond> algorithm_bandwidth;
  BytesPerSecond bus_bandwidth;
  std::int64_t samples = 1;           // measurements that the row is the median of
  std::optional<std::int64_t> wrong;  // results that the benchmark's own check found wrong
  bool operator==(const FabricPoint&) const = default;
};

struct MeasuredFabric {
  std::string device;               // as printed; empty: not printed
  std::int64_t ranks = 0;           // 0: not known
  bool ranks_are_derived = false;   // from the ratio of the two bandwidths, not printed
  std::vector<FabricPoint> points;  // in the order of the file
  bool operator==(const MeasuredFabric&) const = default;
};

// Factor from algorithm to bus bandwidth; `ranks` > 0. 1 for collectives that nccl-tests does not know.
double bus_factor(CollectiveKind collective, std::int64_t ranks);
std::string_view name(CollectiveKind collective);  // "all_reduce"

}  // namespace nameplate
