#include "nameplate/inputs/trace_time.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// Expected values: the decimal point moved three places by hand.
TEST(TraceTime, MovesThePointWithoutADouble) {
  EXPECT_EQ(parse_microseconds("123456789.123"), 123456789123);
  EXPECT_EQ(parse_microseconds("6322354292522.072"), 6322354292522072);
  EXPECT_EQ(parse_microseconds("1682725898236567"), 1682725898236567000);
  EXPECT_EQ(parse_microseconds("1682725898236567.0"), 1682725898236567000);
  EXPECT_EQ(parse_microseconds("1682725898236567.001"), 1682725898236567001);  // 19 digits: more than a double holds
  EXPECT_EQ(parse_microseconds("9007199254740993.001"), 9007199254740993001);  // 2^53 + 1
  EXPECT_EQ(parse_microseconds("0"), 0);
  EXPECT_EQ(parse_microseconds("0.2"), 200);
  EXPECT_EQ(parse_microseconds(".5"), 500);
  EXPECT_EQ(parse_microseconds("-3.25"), -3250);
  EXPECT_EQ(parse_microseconds("1.7e+15"), 1700000000000000000);
  EXPECT_EQ(parse_microseconds("1.2345e-1"), 123);
  EXPECT_EQ(parse_microseconds("2.0005"), 2001);  // half a nanosecond rounds up
  EXPECT_EQ(parse_microseconds("0.000000000000000000000000001"), 0);
}

TEST(TraceTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "NaN", "nan", "-nan", "Infinity", "-", ".", "1.2.3", "1e", "1e+", "12a", "0x10", "1e99",
                           "99999999999999999999", "9223372036854775.808", "1e99999999999"}) {
    EXPECT_EQ(parse_microseconds(text), std::nullopt) << text;
  }
}

TEST(TraceTime, WholeNumbers) {
  EXPECT_EQ(parse_whole("46516"), 46516);
  EXPECT_EQ(parse_whole("12.0"), 12);
  EXPECT_EQ(parse_whole("1e3"), 1000);
  EXPECT_EQ(parse_whole("-1"), -1);
  EXPECT_EQ(parse_whole("0.5"), std::nullopt);
  EXPECT_EQ(parse_whole("0.05"), std::nullopt);
  EXPECT_EQ(parse_whole("None"), std::nullopt);
}

}  // namespace
}  // namespace nameplate
