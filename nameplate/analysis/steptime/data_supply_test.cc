#include "nameplate/analysis/steptime/data_supply.h"

#include <cmath>
#include <deque>

#include <gtest/gtest.h>

#include "nameplate/core/random.h"

namespace nameplate {
namespace {

// 256 samples a step on 8 loaders, 10 ms each to decode: 320 ms of one worker's time a step.
DataSupply images(std::int64_t workers) {
  return {.samples_per_step = 256,
          .loaders = 8,
          .bytes_per_sample = bytes(500e3),
          .cpu_time_per_sample = milliseconds(10),
          .workers = workers};
}

TEST(DataSupply, WithoutWorkersLoadingIsNotHidden) {
  const DataSupplyResult r = data_supply(images(0), milliseconds(100));
  EXPECT_NEAR(r.data_wait.base(), 0.320, 1e-12);
  EXPECT_EQ(r.binding, DataServer::decode);
  EXPECT_EQ(r.workers_needed, 4);  // 320 / 4 = 80 <= 100 < 320 / 3
}

TEST(DataSupply, WorkersHideWhatFitsIntoTheStep) {
  EXPECT_NEAR(data_supply(images(2), milliseconds(100)).data_wait.base(), 0.060, 1e-12);
  EXPECT_EQ(data_supply(images(4), milliseconds(100)).data_wait.base(), 0);
  EXPECT_EQ(data_supply(images(4), milliseconds(100)).workers_needed, std::nullopt);
}

// 128 MB a step at 1 GB/s: 128 ms. To be done within 1.01 x 100 ms: a hit rate of 1 - 101 / 128 = 21.1 %, or 1.267
// GB/s.
TEST(DataSupply, AStoreThatIsTooSlowNamesTheHitRateAndTheBandwidth) {
  DataSupply d = images(8);
  d.store_bandwidth = gigabytes_per_s(1);
  const DataSupplyResult r = data_supply(d, milliseconds(100));
  EXPECT_EQ(r.binding, DataServer::store_bandwidth);
  EXPECT_NEAR(r.data_wait.base(), 0.028, 1e-9);
  EXPECT_NEAR(*r.cache_hit_needed, 1 - 101.0 / 128, 1e-6);
  EXPECT_NEAR(r.store_bandwidth_needed->base(), 1e9 * 128 / 101, 1e3);
  EXPECT_EQ(r.workers_needed, std::nullopt);  // workers do not help
  d.store_bandwidth.reset();
  d.store_reads = PerSecond::from_base(1000);
  EXPECT_NEAR(data_supply(d, milliseconds(100)).data_wait.base(), 0.156, 1e-9);
}

// A producer with exponential times and a consumer with exponential times is M/M/1/K, where c^2 = 2 stands for both
// being Poisson at rho = 1: P0 = 1 / (K + 1).
TEST(DataSupply, AtEqualPaceTheQueueIsEmptyAsInMM1K) {
  DataSupply d = images(4);
  d.burstiness = 2;
  d.prefetch = 2;  // K = 8 + 1
  const Seconds step = milliseconds(80);
  EXPECT_NEAR((data_supply(d, step).data_wait / (data_supply(d, step).data_wait + step)), 1.0 / 10, 1e-9);
}

// Mean wait of a step of length 1 when batches come with exponential gaps of mean `pace`, a queue of `capacity`.
double simulated_wait(double pace, std::size_t capacity) {
  RandomStream random(7, 0);
  double producer = 0;  // when the next batch is finished
  double now = 0;
  double waited = 0;
  std::deque<double> taken;  // when the last `capacity` batches were taken: a full queue holds the producer
  constexpr int kSteps = 200'000;
  for (int i = 0; i < kSteps; ++i) {
    const double begin = taken.size() < capacity ? producer : std::max(producer, taken.front());
    producer = begin - pace * std::log(1 - random.next_uniform());
    const double start = std::max(now, producer);
    waited += start - now;
    now = start + 1;
    taken.push_back(start);
    if (taken.size() > capacity) taken.pop_front();
  }
  return waited / kSteps;
}

// The approximation against a simulation of the same queue: within 0.03 of a step and 15 %.
TEST(DataSupply, BurstinessCostsWhatASimulationSays) {
  for (const double pace : {0.7, 0.9, 1.0, 1.2}) {
    for (const std::int64_t capacity : {2, 8, 32}) {
      DataSupply d{.samples_per_step = 1, .cpu_time_per_sample = seconds(pace), .workers = 1, .prefetch = capacity};
      d.burstiness = 1;
      const double predicted = data_supply(d, seconds(1)).data_wait.base();
      const double simulated = simulated_wait(pace, static_cast<std::size_t>(capacity));
      EXPECT_NEAR(predicted, simulated, 0.03 + 0.15 * simulated) << pace << " " << capacity;
    }
  }
}

TEST(DataSupply, MoreOfAnythingNeverWaitsLonger) {
  for (const double burstiness : {0.0, 0.5, 2.0}) {
    double last = 1e9;
    for (std::int64_t workers = 1; workers < 12; ++workers) {
      DataSupply d = images(workers);
      d.burstiness = burstiness;
      d.store_bandwidth = gigabytes_per_s(2);
      const double wait = data_supply(d, milliseconds(100)).data_wait.base();
      EXPECT_LE(wait, last + 1e-12);
      last = wait;
      d.cache_hit = 0.5;
      EXPECT_LE(data_supply(d, milliseconds(100)).data_wait.base(), wait + 1e-12);
    }
  }
}

}  // namespace
}  // namespace nameplate
