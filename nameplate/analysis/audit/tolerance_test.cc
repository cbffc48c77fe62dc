#include "nameplate/analysis/audit/tolerance.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Tolerance, OneUnitOfTheLastDigit) {
  EXPECT_DOUBLE_EQ(digit_share(38.3), 0.1 / 38.3);
  EXPECT_DOUBLE_EQ(digit_share(0.1871 * 100), 0.01 / 18.71);  // not exactly 18.71
  EXPECT_DOUBLE_EQ(digit_share(137), 1.0 / 137);
  EXPECT_DOUBLE_EQ(digit_share(1600), 1.0 / 1600);  // whole numbers to the unit
  EXPECT_DOUBLE_EQ(digit_share(0.05), 0.01 / 0.05);
  EXPECT_DOUBLE_EQ(digit_share(7), 1.0 / 7);
  EXPECT_EQ(digit_share(0), 0);
}

// 1,664 = 52 x 32: 16 either way. 48 = 3 x 16 would be 17 % off: too much to be that rounding.
TEST(Tolerance, TokensInMultiples) {
  EXPECT_DOUBLE_EQ(token_digit_share(1664), 16.0 / 1664);
  EXPECT_DOUBLE_EQ(token_digit_share(1680), 8.0 / 1680);
  EXPECT_DOUBLE_EQ(token_digit_share(1628), 1.0 / 1628);
  EXPECT_DOUBLE_EQ(token_digit_share(48), 1.0 / 48);
  EXPECT_DOUBLE_EQ(token_digit_share(38.786), 0.001 / 38.786);
}

}  // namespace
}  // namespace nameplate
