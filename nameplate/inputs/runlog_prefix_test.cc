#include "nameplate/inputs/runlog_prefix.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

struct Case {
  std::string_view line;
  std::string_view rank;  // empty: none
  double time;            // `date -u -d "…" +%s`; 0: none
  std::string_view text;
};

TEST(RunlogPrefix, FindsRankAndTime) {
  const Case cases[] = {
      {"[default7]: iteration 4/ 9 |", "7", 0, "iteration 4/ 9 |"},
      {"[default7]:[2024-05-01 10:00:05] iteration", "7", 1714557605, "iteration"},
      {"12: step: 3", "12", 0, "step: 3"},
      {"[rank3]: hello", "3", 0, "hello"},
      {"[Rank 31] hello", "31", 0, "hello"},
      {"(rank5) hello", "5", 0, "hello"},
      {"[4]:hello", "4", 0, "hello"},
      {"[1,17]<stdout>: hello", "17", 0, "hello"},
      {"0: [default3]: hello", "3", 0, "hello"},
      {"[INFO|DP=0|PP=0|TP=0]: hello", "", 0, "[INFO|DP=0|PP=0|TP=0]: hello"},
      {"2025-01-02 03:04:05,250 - root - INFO - step: 7", "", 1735787045.25, "step: 7"},
      {"[titan] 2025-01-02 03:04:05,250 - root - INFO - step: 7", "", 1735787045.25, "step: 7"},
      {"[NeMo I 2025-01-02 03:04:05 nemo_logging:381] saved", "", 1735787045, "saved"},
      {"2025-01-02T03:04:05.5Z x", "", 1735787045.5, "x"},
      {"2025-01-02T03:04:05+02:00 x", "", 1735779845, "x"},
      {"2025-01-02T03:04:05-0730 x", "", 1735814045, "x"},
      {"10/17/2025 16:31:56 - INFO - x", "", 1760718716, "x"},
      {"2024-02-29 23:59:60 leap", "", 1709251200, "leap"},
      {"2025-13-02 03:04:05 no month", "", 0, "2025-13-02 03:04:05 no month"},
      {"0007-01-02 03:04:05 no year", "", 0, "0007-01-02 03:04:05 no year"},
      {"12345678: too long for a rank", "", 0, "12345678: too long for a rank"},
      {"3:14 is no rank", "", 0, "3:14 is no rank"},
      {"[", "", 0, "["},
      {"   ", "", 0, ""},
      {"", "", 0, ""},
  };
  for (const Case& c : cases) {
    const LinePrefix prefix = parse_line_prefix(c.line);
    EXPECT_EQ(prefix.rank.value_or(""), c.rank) << c.line;
    EXPECT_EQ(prefix.rank.has_value(), !c.rank.empty()) << c.line;
    EXPECT_EQ(prefix.timestamp_s.value_or(0), c.time) << c.line;
    EXPECT_EQ(prefix.text, c.text) << c.line;
  }
}

TEST(RunlogPrefix, CountsDaysOfTheGregorianCalendar) {
  // `date -u -d "1970-01-01" +%s` and so on.
  EXPECT_EQ(parse_leading_time("1970-01-01 00:00:00")->seconds, 0);
  EXPECT_EQ(parse_leading_time("2000-02-29 00:00:00")->seconds, 951782400);
  EXPECT_EQ(parse_leading_time("2000-03-01 00:00:00")->seconds, 951868800);
  EXPECT_EQ(parse_leading_time("2100-03-01 00:00:00")->seconds, 4107542400);
  EXPECT_EQ(parse_leading_time("9999-12-31 23:59:59")->seconds, 253402300799);
  EXPECT_FALSE(parse_leading_time("2025-01-02"));
}

}  // namespace
}  // namespace nameplate
