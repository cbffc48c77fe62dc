#include "nameplate/core/exact.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace nameplate {
namespace {

TEST(ToDecimal, BeyondSixtyFourBits) {
  EXPECT_EQ(to_decimal(0), "0");
  EXPECT_EQ(to_decimal(-7), "-7");
  EXPECT_EQ(to_decimal(Int128{INT64_MIN}), "-9223372036854775808");
  EXPECT_EQ(to_decimal(Int128{1'000'000'000'000} * 1'000'000'000'000), "1000000000000000000000000");
  // The least 128-bit integer, -2^127.
  EXPECT_EQ(to_decimal(Int128{INT64_MIN} * (Int128{1} << 64)), "-170141183460469231731687303715884105728");
}

}  // namespace
}  // namespace nameplate
