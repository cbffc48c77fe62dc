#include "nameplate/analysis/mfu/goodput.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

const GoodputBin* find(const Goodput& goodput, std::string_view name) {
  for (const GoodputBin& bin : goodput.bins) {
    if (bin.name == name) return &bin;
  }
  return nullptr;
}

// 1000 s of wall-clock, 200 of them in the queue: goodput 600/800, ETTR 600/1000.
TEST(Goodput, LeavesTheQueueOutAndEttrDoesNot) {
  WallClock clock;
  clock.wall_s = 1000;
  clock.productive_s = 600;
  clock.other_s = {{LedgerRow::queue, 200},        {LedgerRow::startup, 50},    {LedgerRow::fault_detect, 30},
                   {LedgerRow::fault_restart, 40}, {LedgerRow::evaluation, 20}, {LedgerRow::idle, 10}};
  const auto result = goodput(clock);
  ASSERT_TRUE(result.has_value());
  EXPECT_DOUBLE_EQ(result->goodput, 0.75);
  EXPECT_DOUBLE_EQ(result->ettr, 0.6);
  EXPECT_DOUBLE_EQ(find(*result, "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION")->seconds, 70);
  EXPECT_DOUBLE_EQ(find(*result, "PROGRAM_STARTUP")->seconds, 50);
  EXPECT_DOUBLE_EQ(find(*result, "CUSTOM_BADPUT_EVENTS")->seconds, 20);
  EXPECT_DOUBLE_EQ(find(*result, "OTHER")->seconds, 60);  // 800 - 600 - 50 - 70 - 20, the idle 10 among them
  EXPECT_EQ(find(*result, "DATA_LOADING_SYNC"), nullptr);
  double sum = 0;
  for (const GoodputBin& bin : result->bins) sum += bin.seconds;
  EXPECT_DOUBLE_EQ(sum, result->total_s);
}

TEST(Goodput, OfNoTimeIsNothing) { EXPECT_FALSE(goodput({}).has_value()); }

}  // namespace
}  // namespace nameplate
