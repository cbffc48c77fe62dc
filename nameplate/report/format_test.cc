#include "nameplate/report/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace nameplate {
namespace {

TEST(Format, Percent) {
  EXPECT_EQ(percent(0.3466), "34.7 %");
  EXPECT_EQ(percent(0.0042), "0.42 %");
  EXPECT_EQ(percent(-0.1), "-10.0 %");
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.00003), "under 0.01 %");
}

TEST(Format, DurationAdaptsItsUnit) {
  struct Case {
    double seconds;
    const char* expected;
  };
  const Case cases[] = {{0, "0 s"},           {2.5e-5, "25.0 us"},   {0.417, "417 ms"},    {1.1, "1.10 s"},
                        {99.94, "99.9 s"},    {99.96, "1 min 40 s"}, {200, "3 min 20 s"},  {3599.6, "1 h 00 min"},
                        {7500, "2 h 05 min"}, {273600, "3 d 4 h"},   {-200, "-3 min 20 s"}};
  for (const Case& c : cases) EXPECT_EQ(duration(c.seconds), c.expected) << c.seconds;
}

TEST(Format, FiguresWithTheirUnit) {
  struct Case {
    const char* id;
    Number value;
    const char* unit;
    const char* expected;
  };
  const Case cases[] = {
      {"mfu_step_ratio", 0.347, "1", "34.7 %"},
      {"rank_tau", 0.8123, "1", "0.8123"},
      {"steps_total", Int128{6785}, "1", "6,785"},
      {"steps_total", 6785.0, "1", "6,785"},
      {"tokens_per_s_per_gpu", 13256.4, "token/s", "13,256 token/s"},
      {"tflops_per_s_per_gpu", 412.345, "TFLOP/s", "412.3 TFLOP/s"},
      {"tflops_per_s_per_gpu", 0.0213, "TFLOP/s", "21.30 GFLOP/s"},
      {"peak", 989.5e12, "FLOP/s", "989.5 TFLOP/s"},
      {"cluster_peak", 16.2e18, "FLOP/s", "16.20 EFLOP/s"},
      {"flops_per_token", Int128{51470401536}, "FLOP", "51,470,401,536 FLOP"},
      {"flops_per_step", Int128{4} * Int128{10000000000000000} * 1000000, "FLOP", "40.00 ZFLOP"},
      {"memory_peak_bytes", 73.66e9, "B", "68.6 GiB"},  // 73.66e9 / 2^30 = 68.60
      {"total", 1234.0, "accelerator_s", "1,234 accelerator-s"},
      {"total", 1.2e6, "accelerator_s", "333.3 accelerator-h"},
      {"power", 700.0, "W", "700 W"},
  };
  for (const Case& c : cases) EXPECT_EQ(human(c.id, c.value, c.unit), c.expected) << c.id;
}

TEST(Format, AnyMagnitudeStaysShort) {
  EXPECT_EQ(human("x", 1e300, "W"), "1e+300 W");
  EXPECT_EQ(duration(1e300).size(), std::string("1e+300 s").size());
  EXPECT_EQ(significant(1e-30, 3), "1e-30");
  EXPECT_EQ(significant(12345.6, 3), "12,346");
  EXPECT_EQ(significant(0.01234, 3), "0.0123");
}

TEST(Format, PlainNumbersReadBackExactly) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(plain((Int128{1} << 64) + 1), "18446744073709551617");
  EXPECT_EQ(plain(Int128{std::numeric_limits<std::int64_t>::min()}), "-9223372036854775808");
}

}  // namespace
}  // namespace nameplate
