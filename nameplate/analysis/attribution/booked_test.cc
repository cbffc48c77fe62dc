#include "nameplate/analysis/attribution/booked.h"

#include <gtest/gtest.h>

#include <map>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/synthetic_for_test.h"
#include "nameplate/analysis/attribution/synthetic_ranks_for_test.h"

namespace nameplate {
namespace {

std::map<LedgerRow, double> sums_s(const std::vector<BookedSlice>& slices, Stretch window) {
  std::map<LedgerRow, double> sums;
  std::int64_t now = window.begin_ns;
  for (const BookedSlice& slice : slices) {
    EXPECT_EQ(slice.when.begin_ns, now);
    now = slice.when.end_ns;
    sums[slice.row] += static_cast<double>(slice.when.length()) / 1e9;
  }
  EXPECT_EQ(now, window.end_ns);
  return sums;
}

void expect_ledger(const Timeline& t, const RankAttribution& r) {
  const std::vector<GroupUse> roles = group_roles(t);
  const std::vector<BookedSlice> slices = booked_slices(t, t.ranks[0], {roles, r, {}, {}, {}});
  const double tolerance_s = 1e-9 * static_cast<double>(slices.size());
  std::map<LedgerRow, double> sums = sums_s(slices, r.steps.steady);
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    EXPECT_NEAR(sums[row], r.ledger.value(row).value_or(0), tolerance_s) << name(row);
  }
}

// Slices cover the window without gaps, and their rows sum to the ledger's within 1 ns a slice: with the FLOPs from
// shapes, with an architecture's that are more, and with one's that are fewer.
TEST(Booked, SlicesSumToTheLedger) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    SyntheticTimeline made(seed);
    const Timeline t = made.made().build();
    const std::vector<GroupUse> roles = group_roles(t);
    const auto peak = flops_per_s(SyntheticTimeline::kPeakPerNs * 1e9);
    expect_ledger(t, attribute(t, t.ranks[0], roles));
    const RankAttribution shapes = attribute(t, t.ranks[0], roles, {.peak = peak});
    expect_ledger(t, shapes);
    for (const double factor : {1.1, 0.8}) {
      expect_ledger(t, attribute(t, t.ranks[0], roles,
                                 {.peak = peak, .model_flops_per_step = shapes.model_flops * (factor / 4)}));
    }
  }
}

// Waiting for other ranks is apart, and so is the pipeline's; a row of communication knows its exposed time to
// kFinestNs at each change.
TEST(Booked, SlicesSumToTheLedgersOfManyRanks) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const SyntheticJob job = random_job(seed, 8);
    const SyntheticRanks made(seed, job);
    std::vector<RankSummary> summaries;
    std::vector<RankAttribution> ranks;
    for (std::size_t r = 0; r < 8; ++r) {
      const Timeline t = made.timeline(r);
      ranks.push_back(attribute(t, t.ranks[0], group_roles(t)));
      summaries.push_back(summarise(t, t.ranks[0], group_roles(t), ranks[r].steps));
    }
    const AcrossRanks across = across_ranks(summaries);
    const auto waiting = waiting_by_rank(Meetings(summaries, across.matches, across.clocks));
    for (std::size_t r = 0; r < 8; ++r) {
      const Timeline t = made.timeline(r);
      const std::vector<GroupUse> roles = group_roles(t);
      const Ledger ledger = book_waits(ranks[r].ledger, across.waits[r]);
      const auto slices = booked_slices(t, t.ranks[0], {roles, ranks[r], summaries[r].collectives, waiting[r], {}});
      std::map<LedgerRow, double> sums = sums_s(slices, ranks[r].steps.whole);
      const auto changes = static_cast<double>(2 * summaries[r].collectives.row.size());
      const double tolerance_s = 1e-9 * (static_cast<double>(slices.size()) + changes * kFinestNs);
      for (std::size_t i = 0; i < kLedgerRows; ++i) {
        const auto row = static_cast<LedgerRow>(i);
        EXPECT_NEAR(sums[row], ledger.value(row).value_or(0), tolerance_s) << name(row);
      }
      EXPECT_GT(sums[LedgerRow::straggler_wait], 0);
    }
  }
}

}  // namespace
}  // namespace nameplate
