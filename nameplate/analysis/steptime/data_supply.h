// Does the input pipeline keep up with the steps, and what would make it?
//
// Store, host decoding and a queue of finished batches are servers in a row: a sample that no cache holds is read from
// the store, which the whole job shares, then decoded by a worker of its loader, and waits in the queue of that loader.
// The slowest server sets the pace at which batches come. With rho = time of a step / pace of the supply, K batches
// (those that may be ready, and the one in use) and c^2 the squared coefficient of variation of the time between
// batches (0: like clockwork, 1: Poisson), the step finds none for the share
//     P0 = (1 - rho) / (1 - rho^2 sigma^(K-1)),  sigma = exp(-2 (1 - rho) / (rho c^2))
// of the time: Buzacott and Shanthikumar, Stochastic Models of Manufacturing Systems (1993), GI/G/1/K, with the steps
// themselves taken as regular; the mean step is longer by 1 / (1 - P0). With c^2 = 0 this is max(step, pace). Loading
// in the training process itself (no workers) is not hidden at all.
//
// Range: steady state, one kind of sample. Known error: on the two public ResNet-50 traces with 0 and 4 workers
// (tests/field) the wait is right to 1 % of the step.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nameplate/core/quantity.h"

namespace nameplate {

struct DataSupply {
  double samples_per_step = 0;  // of the whole job
  std::int64_t loaders = 1;     // processes that load, each its share: one an accelerator, or one a data-parallel rank
  Bytes bytes_per_sample;
  Seconds cpu_time_per_sample;
  std::int64_t workers = 0;                       // of one loader
  std::int64_t prefetch = 2;                      // batches that each worker may have ready
  double cache_hit = 0;                           // share of the samples that need no read from the store
  double burstiness = 0;                          // c^2 above
  std::optional<BytesPerSecond> store_bandwidth;  // all servers together
  std::optional<PerSecond> store_reads;           // samples per second, all servers together
  bool operator==(const DataSupply&) const = default;
};

enum class DataServer : std::uint8_t { none, store_bandwidth, store_reads, decode };
std::string_view name(DataServer server);

struct DataSupplyResult {
  Seconds pace;  // time in which the slowest server supplies one step
  DataServer binding = DataServer::none;
  Seconds data_wait;  // per step, exposed
  // What would bring the wait below 1 % of the step, each alone; nothing where it alone would not, or is not needed.
  std::optional<std::int64_t> workers_needed;
  std::optional<double> cache_hit_needed;
  std::optional<BytesPerSecond> store_bandwidth_needed;
};

// `step`: the time of a step that never waits for data.
DataSupplyResult data_supply(const DataSupply& supply, Seconds step);

}  // namespace nameplate
