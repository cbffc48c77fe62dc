#include "nameplate/analysis/resilience/event_pools.h"

#include <gtest/gtest.h>

#include <array>

#include "nameplate/analysis/resilience/closed_form_queue.h"

namespace nameplate {
namespace {

using Resources = std::array<PooledResource, 3>;

Resources three(std::int64_t servers, double compute, double storage, double network) {
  Resources result;
  const double services[] = {compute, storage, network};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i].servers = servers;
    result[i].service = seconds(services[i]);
  }
  return result;
}

// Without outages separate pools are a Jackson network: each an M/M/c queue of its own (Burke), Erlang C.
TEST(EventPools, SeparatePoolsAreErlangQueues) {
  const Resources resources = three(4, 1, 0.8, 0.5);
  const double arrivals = 3.2;
  double response = 0;
  for (const PooledResource& resource : resources) {
    const double service = resource.service.base();
    response += service * (1 + mean_wait(4, arrivals * service / 4));
  }
  const PoolsRun run = simulate_pools(resources, Pooling::separate, {arrivals, seconds(1000), seconds(400000)}, 1);
  EXPECT_NEAR(run.throughput, arrivals, 0.01 * arrivals);
  EXPECT_NEAR(run.response.base(), response, 0.03 * response);
}

// One bound node is an M/G/1 queue: services of 1 + 1 + 1 s, E[S^2] = 3 + 9 = 12; at 0.2 requests a second the mean
// wait is 0.2 * 12 / (2 * (1 - 0.6)) = 3 s (Pollaczek and Khinchine), 6 s in all.
TEST(EventPools, OneBoundNodeIsPollaczekKhinchine) {
  const PoolsRun run = simulate_pools(three(1, 1, 1, 1), Pooling::bound, {0.2, seconds(1000), seconds(1000000)}, 2);
  EXPECT_NEAR(run.response.base(), 6, 0.2);
}

// Fluid limit of a long outage: what arrives beyond the capacity left, (80 - 60) a second for 50 s on average, is
// worked off at 100 - 80 a second, so recovery takes as long as the outage did.
TEST(EventPools, RecoveryIsTheFluidOne) {
  Resources resources = three(100, 1, 1, 1);
  resources[1].between_outages = seconds(1000);
  resources[1].outage = seconds(50);
  resources[1].lost_share = 0.4;
  const PoolsRun run = simulate_pools(resources, Pooling::separate, {80, seconds(100), seconds(60000)}, 3);
  EXPECT_GT(run.outages, 40);
  EXPECT_NEAR(run.recovery.base(), 50, 18);  // some 50 outages of exponential length: 14 % standard error; 2.5 of them
}

// The same hardware, load and outages: 33.3 requests a second bound, 100 separate. At 28 a second an outage of 40 % of
// the storage leaves bound nodes at 20, and the separate storage at 60, more than it needs.
TEST(EventPools, SeparatePoolsRideThroughWhatBoundOnesQueueFor) {
  Resources resources = three(100, 1, 1, 1);
  resources[1].between_outages = seconds(1000);
  resources[1].outage = seconds(50);
  resources[1].lost_share = 0.4;
  EXPECT_NEAR(load_limit(resources, Pooling::bound), 100 * (1 - 0.4 * 50 / 1050) / 3, 1e-9);
  EXPECT_NEAR(load_limit(resources, Pooling::separate), 100 * (1 - 0.4 * 50 / 1050), 1e-9);
  const PoolsInput input{28, seconds(1000), seconds(40000)};
  const PoolsRun bound = simulate_pools(resources, Pooling::bound, input, 4);
  const PoolsRun separate = simulate_pools(resources, Pooling::separate, input, 4);
  EXPECT_NEAR(bound.throughput, 28, 0.4);
  EXPECT_NEAR(separate.throughput, 28, 0.3);
  EXPECT_GT(bound.recovery.base(), 50);
  EXPECT_LT(separate.recovery.base(), 5);
  // Beyond its limit, waiting grows and throughput does not.
  const PoolsRun beyond = simulate_pools(resources, Pooling::bound, {40, seconds(1000), seconds(20000)}, 5);
  EXPECT_LT(beyond.throughput, load_limit(resources, Pooling::bound) * 1.01);
  EXPECT_GT(beyond.in_system, 50000);
}

// 2.3 times the throughput from separating alone: no resource may have more than 43.5 % of the service, and three
// cannot give more than 3.
TEST(EventPools, WhatAGainRequires) {
  EXPECT_NEAR(largest_share_for(2.3), 0.4348, 1e-4);
  EXPECT_NEAR(separation_gain(three(10, 1, 1, 1)), 3, 1e-12);
  EXPECT_NEAR(separation_gain(three(10, 10, 7, 6)), 2.3, 1e-12);
  EXPECT_NEAR(separation_gain(three(10, 8, 1, 1)), 1.25, 1e-12);
}

}  // namespace
}  // namespace nameplate
