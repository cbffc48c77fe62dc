#include "nameplate/core/random.h"

#include <Random123/philox.h>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

__extension__ typedef unsigned __int128 Wide;

}  // namespace

std::uint64_t random_u64(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  // One Philox block holds two numbers.
  std::uint64_t block = n / 2;
  std::size_t half = n % 2 * 2;
  r123::Philox4x32::ctr_type counter = {{low(block), high(block), low(stream), high(stream)}};
  r123::Philox4x32::key_type key = {{low(seed), high(seed)}};
  auto words = r123::Philox4x32()(counter, key);
  return words[half] | std::uint64_t{words[half + 1]} << 32;
}

double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  return static_cast<double>(random_u64(seed, stream, n) >> 11) * 0x1p-53;
}

std::uint64_t RandomStream::next_u64() { return random_u64(seed_, stream_, counter_++); }

double RandomStream::next_uniform() { return random_uniform(seed_, stream_, counter_++); }

std::uint64_t RandomStream::next_below(std::uint64_t bound) {
  NAMEPLATE_CHECK(bound > 0);
  // Lemire (2019): the high half of number * bound is uniform once the few low halves below 2^64 mod bound are
  // rejected.
  std::uint64_t rejected = (0 - bound) % bound;
  for (;;) {
    Wide product = Wide{next_u64()} * bound;
    if (static_cast<std::uint64_t>(product) >= rejected) return static_cast<std::uint64_t>(product >> 64);
  }
}

}  // namespace nameplate
