#include "nameplate/core/pattern.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Pattern, NamedGroupsInBothSpellings) {
  for (const char* expression : {R"(it (?P<step>\d+) .*?dt=(?P<ms>[\d.]+)( (?P<tag>\w+))?)",
                                 R"(it (?<step>\d+) .*?dt=(?<ms>[\d.]+)( (?<tag>\w+))?)"}) {
    Pattern pattern = Pattern::compile(expression).value();
    EXPECT_EQ(pattern.group_names(), (std::vector<std::string>{"step", "ms", "tag"}));
    std::vector<std::string_view> values;
    ASSERT_TRUE(pattern.match("[rank 0] it 12 loss 2 dt=7.5", values));
    EXPECT_EQ(values, (std::vector<std::string_view>{"12", "7.5", ""}));
    EXPECT_FALSE(pattern.match("iteration", values));
  }
}

TEST(Pattern, EscapedParenthesisIsNoGroup) {
  std::vector<std::string_view> values;
  EXPECT_TRUE(Pattern::compile(R"(\(?<x>)").value().match("(<x>", values));
}

TEST(Pattern, ErrorsSayWhatIsWrong) {
  EXPECT_NE(Pattern::compile("(").error().found.find("missing )"), std::string::npos);
  EXPECT_FALSE(Pattern::compile("(?<=a)b"));
  EXPECT_EQ(Pattern::compile("(?P<a>x)(?P<a>y)").error().found, "the regular expression names two groups 'a'");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "(a)";
  EXPECT_EQ(Pattern::compile(many).error().found, "the regular expression has more than 31 groups");
  EXPECT_FALSE(Pattern::compile("((a{1000}){1000}){1000}"));
  EXPECT_FALSE(Pattern::compile("\xff\\"));
}

// (a*)*b takes a backtracking engine 2^n steps.
TEST(Pattern, LinearTime) {
  std::vector<std::string_view> values;
  EXPECT_FALSE(Pattern::compile("(a*)*b").value().match(std::string(100000, 'a'), values));
}

}  // namespace
}  // namespace nameplate
