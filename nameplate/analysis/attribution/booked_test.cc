#include "nameplate/analysis/attribution/booked.h"

#include <gtest/gtest.h>

#include <map>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/synthetic_for_test.h"

namespace nameplate {
namespace {

// Slices cover the window without gaps, and their rows sum to the ledger's, model compute being in the rows of kernels.
TEST(Booked, SlicesAgreeWithTheLedger) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SyntheticTimeline made(seed);
    const Timeline t = made.made().build();
    const RankTimeline& rank = t.ranks[0];
    const std::vector<GroupUse> roles = group_roles(t);
    const RankAttribution r = attribute(t, rank, roles);
    const std::vector<BookedSlice> slices = booked_slices(t, rank, roles, r.steps.steady);
    std::map<LedgerRow, double> sums;
    std::int64_t now = r.steps.steady.begin_ns;
    for (const BookedSlice& slice : slices) {
      ASSERT_EQ(slice.when.begin_ns, now);
      now = slice.when.end_ns;
      sums[slice.row] += static_cast<double>(slice.when.length()) / 1e9;
    }
    EXPECT_EQ(now, r.steps.steady.end_ns);
    for (std::size_t i = 0; i < kLedgerRows; ++i) {
      const auto row = static_cast<LedgerRow>(i);
      EXPECT_NEAR(sums[row], r.ledger.value(row).value_or(0), 1e-9) << name(row) << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace nameplate
