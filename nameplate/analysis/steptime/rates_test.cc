#include "nameplate/analysis/steptime/rates.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/steptime/times.h"

namespace nameplate {
namespace {

StepRates rates_for_test() {
  StepRates r;
  r.matmul_16 = tflops_per_s(800);
  r.matmul_low = tflops_per_s(1600);
  r.half_length_16 = 400;
  r.half_length_low = 800;
  r.memory = gigabytes_per_s(3000);
  r.compute_units = 132;
  r.scale_up = gigabytes_per_s(270);
  r.scale_out = gigabytes_per_s(45);
  r.scale_up_latency = seconds(10e-6);
  r.scale_out_latency = seconds(25e-6);
  return r;
}

TEST(Rates, ALargeProductRunsAtItsRateButForTheLastWave) {
  // 2 x 8192^3 = 1.0995e12 FLOPs; 64 x 64 tiles, half a wave of 132 lost: 4096 / 4162 = 0.98414.
  EXPECT_NEAR(product_time({8192, 8192, 8192}, rates_for_test()).base(), 1.0995e12 / (800e12 * 0.98414), 1e-6);
}

TEST(Rates, ShortSumsAreSlower) {
  // f_k at k = 1024: 1024 x 8592 / (8192 x 1424) = 0.7542.
  const double one = product_time({8192, 8192, 8192}, rates_for_test()).base();
  EXPECT_NEAR(product_time({8192, 8192, 1024}, rates_for_test()).base(), one / 8 / 0.7542, one * 1e-4);
}

TEST(Rates, ThinProductsAreBoundByMemory) {
  // One row: the weights of 8192 x 8192 x 2 bytes at 0.85 of 3 TB/s, 52.6 us.
  EXPECT_TRUE(is_memory_bound({1, 8192, 8192}, rates_for_test()));
  EXPECT_NEAR(product_time({1, 8192, 8192}, rates_for_test()).base(), 134.25e6 / 2.55e12, 1e-7);
}

TEST(Rates, ARingMovesAllButItsOwnShare) {
  const StepRates r = rates_for_test();
  EXPECT_NEAR(ring_time(1e9, 1, {8, 8}, r).base(), 7.0 / 8 * 1e9 / 270e9 + 10e-6 + 7 * 3.4e-6, 1e-9);
  // Two ranks a domain: their cards carry 2 x 45 GB/s together, less than the links.
  EXPECT_NEAR(ring_time(1e9, 1, {16, 2}, r).base(), 15.0 / 16 * 1e9 / 90e9 + 25e-6 + 8 * 3.4e-6 + 7 * 14e-6, 1e-9);
  // Eight: 360 GB/s of cards, the links' 270 bind.
  EXPECT_NEAR(ring_time(1e9, 1, {16, 8}, r).base(), 15.0 / 16 * 1e9 / 270e9 + 25e-6 + 14 * 3.4e-6 + 14e-6, 1e-9);
  EXPECT_EQ(ring_time(1e9, 1, {1, 1}, r), Seconds());
}

// NCCL's model of a ring (src/graph/tuning.cc): 2048 - 256 hops inside, 255 between; LL128 is the faster protocol.
TEST(Rates, ARingsLatencyGrowsWithItsGroup) {
  const StepRates r = rates_for_test();
  const double hops = 1792 * 1.9e-6 + 255 * 4.0e-6;
  const double passing = 2047.0 / 2048 * 1e6 / 270e9 / 0.92;
  EXPECT_NEAR(ring_time(1e6, 1, {2048, 8}, r).base(), passing + 25e-6 + hops, 1e-9);
  EXPECT_NEAR(ring_time(1e6, 3, {2048, 8}, r).base(), passing + 3 * (25e-6 + hops), 1e-9);
  StepRates torus = r;
  torus.torus = true;  // 8 x 8 x 8: 4 hops along each axis
  EXPECT_NEAR(ring_time(1e6, 1, {512, 512}, torus).base(), 511.0 / 512 * 1e6 / 270e9 / 0.92 + 10e-6 + 12 * 1.9e-6,
              1e-7);
}

TEST(Rates, AnAllToAllTakesTheSlowerOfLinksAndNetwork) {
  EXPECT_NEAR(all_to_all_time(2.7e9, 0.9e9, {64, 8}, rates_for_test()).base(), 0.9 / 45 + 25e-6, 1e-9);
  EXPECT_NEAR(all_to_all_time(2.7e9, 0.09e9, {64, 8}, rates_for_test()).base(), 2.7 / 270 + 25e-6, 1e-9);
}

TEST(Rates, TrafficIsBookedToTheLinksThatCarryIt) {
  const StepRates r = rates_for_test();
  // 16 ranks, 8 a domain: 15/16 GB pass each hop, of 16 hops 2 are network.
  const LinkUse across = ring_use(1e9, {16, 8}, r);
  EXPECT_NEAR(across.up.base(), 15.0 / 16 * 7 / 8 * 1e9 / 270e9, 1e-9);
  EXPECT_NEAR(across.out.base(), 15.0 / 16 / 8 * 1e9 / 45e9, 1e-9);
  const LinkUse inside = ring_use(1e9, {8, 8}, r);
  EXPECT_NEAR(inside.up.base(), 7.0 / 8 * 1e9 / 270e9, 1e-9);
  EXPECT_EQ(inside.out, Seconds());
  // A slower link is in use for longer, the other is not.
  StepRates slow = r;
  slow.scale_up = r.scale_up / 4;
  EXPECT_NEAR(ring_use(1e9, {16, 8}, slow).up / across.up, 4, 1e-9);
  EXPECT_EQ(ring_use(1e9, {16, 8}, slow).out, across.out);
}

TEST(Rates, OperandsInFourBytesAreTwiceTheTraffic) {
  StepRates r = rates_for_test();
  EXPECT_NEAR(product_traffic({1, 8192, 8192}, r).base(), 2 * (8192.0 * 8192 + 2 * 8192), 1);
  r.element_bytes = element_bytes(Precision::tf32);
  EXPECT_NEAR(product_traffic({1, 8192, 8192}, r).base(), 4 * (8192.0 * 8192 + 2 * 8192), 1);
}

// Expected maxima of n standard normal values: Harter 1961, table of expected values of normal order statistics.
TEST(Rates, ExpectedMaximumOfNormalValues) {
  EXPECT_EQ(expected_normal_maximum(1), 0);
  EXPECT_NEAR(expected_normal_maximum(2), 0.5642, 0.05 * 0.5642);
  EXPECT_NEAR(expected_normal_maximum(10), 1.5388, 0.01 * 1.5388);
  EXPECT_NEAR(expected_normal_maximum(100), 2.5076, 0.01 * 2.5076);
  EXPECT_NEAR(expected_normal_maximum(400), 2.9682, 0.01 * 2.9682);
}

}  // namespace
}  // namespace nameplate
