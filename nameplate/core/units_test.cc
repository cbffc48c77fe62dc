#include "nameplate/core/units.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

struct Case {
  const char* text;
  double base;
};

TEST(ParseFlopsRate, PrefixesAndSpellings) {
  for (Case c : {Case{"989 TFLOP/s", 989e12},
                 {"989 TFLOPS", 989e12},
                 {"989 TFLOPs/s", 989e12},
                 {"1.979 PFLOP/s", 1.979e15},
                 {"150 GFLOP/s", 150e9},
                 {"989TFLOPs", 989e12},
                 {"989 tflops", 989e12},
                 {"1,979 TOPS", 1979e12},
                 {"1e12 FLOP/s", 1e12},
                 {"5EFLOP/s", 5e18},
                 {"989 TFLOP/s per GPU", 989e12},
                 {"412 TFLOP/s/GPU", 412e12}}) {
    auto rate = parse_flops_rate(c.text);
    ASSERT_TRUE(rate) << c.text << ": " << rate.error().found;
    EXPECT_DOUBLE_EQ(rate->base(), c.base) << c.text;
  }
}

TEST(ParseBytes, BitsBytesDecimalBinary) {
  for (Case c : {Case{"80 GiB", 80.0 * 1073741824},
                 {"80 GB", 80e9},
                 {"141GB", 141e9},
                 {"8 Gbit", 1e9},
                 {"8 Gb", 1e9},
                 {"64 KiB", 65536},
                 {"1 kB", 1000},
                 {"12 B", 12},
                 {"2 TiB", 2199023255552.0},
                 {"0 B", 0}}) {
    auto size = parse_bytes(c.text);
    ASSERT_TRUE(size) << c.text;
    EXPECT_DOUBLE_EQ(size->base(), c.base) << c.text;
  }
}

TEST(ParseBandwidth, BitsBytesAndScope) {
  for (Case c : {Case{"400 Gbit/s", 50e9},
                 {"400Gbps", 50e9},
                 {"50 GB/s", 50e9},
                 {"3.35 TB/s", 3.35e12},
                 {"50 GBps", 50e9},
                 {"1 GiB/s", 1073741824},
                 {"400 Gbit/s per accelerator", 50e9},
                 {"400 Gbit/s per GPU", 50e9},
                 {"50 GB/s/GPU", 50e9}}) {
    auto bandwidth = parse_bandwidth(c.text);
    ASSERT_TRUE(bandwidth) << c.text;
    EXPECT_DOUBLE_EQ(bandwidth->base(), c.base) << c.text;
  }
}

TEST(ParseDuration, Spellings) {
  for (Case c : {Case{"5 min", 300},
                 {"300 s", 300},
                 {"1.5 h", 5400},
                 {"2 d", 172800},
                 {"7.5 ms", 7.5e-3},
                 {"3 us", 3e-6},
                 {"3 µs", 3e-6},
                 {"10ns", 1e-8}}) {
    auto duration = parse_duration(c.text);
    ASSERT_TRUE(duration) << c.text;
    EXPECT_DOUBLE_EQ(duration->base(), c.base) << c.text;
  }
}

TEST(ParsePowerAndTokenRate, Spellings) {
  EXPECT_DOUBLE_EQ(parse_power("700 W")->base(), 700);
  EXPECT_DOUBLE_EQ(parse_power("1.2 kW")->base(), 1200);
  EXPECT_DOUBLE_EQ(parse_token_rate("12.5k tokens/s")->base(), 12500);
  EXPECT_DOUBLE_EQ(parse_token_rate("6,785 tok/s per GPU")->base(), 6785);
}

TEST(UnitErrors, ListWhatIsAccepted) {
  Error missing = parse_flops_rate("989").error();
  EXPECT_EQ(missing.found, "'989' has no unit");
  EXPECT_NE(missing.expected.find("TFLOP/s"), std::string::npos);
  EXPECT_EQ(parse_flops_rate("989 TB/s").error().found, "unknown unit 'TB/s'");
  EXPECT_EQ(parse_bytes("GB").error().found, "'GB' is not a number with a unit");
  EXPECT_EQ(parse_bytes("").error().found, "'' is not a number with a unit");
  EXPECT_EQ(parse_bytes("-5 GB").error().found, "'-5 GB' is negative");
  EXPECT_EQ(parse_bytes("1e300 EB").error().found, "'1e300 EB' is out of range");
  EXPECT_FALSE(parse_duration("5 Gs"));
  EXPECT_FALSE(parse_flops_rate("989 TFLOP"));  // an amount, not a rate
  EXPECT_FALSE(parse_bandwidth("400 Gbit"));
  EXPECT_FALSE(parse_bytes("80 gb"));  // bits or bytes?
}

}  // namespace
}  // namespace nameplate
