#include "nameplate/core/text.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(ParseNumber, WholeTextOrNothing) {
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number(" +2 "), 2);
  EXPECT_EQ(parse_number("6,785"), 6785);
  EXPECT_EQ(parse_number("-1,234,567.25"), -1234567.25);
  for (const char* bad : {"", "-", "+", "1.2.3", "12a", "nan", "inf", "1e999", "1,23", "1234,567", ",123", "1,,234",
                          "1.5,000", "+-2", "++2", "0x10"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(ParseInteger, NoFractionNoOverflow) {
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_integer("1,000,000"), 1000000);
  for (const char* bad : {"9223372036854775808", "1.0", "1e3", "", "1,0"}) EXPECT_FALSE(parse_integer(bad)) << bad;
}

TEST(ParseLeadingNumber, HandsBackTheRest) {
  auto time = parse_leading_number("7.57ms");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->value, 7.57);
  EXPECT_EQ(time->rest, "ms");
  EXPECT_EQ(parse_leading_number("39.73%")->rest, "%");
  EXPECT_EQ(parse_leading_number("3e")->rest, "e");
  EXPECT_FALSE(parse_leading_number("ms"));
  EXPECT_FALSE(parse_leading_number("nan"));
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(DidYouMean, NearestFirst) {
  std::vector<std::string> keys = {"layers", "hidden", "heads", "kv_heads", "head_dim"};
  EXPECT_EQ(did_you_mean("layer", keys), "did you mean 'layers'?");
  EXPECT_EQ(did_you_mean("HIDEN", keys), "did you mean 'hidden'?");
  EXPECT_EQ(did_you_mean("haeds", keys), "did you mean 'heads'?");  // a swap is one edit
  EXPECT_EQ(did_you_mean("optimizer", keys), "");
  EXPECT_EQ(did_you_mean(std::string(1 << 20, 'x'), keys), "");
  std::vector<std::string> pair = {"cat", "car"};
  EXPECT_EQ(did_you_mean("caz", pair), "did you mean 'cat' or 'car'?");
}

TEST(WithThousands, Groups) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(6785), "6,785");
  EXPECT_EQ(with_thousands(-123456), "-123,456");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

TEST(StripAnsi, ColourCursorAndTitles) {
  std::string buffer;
  EXPECT_EQ(strip_ansi("\x1b[32mstep: 1\x1b[0m loss", buffer), "step: 1 loss");
  EXPECT_EQ(strip_ansi("\x1b]0;title\x07text\x1b]8;;\x1b\\more", buffer), "textmore");
  EXPECT_EQ(strip_ansi("\x1b[2K\x1b[1;31mred", buffer), "red");
  EXPECT_EQ(strip_ansi("cut \x1b[", buffer), "cut ");
  EXPECT_EQ(strip_ansi("cut \x1b", buffer), "cut ");
  std::string_view plain = "plain";
  EXPECT_EQ(strip_ansi(plain, buffer).data(), plain.data());
}

TEST(Trim, AsciiSpace) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_TRUE(starts_with_ignoring_case("Bfloat16", "BF"));
  EXPECT_FALSE(starts_with_ignoring_case("b", "bf"));
}

}  // namespace
}  // namespace nameplate
