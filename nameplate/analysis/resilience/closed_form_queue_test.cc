#include "nameplate/analysis/resilience/closed_form_queue.h"

#include <cmath>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// The reference prints 0.14 for 64 servers at 80 %; summing Erlang's formula term by term gives 0.1347.
TEST(ClosedFormQueue, WaitingByServersAndLoad) {
  struct Row {
    double load;
    std::int64_t servers;
    double mean, p99, mean_digit, p99_digit;
  };
  constexpr Row kRows[] = {
      {.50, 1, 1.00, 7.8, .005, .05},     {.50, 4, .087, 1.43, .0005, .005},    {.50, 16, .001, 0, .0005, 1e-9},
      {.50, 64, 0, 0, .0005, 1e-9},       {.65, 1, 1.86, 11.9, .005, .05},      {.65, 4, .253, 2.55, .0005, .005},
      {.65, 16, .014, .36, .0005, .005},  {.70, 1, 2.33, 14.2, .005, .05},      {.70, 4, .357, 3.13, .0005, .005},
      {.70, 16, .027, .53, .0005, .005},  {.80, 1, 4.00, 21.9, .005, .05},      {.80, 4, .746, 5.11, .0005, .005},
      {.80, 16, .095, 1.07, .0005, .005}, {.80, 64, .004, .1347, .0005, .0001}, {.90, 1, 9.0, 45.0, .05, .05},
      {.90, 4, 1.97, 10.9, .005, .05},    {.90, 16, .37, 2.55, .005, .005},     {.90, 64, .049, .54, .0005, .005},
      {.95, 1, 19.0, 91, .05, .5},        {.95, 4, 4.46, 22.5, .005, .05},      {.95, 16, .98, 5.45, .005, .005},
      {.95, 64, .18, 1.27, .005, .005},
  };
  for (const Row& row : kRows) {
    EXPECT_NEAR(mean_wait(row.servers, row.load), row.mean, row.mean_digit) << row.load << ' ' << row.servers;
    EXPECT_NEAR(wait_quantile(row.servers, row.load, .99), row.p99, row.p99_digit) << row.load << ' ' << row.servers;
  }
}

// A constant cap is wrong: 65 % of one server waits 1.86 services, 7.4 with bursts of 4, and 33 % waits 2 then.
TEST(ClosedFormQueue, CapsFollowServersAndBursts) {
  EXPECT_NEAR(mean_wait(1, .65, 4), 7.4, .05);
  EXPECT_NEAR(utilisation_cap(1, 4, 2), .33, .005);
  EXPECT_NEAR(utilisation_cap(1, 1, 2), 2.0 / 3, 1e-9);  // response of three services: the folklore's 65 to 70 %
  EXPECT_GT(utilisation_cap(16, 1, 0.3), .85);
  EXPECT_GT(utilisation_cap(64, 1, 0.1), .92);
  EXPECT_NEAR(wait_quantile(16, utilisation_cap_quantile(16, .99, 1.07), .99), 1.07, 1e-9);
}

// The slowest of 1,000: a per-request tail of 1e-5 is a 1 % tail of the job.
TEST(ClosedFormQueue, SlowestOfMany) { EXPECT_NEAR(any_beyond(1000, 1e-5), .01, 1e-4); }

// By hand: a = 1/s, b = 3/s, r = 3, c = 1: (1 x 3)/(4 x 1) = 0.75 at 0, decay 3/2 - 1 = 0.5.
TEST(ClosedFormQueue, FluidBuffer) {
  const FluidBuffer buffer{3, 1, PerSecond::from_base(1), PerSecond::from_base(3)};
  EXPECT_NEAR(overflow_probability(buffer, 0), .75, 1e-12);
  EXPECT_NEAR(overflow_probability(buffer, 2), .75 * std::exp(-1.0), 1e-12);
  EXPECT_NEAR(content_for_overflow(buffer, .75 * std::exp(-1.0)), 2, 1e-12);
  EXPECT_EQ(content_for_overflow(buffer, .9), 0);
}

TEST(ClosedFormQueue, Smoothing) {
  EXPECT_NEAR(buffer_for_smoothing(37, 8) + 1, 21.39, .005);
  EXPECT_NEAR(buffer_for_smoothing(35, 12) + 1, 8.51, .005);
  EXPECT_NEAR(buffer_for_smoothing(1, .32) + 1, 9.77, .005);
  EXPECT_NEAR(buffer_for_smoothing(1, .45) + 1, 4.94, .005);
  EXPECT_NEAR(smoothing_ratio(seconds(1), seconds(3)), .5, 1e-12);
}

// 45 % to 58 %: 22.4 % of the time; one outage of 12 h erases it when less than about 54 h apart.
TEST(ClosedFormQueue, OutageBudget) {
  EXPECT_NEAR(outage_budget(.45, .58), .224, 5e-4);
  EXPECT_NEAR(break_even_period(.45, .58, seconds(12 * 3600)).base() / 3600, 53.5, .05);
}

}  // namespace
}  // namespace nameplate
