#include "nameplate/analysis/attribution/rank_activity.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/rank_summary.h"
#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {
namespace {

double at(const RowTimes& times, LedgerRow row) { return times[static_cast<std::size_t>(row)]; }

RankSummary summary_of(const Timeline& t) {
  return summarise(t, t.ranks[0], group_roles(t), find_steps(t, t.ranks[0]));
}

// 0 .. 40 us a kernel, 30 .. 90 us a collective with a kernel of 20 us inside it (60 .. 80), idle to 100.
TEST(RankActivity, ExposedCommunicationIsPlaced) {
  const Timeline t = TimelineForTest()
                         .group({.id = "1", .description = "mesh_dp"})
                         .step(0, 100'000)
                         .event({"kernel", DeviceEventClass::memory_bound, 0, 40'000})
                         .event({.name = "nccl",
                                 .event_class = DeviceEventClass::collective,
                                 .begin_ns = 30'000,
                                 .duration_ns = 60'000,
                                 .group = 0})
                         .event({"kernel", DeviceEventClass::matmul, 60'000, 20'000})
                         .build();
  const RankSummary s = summary_of(t);
  ASSERT_EQ(s.collectives.begin_ns, (std::vector<std::int64_t>{30'000}));
  EXPECT_EQ(s.collectives.end_ns[0], 90'000);
  EXPECT_EQ(s.collectives.row[0], LedgerRow::comm_dp);
  const RowTimes whole = s.activity.inside({0, 100'000});
  EXPECT_NEAR(at(whole, LedgerRow::comm_dp), 30'000, 1e-6);  // 40 .. 60, 80 .. 90
  EXPECT_NEAR(at(whole, LedgerRow::kernel_matmul), 20'000, 1e-6);
  EXPECT_NEAR(at(whole, LedgerRow::unattributed), 10'000, 1e-6);
  const RowTimes some = s.activity.inside({35'000, 65'000});
  EXPECT_NEAR(at(some, LedgerRow::comm_dp), 20'000, 1e-6);
  EXPECT_NEAR(at(some, LedgerRow::kernel_memory_bound), 5'000, 1e-6);
  EXPECT_NEAR(at(some, LedgerRow::kernel_matmul), 5'000, 1e-6);
}

// No collectives: the first step computes 30 of its 100 us, the second 90; a kernel of 20 us lies over their border.
TEST(RankActivity, StepsHoldWhatHappenedInThem) {
  const Timeline t = TimelineForTest()
                         .step(0, 100'000)
                         .step(100'000, 100'000)
                         .event({"kernel", DeviceEventClass::memory_bound, 10'000, 20'000})
                         .event({"kernel", DeviceEventClass::matmul, 90'000, 20'000})
                         .event({"kernel", DeviceEventClass::memory_bound, 120'000, 80'000})
                         .build();
  const RankSummary s = summary_of(t);
  const RowTimes first = s.activity.inside({0, 100'000});
  EXPECT_NEAR(at(first, LedgerRow::kernel_memory_bound), 20'000, 1e-6);
  EXPECT_NEAR(at(first, LedgerRow::kernel_matmul), 10'000, 1e-6);
  EXPECT_NEAR(at(first, LedgerRow::unattributed), 70'000, 1e-6);
  const RowTimes second = s.activity.inside({100'000, 200'000});
  EXPECT_NEAR(at(second, LedgerRow::kernel_memory_bound), 80'000, 1e-6);
  EXPECT_NEAR(at(second, LedgerRow::kernel_matmul), 10'000, 1e-6);
  EXPECT_NEAR(at(second, LedgerRow::unattributed), 10'000, 1e-6);
}

// Gaps of 100 ns between a thousand kernels of 900 ns inside one collective make one piece, not two thousand.
TEST(RankActivity, ShortGapsAreOnePiece) {
  TimelineForTest made;
  made.group({.id = "1", .description = "mesh_dp"}).step(0, 1'000'000);
  made.event({.name = "nccl",
              .event_class = DeviceEventClass::collective,
              .begin_ns = 0,
              .duration_ns = 1'000'000,
              .stream = 8,
              .group = 0});
  for (std::int64_t i = 0; i < 1000; ++i) made.event({"kernel", DeviceEventClass::memory_bound, i * 1000, 900});
  const RankSummary s = summary_of(made.build());
  EXPECT_EQ(s.activity.end_ns.size(), 1u);
  const RowTimes half = s.activity.inside({0, 500'000});
  EXPECT_NEAR(at(half, LedgerRow::comm_dp), 50'000, 1e-6);
}

}  // namespace
}  // namespace nameplate
