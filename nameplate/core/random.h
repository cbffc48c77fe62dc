// Counter-based random numbers: Philox 4x32-10 (Salmon et al., SC'11) from Random123. The n-th number of a stream is a
// pure function of (seed, stream, n), so results do not depend on thread count or order of evaluation.
#pragma once

#include <cstdint>

namespace nameplate {

// The n-th number of a stream without the ones before it.
std::uint64_t random_u64(std::uint64_t seed, std::uint64_t stream, std::uint64_t n);
double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t n);  // [0, 1), 53 bits

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
  std::uint64_t next_u64();
  double next_uniform();                          // [0, 1), 53 bits
  std::uint64_t next_below(std::uint64_t bound);  // [0, bound), bound > 0; Lemire's multiply-shift with rejection

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
};

}  // namespace nameplate
