#include "nameplate/analysis/attribution/waits.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/summary_for_test.h"

namespace nameplate {
namespace {

constexpr auto kDp = static_cast<std::size_t>(LedgerRow::comm_dp);

TEST(Waits, TheLastOneIsWaitedFor) {
  const AcrossRanks across = across_ranks(three_ranks());
  ASSERT_EQ(across.matches.size(), 2u);
  EXPECT_EQ(across.waits[2].times_last, 1);
  EXPECT_NEAR(across.waits[2].caused_ns, 60'000 + 40'000, 1e-6);
  EXPECT_NEAR(across.waits[0].straggler_ns[kDp], 50'000, 1e-6);  // 60 us less what "slow" hides
  EXPECT_NEAR(across.waits[1].straggler_ns[kDp], 40'000, 1e-6);
  EXPECT_EQ(across.waits[2].straggler_ns[kDp], 0);
  EXPECT_EQ(across.waits[0].waited_for_ns.size(), 1u);
  EXPECT_NEAR(across.waits[0].waited_for_ns.at(2), 50'000, 1e-6);
  EXPECT_EQ(across.waits[2].cause(0), LateCause::kernels);
  EXPECT_EQ(across.waits[2].cause(1e6), std::nullopt);
}

// As above: ranks 0 and 1 wait 50 and 40 us with nothing beside it, out of the row they were in.
TEST(Waits, EvidenceMovesWithTheTime) {
  const AcrossRanks across = across_ranks(three_ranks());
  const std::vector<RowEvidence> before = {{LedgerRow::comm_dp, "all_reduce", 80'000},
                                           {LedgerRow::kernel_matmul, "all_reduce", 80'000}};
  std::vector<RowEvidence> all;
  for (const std::size_t rank : {0u, 1u}) {
    for (const RowEvidence& e : book_waits(before, across.waits[rank])) all.push_back(e);
  }
  EXPECT_EQ(evidence_text(all, LedgerRow::comm_dp), "all_reduce 0.07 ms");
  EXPECT_EQ(evidence_text(all, LedgerRow::straggler_wait), "for rank 2 0.09 ms");
  EXPECT_EQ(evidence_text(all, LedgerRow::kernel_matmul), "all_reduce 0.16 ms");
}

TEST(Waits, TheLoaderMadeItLate) {
  const AcrossRanks across = across_ranks(three_ranks(HostSpanClass::data_wait));
  EXPECT_EQ(across.waits[2].cause(0), LateCause::loader);
}

TEST(Waits, LedgersCloseWithWaitingApart) {
  LedgerBuilder builder(LedgerScope::step, 1, 3);
  const Ledger ledger = builder.book(LedgerRow::comm_dp, 100e-6, "nccl").book(LedgerRow::comm_pp, 50e-6).close(200e-6);
  RankWaits waits;
  waits.collectives = 1;
  waits.straggler_ns[kDp] = 60'000;
  waits.bubble_ns[static_cast<std::size_t>(LedgerRow::comm_pp)] = 20'000;
  const Ledger booked = book_waits(ledger, waits);
  EXPECT_NEAR(*booked.value(LedgerRow::comm_dp), 40e-6, 1e-15);
  EXPECT_NEAR(*booked.value(LedgerRow::comm_pp), 30e-6, 1e-15);
  EXPECT_NEAR(*booked.value(LedgerRow::straggler_wait), 60e-6, 1e-15);
  EXPECT_NEAR(*booked.value(LedgerRow::pipeline_bubble), 20e-6, 1e-15);
  EXPECT_NEAR(*booked.value(LedgerRow::unattributed), 50e-6, 1e-15);
  EXPECT_EQ(booked.evidence(LedgerRow::comm_dp), "nccl");
  EXPECT_FALSE(book_waits(ledger, {}).value(LedgerRow::straggler_wait));  // nobody looked
}

// The receive of the second stage begins at 10 us, the send at 60; both end at 80 us. Then a send waits 30 us for a
// receive that comes late.
TEST(Waits, AReceiveBeforeItsSendIsABubble) {
  using enum CollectiveKind;
  const Group line{.id = "pp", .description = "pp", .ranks = {0, 1}, .size = 2};
  const auto passes = [&](std::int64_t rank, TestEvent first, TestEvent second) {
    first.kind = rank == 0 ? send : receive;
    second.kind = rank == 0 ? receive : send;
    return summary_of(TimelineForTest().group(line).step(0, 200'000).event(first).event(second).build(), rank);
  };
  const AcrossRanks across = across_ranks({passes(0, collective(60'000, 80'000), collective(130'000, 150'000)),
                                           passes(1, collective(10'000, 80'000), collective(100'000, 150'000))});
  constexpr auto kPp = static_cast<std::size_t>(LedgerRow::comm_pp);
  EXPECT_NEAR(across.waits[1].bubble_ns[kPp], 50'000, 1e-6);
  EXPECT_NEAR(across.waits[1].straggler_ns[kPp], 30'000, 1e-6);
  EXPECT_EQ(across.waits[0].caused_ns, 0);
}

}  // namespace
}  // namespace nameplate
