#include "nameplate/core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace nameplate {
namespace {

// The known answers that Random123 publishes for philox4x32-10 (examples/kat_vectors): four words, two numbers.
TEST(RandomStream, KnownAnswers) {
  RandomStream zero(0, 0);
  EXPECT_EQ(zero.next_u64(), 0xe169c58d6627e8d5u);
  EXPECT_EQ(zero.next_u64(), 0x9b00dbd8bc57ac4cu);
}

TEST(RandomStream, StreamsAndSeedsDiffer) {
  std::uint64_t first = RandomStream(1, 0).next_u64();
  EXPECT_NE(first, RandomStream(1, 1).next_u64());
  EXPECT_NE(first, RandomStream(2, 0).next_u64());
  EXPECT_EQ(first, RandomStream(1, 0).next_u64());
}

TEST(RandomStream, AnyNumberByItsPlace) {
  RandomStream stream(3, 9);
  for (std::uint64_t n = 0; n < 5; ++n) EXPECT_EQ(stream.next_u64(), random_u64(3, 9, n));
  EXPECT_EQ(stream.next_uniform(), random_uniform(3, 9, 5));
}

TEST(RandomStream, UniformMoments) {
  RandomStream stream(7, 3);
  constexpr int kDraws = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    double value = stream.next_uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
    squares += value * value;
  }
  // Mean 1/2, mean square 1/3; five standard errors: 0.289 / sqrt(1e5) * 5 = 0.0046, 0.298 / sqrt(1e5) * 5 = 0.0047.
  EXPECT_NEAR(sum / kDraws, 0.5, 0.0046);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.0047);
}

TEST(RandomStream, BelowIsEvenAndInRange) {
  RandomStream stream(7, 4);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts.at(stream.next_below(6));
  // 10000 each, standard deviation 91; five of them.
  for (int count : counts) EXPECT_NEAR(count, 10000, 456);
  EXPECT_EQ(stream.next_below(1), 0u);
  std::uint64_t most = (std::uint64_t{1} << 63) + 1;  // nearly half of all draws are rejected
  for (int i = 0; i < 100; ++i) EXPECT_LT(stream.next_below(most), most);
}

}  // namespace
}  // namespace nameplate
