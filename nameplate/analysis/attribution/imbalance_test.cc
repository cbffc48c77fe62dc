#include "nameplate/analysis/attribution/imbalance.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/summary_for_test.h"

namespace nameplate {
namespace {

TEST(Imbalance, WaitAndTransferOfAGroup) {
  const std::vector<ChannelUse> uses = across_ranks(three_ranks()).channels;
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].members, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(uses[0].collectives, 2);
  EXPECT_NEAR(uses[0].wait_ns, 60'000 + 40'000, 1e-6);
  EXPECT_NEAR(uses[0].transfer_ns, 3 * 20'000 + 3 * 10'000, 1e-6);
  EXPECT_FALSE(uses[0].slowest_over_mean);
}

// Two stages of two ranks; the second stage computes three times as long.
TEST(Imbalance, StagesOfAPipeline) {
  std::vector<RankSummary> ranks;
  for (std::int64_t r = 0; r < 4; ++r) {
    const Group line{.id = "pp", .description = "pp", .ranks = {r % 2, r % 2 + 2}, .size = 2};
    const std::int64_t ns = r < 2 ? 30'000 : 90'000;
    ranks.push_back(summary_of(
        TimelineForTest().group(line).step(0, 100'000).event({"k", DeviceEventClass::matmul, 0, ns}).build(), r));
  }
  const std::vector<StageLoad> loads = stage_loads(ranks);
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[1].ranks, 2);
  EXPECT_NEAR(loads[1].kernels_ns, 90'000, 1e-6);
  EXPECT_NEAR(loads[0].over_mean_ratio, 0.5, 1e-12);
  EXPECT_NEAR(loads[1].over_mean_ratio, 1.5, 1e-12);
}

}  // namespace
}  // namespace nameplate
