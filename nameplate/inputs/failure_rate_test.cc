#include "nameplate/inputs/failure_rate.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

constexpr double kDay = 86400;

TEST(FailureRate, FormsThatPeopleWrite) {
  struct Row {
    const char* text;
    double per_second;
    RateUnit unit;
  };
  for (const Row& row : {Row{"3.79 per 1000 node-days", 3.79e-3 / kDay, RateUnit::node},
                         Row{"9 % per device-year", .09 / (365.25 * kDay), RateUnit::device},
                         Row{"9% per GPU-year", .09 / (365.25 * kDay), RateUnit::device},
                         Row{"one per 3.1 h of the job", 1 / 11160.0, RateUnit::job},
                         Row{"2 per 50,000 accelerator-hours", 2 / (50000 * 3600.0), RateUnit::device},
                         Row{"1 per rack-year", 1 / (365.25 * kDay), RateUnit::domain},
                         Row{"419 in 54 d on 2048 nodes", 419 / (54 * kDay * 2048), RateUnit::node}}) {
    const auto parsed = parse_failure_rate(row.text);
    ASSERT_TRUE(parsed.ok()) << row.text << ": " << parsed.error().found;
    EXPECT_NEAR(parsed->rate.base() / row.per_second, 1, 1e-12) << row.text;
    ASSERT_TRUE(parsed->base) << row.text;
    EXPECT_EQ(parsed->base->unit, row.unit) << row.text;
  }
  EXPECT_EQ(parse_failure_rate("419 in 54 d on 2048 nodes")->events, 419);
  EXPECT_EQ(parse_failure_rate("1 per rack-year")->base->domain, DomainKind::rack);
  EXPECT_FALSE(parse_failure_rate("1 per 3 h")->base);
}

TEST(FailureRate, WithoutATimeBaseItIsAnError) {
  for (const char* text : {"3.79", "3.79 per 1000 nodes", "0.5 per node", "6.5 / 1000"}) {
    const auto parsed = parse_failure_rate(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().found.find("no time base"), std::string::npos) << text;
  }
  for (const char* text : {"", "often", "-1 per node-day", "0 per node-day", "1 per 0 node-days",
                           "1 per node-day today", "1 per node-day of the job"}) {
    EXPECT_FALSE(parse_failure_rate(text).ok()) << text;
  }
}

TEST(FailureRate, DurationsByScale) {
  EXPECT_EQ(parse_scaled_duration("10 min")->at_one_node.base(), 600);
  const auto points = parse_scaled_duration("454 s at 128, 545 s at 256 nodes");
  ASSERT_TRUE(points.ok());
  ASSERT_EQ(points->points.size(), 2u);
  EXPECT_EQ(points->points[1].nodes, 256);
  EXPECT_EQ(points->points[1].duration.base(), 545);
  const auto line = parse_scaled_duration("-277 s + 103.2 s per doubling");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->at_one_node.base(), -277);
  EXPECT_EQ(line->per_doubling.base(), 103.2);
  for (const char* text : {"600", "454 s at 256, 545 s at 128", "454 at 128", "454 s at many", "x s per doubling"}) {
    EXPECT_FALSE(parse_scaled_duration(text).ok()) << text;
  }
}

}  // namespace
}  // namespace nameplate
