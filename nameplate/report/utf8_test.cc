#include "nameplate/report/utf8.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// Which sequences are well-formed: The Unicode Standard 15, table 3-7.
TEST(Utf8, ReplacesOnlyWhatIsNotWellFormed) {
  struct Case {
    std::string_view text;
    std::string_view expected;
  };
  const Case cases[] = {
      {"plain", "plain"},
      {"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80", "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"},
      {"a\xff", "a\xef\xbf\xbd"},
      {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                                  // overlong "/"
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                  // a surrogate
      {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},  // beyond U+10FFFF
      {"\xe4\xb8", "\xef\xbf\xbd\xef\xbf\xbd"},                                  // cut off
      {"a\nb", "a\nb"},
  };
  for (const Case& c : cases) EXPECT_EQ(valid_utf8(c.text), c.expected) << c.text;
}

TEST(Utf8, PrintableTextCannotSteerATerminal) {
  EXPECT_EQ(one_line("a\x1b[31mb\r\nc\x7f"), "a [31mb  c ");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            " 31m");  // C1: CSI in one character
  EXPECT_EQ(one_line("a\xe2\x80\xae"
                     "b"),
            "a b");  // right-to-left override
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a b");
}

TEST(Utf8, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("\xc3\xa9t\xc3\xa9"), 3u);
  EXPECT_EQ(display_width("\xe4\xb8\xad\xe6\x96\x87"), 4u);  // two ideographs
  EXPECT_EQ(fitting_prefix("\xe4\xb8\xad\xe6\x96\x87", 3), "\xe4\xb8\xad");
  EXPECT_EQ(fitting_prefix("abc", 9), "abc");
}

}  // namespace
}  // namespace nameplate
