#include "nameplate/analysis/attribution/critical_path.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/summary_for_test.h"

namespace nameplate {
namespace {

constexpr auto kDp = static_cast<std::size_t>(LedgerRow::comm_dp);

// Back from the end of the step: 50 us on rank 0, the transfer of the second collective (140 .. 150 us), then rank 2.
TEST(CriticalPath, RunsThroughTheLastToArrive) {
  const CriticalPath path = across_ranks(three_ranks()).path;
  EXPECT_EQ(path.steps, 1);
  EXPECT_NEAR(path.length_ns, 200'000, 1e-6);
  EXPECT_NEAR(path.on_rank_ns[0][kDp], 10'000, 1e-6);
  EXPECT_NEAR(path.on_rank_ns[0][static_cast<std::size_t>(LedgerRow::unattributed)], 50'000, 1e-6);
  EXPECT_EQ(path.on_rank_ns[1], RowTimes{});
  EXPECT_NEAR(path.on_rank_ns[2][static_cast<std::size_t>(LedgerRow::kernel_matmul)], 120'000, 1e-6);
  EXPECT_NEAR(path.on_rank_ns[2][kDp], 20'000, 1e-6);
}

}  // namespace
}  // namespace nameplate
