#include "nameplate/report/text_layout.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

using Lines = std::vector<std::string>;

TEST(TextLayout, WrapsAtSpaces) {
  EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefgh ij", 4), (Lines{"abcd", "efgh", "ij"}));
  EXPECT_EQ(wrap("", 4), (Lines{""}));
  EXPECT_EQ(wrap("\xe4\xb8\xad\xe6\x96\x87", 1), (Lines{"\xe4\xb8\xad", "\xe6\x96\x87"}));
}

TEST(TextLayout, CutsAndPadsByColumns) {
  EXPECT_EQ(cut("abcdefgh", 6), "abc...");
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abcd", 2), "ab");
  EXPECT_EQ(cut_middle("gemm_bf16_tn_128x256", 13), "gemm_...8x256");
  EXPECT_EQ(cut_middle("gemm", 13), "gemm");
  EXPECT_EQ(cut_middle("ncclSum_f32(Args<4>(int))", 13), "ncclSum_f32");
  EXPECT_EQ(cut_middle("12345678\xc3\xa9\xc3\xa9", 9), "123...8\xc3\xa9\xc3\xa9");
  EXPECT_EQ(pad_left("\xc3\xa9", 3), "  \xc3\xa9");
  EXPECT_EQ(pad_right("abc", 2), "abc");
}

}  // namespace
}  // namespace nameplate
