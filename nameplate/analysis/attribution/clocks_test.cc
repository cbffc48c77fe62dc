#include "nameplate/analysis/attribution/clocks.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/summary_for_test.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

struct Clock {
  double offset_ns = 0;
  double drift = 0;
  std::int64_t operator()(std::int64_t t) const { return t + std::llround(offset_ns + drift * static_cast<double>(t)); }
};

// `count` collectives of each group, 1 ms apart, that end within 10 us of each other.
std::vector<RankSummary> ranks_with(const std::vector<Clock>& clocks, const std::vector<Group>& groups, int count) {
  std::vector<RankSummary> ranks;
  for (std::size_t r = 0; r < clocks.size(); ++r) {
    RandomStream random(r, 0);
    TimelineForTest t;
    for (const Group& g : groups) t.group(g);
    t.step(clocks[r](0), 1'000'000 * count);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto& members = groups[g].ranks;
      if (std::find(members.begin(), members.end(), static_cast<std::int64_t>(r)) == members.end()) continue;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t end = 1'000'000 * i + 100'000 * static_cast<std::int64_t>(g) + 50'000 +
                                 static_cast<std::int64_t>(random.next_below(10'000));
        TestEvent e = collective(clocks[r](end - 20'000), clocks[r](end));
        e.group = static_cast<std::int32_t>(g);
        t.event(e);
      }
    }
    ranks.push_back(summary_of(t.build(), static_cast<std::int64_t>(r)));
  }
  return ranks;
}

Clocks align(const std::vector<RankSummary>& ranks) { return align_clocks(ranks, match_collectives(ranks)); }

const Group kFour{.id = "0", .ranks = {0, 1, 2, 3}, .size = 4};

TEST(Clocks, ClocksThatAgreeAreLeftAlone) {
  for (const auto& clock : align(ranks_with(std::vector<Clock>(4), {kFour}, 100))) {
    ASSERT_TRUE(clock);
    EXPECT_EQ(clock->offset_ns, 0);
    EXPECT_EQ(clock->drift, 0);
    EXPECT_LT(clock->residual_ns, 5'000);
  }
}

// Over 2 s a drift of 20 ppm is 40 us, well above what ends differ by.
TEST(Clocks, OffsetAndDriftAreFound) {
  const std::vector<Clock> clocks = {{0, 0}, {30e6, 20e-6}, {-50e6, 0}, {0, 0}};
  const std::vector<RankSummary> ranks = ranks_with(clocks, {kFour}, 2000);
  const auto found = align(ranks);
  for (std::size_t r = 0; r < 4; ++r) {
    for (const std::int64_t t : {0L, 1'000'000'000L, 2'000'000'000L}) {
      EXPECT_NEAR(static_cast<double>(shared_time(ranks[r], found[r], clocks[r](t)) - t), 0, 2'000) << r;
      EXPECT_NEAR(static_cast<double>(own_time(ranks[r], found[r], t) - clocks[r](t)), 0, 2'000) << r;
    }
  }
  EXPECT_NEAR(found[1]->drift, -20e-6, 0.5e-6);
}

// Ranks 0 and 3 share no group; 1 and 2 carry the clock between them.
TEST(Clocks, GroupsAreJoinedThroughRanks) {
  const std::vector<Clock> clocks = {{0, 0}, {-7e6, 0}, {9e6, 0}, {40e6, 0}};
  const std::vector<Group> chain = {{.id = "a", .ranks = {0, 1}, .size = 2},
                                    {.id = "b", .ranks = {1, 2}, .size = 2},
                                    {.id = "c", .ranks = {2, 3}, .size = 2}};
  const std::vector<RankSummary> ranks = ranks_with(clocks, chain, 100);
  const auto found = align(ranks);
  for (std::size_t r = 0; r < 4; ++r) {
    const std::int64_t common = shared_time(ranks[0], found[0], clocks[0](0));
    EXPECT_NEAR(static_cast<double>(shared_time(ranks[r], found[r], clocks[r](0)) - common), 0, 5'000) << r;
  }
}

TEST(Clocks, ARankThatSharesNothingHasNoAlignment) {
  const auto found = align(ranks_with(std::vector<Clock>(3), {{.id = "a", .ranks = {0, 1}, .size = 2}}, 10));
  EXPECT_TRUE(found[0] && found[1]);
  EXPECT_FALSE(found[2]);
}

}  // namespace
}  // namespace nameplate
