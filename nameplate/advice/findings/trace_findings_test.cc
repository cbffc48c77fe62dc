#include "nameplate/advice/findings/trace_findings.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// 100 accelerator-seconds of steps at an MFU of 0.4, with what each case adds.
Ledger ledger_with(const std::vector<std::pair<LedgerRow, double>>& rows) {
  LedgerBuilder builder(LedgerScope::step, 1, 1);
  builder.book(LedgerRow::model_compute, 40);
  for (const auto& [row, value] : rows) builder.book(row, value, "evidence");
  return builder.close(100);
}

std::vector<Finding> find(const std::vector<std::pair<LedgerRow, double>>& rows, double short_kernels = 0.1) {
  TraceShares shares;
  shares.mfu = 0.4;
  shares.short_kernels = short_kernels;
  return find_in_trace({ledger_with(rows), shares});
}

TEST(TraceFindings, SmallRowsAreNotWorthASentence) {
  EXPECT_TRUE(find({{LedgerRow::host_bound, 2}, {LedgerRow::data_wait, 2}, {LedgerRow::comm_dp, 2}}).empty());
}

TEST(TraceFindings, OfTheHostAloneSayNothingOfADevice) {
  const Ledger ledger = ledger_with({{LedgerRow::host_bound, 50}});
  EXPECT_TRUE(find_in_trace({ledger, {}, true}).empty());
}

TEST(TraceFindings, AreRankedByWorth) {
  const auto all = find({{LedgerRow::host_bound, 10}, {LedgerRow::data_wait, 20}, {LedgerRow::comm_tp, 5}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].message.id, "finding.data_wait");
  EXPECT_EQ(all[1].message.id, "finding.host_bound");
  EXPECT_EQ(all[2].message.id, "finding.exposed_communication");
  // Without the 20 s the same FLOPs take 80: 0.4 becomes 0.5.
  EXPECT_NEAR(all[0].worth->mfu_points.value(), 0.1, 1e-12);
  EXPECT_EQ(all[0].worth->accelerator_s, 20);
  EXPECT_EQ(all[0].evidence, std::vector<std::string>{"evidence"});
}

TEST(TraceFindings, ShortKernelsAskForAGraph) {
  EXPECT_EQ(find({{LedgerRow::host_bound, 10}}, 0.6).at(0).message.id, "finding.host_bound_short_kernels");
}

TEST(TraceFindings, CommunicationIsOneFindingAtItsLargestGroup) {
  const auto all = find({{LedgerRow::comm_dp, 2}, {LedgerRow::comm_tp, 3}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].row, LedgerRow::comm_tp);
  EXPECT_EQ(all[0].worth->accelerator_s, 5);
}

TEST(TraceFindings, TheRankThatIsWaitedForIsNamed) {
  const Ledger ledger = ledger_with({{LedgerRow::straggler_wait, 10}, {LedgerRow::comm_dp, 5}});
  const LateRank late{
      .rank = 3, .part = 0.8, .cause = LateCause::loader, .cause_part = 0.9, .times_last = 4, .collectives = 9};
  const auto all = find_in_trace({ledger, {}, false, {late, {.rank = 1, .part = 0.02}}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].message.id, "finding.straggler_data_loader");
  EXPECT_EQ(all[0].row, LedgerRow::straggler_wait);
  EXPECT_NEAR(all[0].worth->accelerator_s, 8, 1e-12);
  EXPECT_EQ(all[0].evidence,
            std::vector<std::string>{
                "rank 3: 80.0 % of the waiting, 90 % of that by data_loader; last in 4 of 9 collectives"});
  EXPECT_EQ(all[1].message.id, "finding.exposed_transfer");
}

TEST(TraceFindings, NoRankStandsOut) {
  const Ledger ledger = ledger_with({{LedgerRow::straggler_wait, 10}});
  const auto all = find_in_trace({ledger, {}, false, {{.rank = 3, .part = 0.2}, {.rank = 1, .part = 0.2}}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message.id, "finding.stragglers_many");
  EXPECT_EQ(all[0].worth->accelerator_s, 10);
}

TEST(TraceFindings, EveryLargeRowHasOne) {
  const auto all = find({{LedgerRow::sync, 4}, {LedgerRow::memory_stall, 6}, {LedgerRow::kernel_memory_bound, 16}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].message.id, "finding.memory_bound");
  EXPECT_EQ(all[1].message.id, "finding.memory_stall");
  EXPECT_EQ(all[2].message.id, "finding.synchronisation");
  EXPECT_EQ(all[1].worth->accelerator_s, 6);
  // Every step has some kernels that move data.
  EXPECT_TRUE(find({{LedgerRow::kernel_memory_bound, 14}}).empty());
}

// Of 20 s of a late host 8 are inside copies: each finding has its own part.
TEST(TraceFindings, CopiesThatHoldTheHostUpAreApart) {
  const Ledger ledger = ledger_with({{LedgerRow::host_bound, 20}});
  const TraceShares shares;
  TraceFindingInput input{ledger, shares};
  input.blocking_copies_s = 8;
  EXPECT_DOUBLE_EQ(find_blocking_copies(input)->worth->accelerator_s, 8);
  EXPECT_DOUBLE_EQ(find_host_bound(input)->worth->accelerator_s, 12);
}

TEST(TraceFindings, CallsOfTheAllocatorAreNamed) {
  const Ledger ledger = ledger_with({{LedgerRow::memory_stall, 10}});
  const TraceShares shares;
  TraceFindingInput input{ledger, shares};
  input.allocator_calls = 7;
  EXPECT_EQ(find_memory_stall(input)->message.id, "finding.memory_stall_allocator");
}

// Of 100 s, 20 in a product at 10 % of its roof: at the roof it would take 2. One at 60 % loses less and is near
// enough.
TEST(TraceFindings, AnOperatorFarBelowItsRoof) {
  const Ledger ledger = LedgerBuilder(LedgerScope::step, 1, 1).book(LedgerRow::kernel_matmul, 50).close(100);
  const auto all = find_in_trace(
      {ledger,
       {},
       false,
       {},
       {{"aten::bmm", "[2, 3] [3, 4]", "model.py(3): f", 20, 0.1}, {"aten::mm", "[9, 9] [9, 9]", "", 45, 0.6}}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message.id, "finding.slow_operator");
  EXPECT_DOUBLE_EQ(all[0].worth->accelerator_s, 18);
  EXPECT_EQ(all[0].evidence, std::vector<std::string>{"aten::bmm on [2, 3] [3, 4], called in model.py(3): f"});
}

}  // namespace
}  // namespace nameplate
