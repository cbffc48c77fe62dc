#include "nameplate/analysis/attribution/merge_ranks.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {
namespace {

// One rank computes 40 us of 100, the other 60 of 200.
TEST(MergeRanks, RowsAndKernelsAreSummed) {
  std::vector<RankAttribution> ranks;
  for (const std::int64_t i : {0, 1}) {
    const Timeline t = TimelineForTest()
                           .step(0, 100'000 * (i + 1))
                           .event({"kernel", DeviceEventClass::memory_bound, 0, 40'000 + 20'000 * i})
                           .event({"mystery", DeviceEventClass::unclassified, 90'000, 5'000 * i})
                           .build();
    ranks.push_back(attribute(t, t.ranks[0], group_roles(t)));
  }
  const Ledger ledger = merge_ledgers(ranks, 8);
  EXPECT_EQ(ledger.ranks_present(), 2);
  EXPECT_EQ(ledger.ranks_total(), 8);
  EXPECT_NEAR(ledger.total(), 300e-6, 1e-15);
  EXPECT_NEAR(ledger.value(LedgerRow::kernel_memory_bound).value(), 100e-6, 1e-15);
  EXPECT_EQ(ledger.evidence(LedgerRow::kernel_memory_bound), "kernel 0.10 ms");  // of both ranks
  const std::vector<KernelTotal> kernels = merge_kernels(ranks);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].count, 2);
  EXPECT_EQ(kernels[0].time_ns, 100'000);
  const TraceShares shares = trace_shares(ranks, ledger);
  EXPECT_NEAR(shares.unmodelled.value(), 5.0 / 105, 1e-12);
  EXPECT_NEAR(shares.unclassified.value(), 5.0 / 105, 1e-12);
  EXPECT_NEAR(shares.unattributed.value(), 195.0 / 300, 1e-12);
  EXPECT_FALSE(shares.mfu);
}

}  // namespace
}  // namespace nameplate
