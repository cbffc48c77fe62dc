// Compute, storage and network as separate pools, or bound together node by node: what that does to throughput, waiting
// and recovery, with the same hardware, load and faults.
//
// A request needs each resource in turn for an exponential time. Bound: it holds a whole node through all of them, and
// an outage of one resource takes its nodes with all they hold; what was under way begins anew. Separate: it holds only
// what it uses, so each pool is a queue of its own (without outages a Jackson network: exact), and an outage leaves the
// other pools at work. Outages come one at a time in each resource, take a share of its servers, and last an
// exponential time. All times being exponential, the state is a few counts and the simulation a Markov chain; the mean
// time in the system follows from the mean number by Little's law.
//
// Range: the gain of separating assumes that enough requests are under way to fill every pool. One synchronous job is
// one request: its phases wait for each other and it gains nothing.
#pragma once

#include <cstdint>
#include <span>

#include "nameplate/core/quantity.h"

namespace nameplate {

struct PooledResource {
  std::int64_t servers = 1;  // the same in each resource, where they are bound
  Seconds service;           // mean, of one request
  Seconds between_outages;   // mean, from the end of one to the next; zero: none
  Seconds outage;            // mean
  double lost_share = 0;     // of the servers, during an outage
};

enum class Pooling { bound, separate };

// Requests a second beyond which waiting grows without end: the slowest pool's mean capacity, or the bound nodes'. Work
// that outages make bound nodes begin anew is not counted, so theirs is an upper limit.
double load_limit(std::span<const PooledResource> resources, Pooling pooling);
// Separate over bound, without outages: sum of the services over the longest (equal servers). At most their number.
double separation_gain(std::span<const PooledResource> resources);
// The largest share of the whole service that one resource may have for separating to give `gain`.
double largest_share_for(double gain);

struct PoolsRun {
  double throughput = 0;         // requests a second
  double in_system = 0;          // mean number waiting or served
  Seconds response;              // mean time in the system
  Seconds recovery;              // mean, from an outage's end until no more requests are there than at its beginning
  std::int64_t outages = 0;      // that began and were recovered from
  std::int64_t unrecovered = 0;  // under way, or still felt, at the end
};
// From an empty system; figures from `warm_up` on.
struct PoolsInput {
  double arrivals = 0;  // requests a second, Poisson
  Seconds warm_up;
  Seconds length;
};
PoolsRun simulate_pools(std::span<const PooledResource> resources, Pooling pooling, const PoolsInput& input,
                        std::uint64_t seed);

}  // namespace nameplate
