// Rates of one device and its links under a set of calibrated values, and the time of one matmul, one pass over memory
// and one collective.
//
// A product of m x k and k x n takes the longer of
//   2 m n k / (rate f_k f_t)   with f_k = k (8192 + h) / (8192 (k + h)), h the half length: short sums start and end
//                              more often; f_t = t / (t + units / 2), t tiles of 128 x 128: on average half of the last
//                              wave over the compute units idles
// and its bytes over 0.85 of the memory bandwidth. A ring of n ranks moves (n - 1) / n of the bytes at the speed of its
// slowest link: inside a scale-up domain that of its links, across domains what the network cards of the ranks that
// share one carry together. Every rank passes the ring's blocks on, so that its latency grows with the group: of n
// ranks in d domains n - d hops inside and d - 1 between (NCCL's own model, src/graph/tuning.cc; of its protocols the
// faster, whose hops take 1.9 and 4.0 us at 0.92 of the bandwidth, or 3.4 and 14 us at all of it). Error: hops of other
// fabrics differ.
#pragma once

#include <array>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/analysis/steptime/work.h"
#include "nameplate/core/quantity.h"

namespace nameplate {

using StepValues = std::array<double, kStepValues>;

// The values that `work` asked for; where the calibration has none, 1, or 0 for a time.
StepValues step_values(const CompiledStep& work, const StepCalibration& calibration);

struct StepRates {
  FlopsPerSecond matmul_16;
  FlopsPerSecond matmul_low;
  double half_length_16 = 0;
  double half_length_low = 0;
  double grouped = 1;
  FlopsPerSecond attention;
  BytesPerSecond memory;
  double element_bytes = 2;
  double compute_units = 0;
  BytesPerSecond scale_up;
  BytesPerSecond scale_out;
  Seconds scale_up_latency;
  Seconds scale_out_latency;
  bool torus = false;
  double anchor = 1;  // of the host's times
};

StepRates step_rates(const StepSetup& setup, const StepValues& values);

struct Product {
  double m = 0, n = 0, k = 0, count = 1;
  bool low_precision = false;
  bool grouped = false;
};
Seconds product_time(const Product& product, const StepRates& rates);
bool is_memory_bound(const Product& product, const StepRates& rates);
Bytes product_traffic(const Product& product, const StepRates& rates);  // each operand once

// How long traffic keeps the links of one device busy, by tier.
struct LinkUse {
  Seconds up, out;
  LinkUse& operator+=(const LinkUse& o);
};
LinkUse operator+(LinkUse a, const LinkUse& b);
LinkUse operator*(const LinkUse& use, double times);

// To the next stage of the pipeline.
Seconds send_time(const CompiledStep& work, const StepRates& rates);
LinkUse send_use(const CompiledStep& work, const StepRates& rates);
// `count` ring all-gathers or reduce-scatters of `bytes` in all over the group, one after the other.
Seconds ring_time(double bytes, double count, const GroupSpan& group, const StepRates& rates);
// Of a ring across domains, each domain's ranks share its way out; between them it stays inside.
LinkUse ring_use(double bytes, const GroupSpan& group, const StepRates& rates);
// `inside` bytes of each rank over the scale-up links beside `outside` bytes over the network.
Seconds all_to_all_time(double inside, double outside, const GroupSpan& group, const StepRates& rates);
LinkUse all_to_all_use(double inside, double outside, const GroupSpan& group, const StepRates& rates);

}  // namespace nameplate
