#include "nameplate/analysis/resilience/claims.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

const RedundancyReading* find(const std::vector<RedundancyReading>& all, RedundancyModel model, std::int64_t needed) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const RedundancyReading& r) {
    return r.model == model && (needed == 0 || r.needed == needed);
  });
  return it == all.end() ? nullptr : &*it;
}

// "46 % to 82 % with 20 % spares": false for whole copies and for 20 % of 1000, true for one spare and for 15 textbook
// parts of 0.95.
TEST(Claims, ReadingsOfARedundancyClaim) {
  using enum RedundancyModel;
  const auto all = readings({.46, .82, .2, 1000});
  EXPECT_NEAR(find(all, whole_copies, 0)->after, .523, 5e-4);
  EXPECT_FALSE(find(all, whole_copies, 0)->holds);
  EXPECT_NEAR(*find(all, whole_copies, 0)->parameter, 2.78, .005);
  EXPECT_NEAR(*find(all, whole_copies_gain, 0)->parameter, .067, 5e-4);
  EXPECT_NEAR(find(all, whole_copies_gain, 0)->before, .598, 5e-4);
  EXPECT_FALSE(find(all, whole_copies_gain, 0)->holds);
  EXPECT_NEAR(find(all, whole_copies_before, 0)->before, .760, 5e-4);
  EXPECT_NEAR(find(all, one_pooled_spare, 0)->after, .8172, 5e-5);
  EXPECT_TRUE(find(all, one_pooled_spare, 0)->holds);
  EXPECT_NEAR(find(all, pooled_share, 1000)->after, 1, 1e-9);
  EXPECT_FALSE(find(all, pooled_share, 1000)->holds);
  EXPECT_NEAR(find(all, textbook_parts, 15)->after, .8108, 5e-5);
  EXPECT_TRUE(find(all, textbook_parts, 15)->holds);
  EXPECT_NEAR(find(all, textbook_parts, 14)->after, .8290, 5e-5);
  EXPECT_NEAR(*find(all, lower_availability, 1000)->parameter, .8425, 5e-4);
  EXPECT_FALSE(find(all, lower_availability, 1000)->holds);
}

// 99.9 % is ten times as often down as 99.99 %: no half per cent makes them the same, and a gain elsewhere is another
// pair.
TEST(Claims, NinesAreTold) {
  const auto all = readings({.999, .9999, .05, 1000});
  EXPECT_FALSE(find(all, RedundancyModel::one_pooled_spare, 0)->holds);  // 1 - 5e-7
  for (const RedundancyReading& r : all) EXPECT_FALSE(r.holds) << name(r.model);
  // The largest gain of whole copies, 6.7 points from 59.8 %, is neither 46 -> 52 % nor any other pair.
  EXPECT_FALSE(find(readings({.46, .52, .2, {}}), RedundancyModel::whole_copies_gain, 0)->holds);
  EXPECT_TRUE(find(readings({.598, .665, .2, {}}), RedundancyModel::whole_copies_gain, 0)->holds);
}

// By hand, to first order: saves of 10 s every 30 min leave 1800/1810 = 99.45 %; restart and half an interval, 5 + 15.1
// min a failure, may take 2.5 % more, one in 13.4 h. The best interval would do with less.
TEST(Claims, AStatedIntervalRulesTheLimits) {
  GoodputClaim claim;
  claim.ettr = .97;
  claim.mttf = seconds(3 * 3600);
  claim.restart = seconds(300);
  claim.block = seconds(10);
  const Seconds at_best = answer(claim).least_mttf;
  claim.interval = seconds(1800);
  EXPECT_NEAR(answer(claim).least_mttf.base() / (13.4 * 3600), 1, .01);
  EXPECT_LT(at_best, answer(claim).least_mttf);
  EXPECT_FALSE(answer(claim).longest_block);  // without any saves to wait for it is short already
}

TEST(Claims, TheFormulaAsItStandsBesidePooledSpares) {
  const ReliabilityAnswer a = answer(ReliabilityClaim{.95, 1000, 1200, seconds(7 * 86400.0)});
  EXPECT_NEAR(a.whole_copies / 6.350e-23, 1, 1e-4);
  EXPECT_NEAR(a.pooled, 1, 1e-12);
  EXPECT_EQ(a.units_for_99, 1071);
  EXPECT_NEAR(a.unit_rate->base() * 86400 * 1000, 7.3276, 1e-4);  // -ln 0.95 / 7 d
}

// 90 % at one failure in 3.093 h needs saves that block for less than 60 s.
TEST(Claims, NinetyPerCentWithSixtySecondSavesIsImpossible) {
  const GoodputAnswer a = answer(GoodputClaim{.ettr = .9, .mttf = seconds(11134.8), .block = seconds(60)});
  EXPECT_FALSE(a.possible);
  EXPECT_FALSE(a.longest_restart);
  EXPECT_LT(a.reached, .9);
  EXPECT_LT(a.longest_block->base(), 60);
  EXPECT_GT(a.least_mttf.base(), 11134.8);
  const auto points = frontier(GoodputClaim{.ettr = .9, .mttf = seconds(11134.8), .block = seconds(60)});
  ASSERT_EQ(points.size(), 6u);
  EXPECT_NEAR(points[3].longest_restart->base(), 499, .6);
  EXPECT_FALSE(points[5].longest_restart);
  EXPECT_TRUE(answer(GoodputClaim{.ettr = .9, .mttf = seconds(11134.8), .block = seconds(20)}).possible);
}

// 2.3 times the throughput by a fifth of the recovery: only from 29 % of progress, to 67.5 %.
TEST(Claims, RecoveryAloneNeedsATerribleStart) {
  const RecoveryAnswer a = answer(RecoveryClaim{2.3, 5});
  EXPECT_NEAR(*a.ettr_before, .29, .005);
  EXPECT_NEAR(*a.ettr_after, .675, 5e-4);
  EXPECT_NEAR(a.gain_at_90, 1.087, 5e-4);  // (1/0.9) / (1 + 0.111/5)
  EXPECT_NEAR(a.gain_at_90 * a.rest_at_90, 2.3, 1e-12);
  EXPECT_FALSE(answer(RecoveryClaim{6, 5}).ettr_before);
}

TEST(Claims, OutageBudget) {
  const PackingAnswer a = answer(PackingClaim{.mfu_before = .45, .mfu_after = .58, .outage = seconds(12 * 3600)});
  EXPECT_NEAR(a.budget, .224, 5e-4);
  EXPECT_LT(a.break_even_period.base() / 3600, 54);
  EXPECT_GT(a.break_even_period.base() / 3600, 53);
  EXPECT_FALSE(a.delivered_before);
  // 10 d between outages of 12 h: 0.45 x 240/252; then 10 d x (45/58)^2 = 144.5 h: 0.58 x 144.5/156.5.
  const PackingAnswer b = answer(PackingClaim{.45, .58, seconds(12 * 3600), seconds(10 * 86400), 2});
  EXPECT_NEAR(*b.delivered_before, .42857, 1e-5);
  EXPECT_NEAR(*b.delivered_after, .53552, 1e-4);
  EXPECT_TRUE(b.erasing_outage);
}

}  // namespace
}  // namespace nameplate
