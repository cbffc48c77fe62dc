#include "nameplate/analysis/attribution/rank_summary.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/summary_for_test.h"

namespace nameplate {
namespace {

const Group kPair{.id = "0", .description = "dp", .ranks = {0, 1}, .size = 2};

TEST(RankSummary, ColumnsAndRoles) {
  TestEvent e = collective(10'000, 20'000, 64);
  e.sequence = 5;
  e.peer = 3;
  const RankSummary s = summary_of(TimelineForTest().group(kPair).step(0, 30'000).event(e).build(), 7);
  EXPECT_EQ(s.rank, 7);
  EXPECT_EQ(s.steady, (Stretch{0, 30'000}));
  ASSERT_EQ(s.steps.size(), 1u);
  EXPECT_EQ(s.groups.at(0).role, GroupRole::dp);
  EXPECT_EQ(s.collectives.bytes, (std::vector<std::int64_t>{64}));
  EXPECT_EQ(s.collectives.sequence[0], 5);
  EXPECT_EQ(s.collectives.peer[0], 3);
  EXPECT_EQ(s.collectives.end_ns[0], 20'000);
}

// Whatever times files state, nothing overflows: what lies after 2042 is not compared.
TEST(RankSummary, ImpossibleTimesAreNotCompared) {
  constexpr std::int64_t kFar = 9'000'000'000'000'000'000;
  std::vector<RankSummary> ranks;
  for (const std::int64_t rank : {0, 1}) {
    Timeline t = TimelineForTest().group(kPair).step(0, 1000).event(collective(rank * kFar, rank * kFar + 500)).build();
    t.ranks[0].base_time_ns = kFar;
    ranks.push_back(summary_of(std::move(t), rank));
  }
  EXPECT_EQ(ranks[0].base_time_ns, 0);
  EXPECT_EQ(ranks[0].collectives.begin_ns.size(), 1u);
  EXPECT_TRUE(ranks[1].collectives.begin_ns.empty());
  EXPECT_EQ(across_ranks(ranks).matches.size(), 0u);
}

// Ranks without collectives, or without anything.
TEST(AcrossRanks, NothingInCommon) {
  const AcrossRanks across =
      across_ranks({summary_of(TimelineForTest().step(0, 1000).build(), 0), summary_of(TimelineForTest().build(), 1)});
  EXPECT_EQ(across.matches.size(), 0u);
  EXPECT_FALSE(across.clocks[0] || across.clocks[1]);
  EXPECT_EQ(across.waits[0].collectives, 0);
  EXPECT_EQ(across.path.steps, 0);
  EXPECT_TRUE(across.channels.empty() && across.stages.empty());
  EXPECT_TRUE(across_ranks({}).waits.empty());
}

}  // namespace
}  // namespace nameplate
