#include "nameplate/analysis/attribution/collective_match.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/summary_for_test.h"

namespace nameplate {
namespace {

struct Made {
  std::int64_t end_ns;
  std::int64_t bytes = 100;
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::int64_t sequence = -1;
  std::int64_t peer = -1;
};

RankSummary rank_with(std::int64_t rank, const Group& group, const std::vector<Made>& made) {
  TimelineForTest t;
  t.group(group).step(0, 1000);
  for (const Made& m : made) {
    TestEvent e = collective(m.end_ns - 10, m.end_ns, m.bytes);
    e.kind = m.kind;
    e.sequence = m.sequence;
    e.peer = m.peer;
    t.event(e);
  }
  return summary_of(t.build(), rank);
}

const Group kPair{.id = "0", .description = "dp", .ranks = {0, 1}, .size = 2};

std::vector<std::uint32_t> partners(const CollectiveMatches& m) {
  std::vector<std::uint32_t> of_second;
  for (std::size_t i = 0; i < m.size(); ++i) of_second.push_back(m.member[m.first[i] + 1].collective);
  return of_second;
}

TEST(CollectiveMatch, CapturesBeginApart) {
  const CollectiveMatches m =
      match_collectives({rank_with(0, kPair, {{100}, {200}, {300}}), rank_with(1, kPair, {{200}, {300}})});
  ASSERT_EQ(m.size(), 2u);
  EXPECT_EQ(m.member[0], (MatchedMember{0, 1}));
  EXPECT_EQ(m.member[1], (MatchedMember{1, 0}));
  EXPECT_EQ(m.unmatched, 1);
}

// Sizes alternate, the second rank's capture ends one collective earlier: laid from the end none agrees.
TEST(CollectiveMatch, CapturesEndApart) {
  std::vector<Made> longer, shorter;
  for (std::int64_t i = 0; i < 20; ++i) longer.push_back({100 * (i + 1), i % 2 == 0 ? 8 : 16});
  shorter.assign(longer.begin(), longer.end() - 1);
  const CollectiveMatches m = match_collectives({rank_with(0, kPair, longer), rank_with(1, kPair, shorter)});
  ASSERT_EQ(m.size(), 19u);
  EXPECT_EQ(m.member[0].collective, 0u);
  EXPECT_EQ(m.member[1].collective, 0u);
  EXPECT_EQ(m.unmatched, 1);
}

// All of one size, at uneven distances: the true partners end together.
TEST(CollectiveMatch, EvenDistancesDecideWhereSizesDoNot) {
  std::vector<Made> longer, shorter;
  std::int64_t now = 0;
  for (std::int64_t i = 0; i < 30; ++i) longer.push_back({now += 100 + 37 * (i * i % 11)});
  for (std::size_t i = 0; i + 2 < longer.size(); ++i) shorter.push_back({longer[i].end_ns + 5000});
  const CollectiveMatches m = match_collectives({rank_with(0, kPair, longer), rank_with(1, kPair, shorter)});
  ASSERT_EQ(m.size(), 28u);
  EXPECT_EQ(m.member[0].collective, 0u);
  EXPECT_EQ(m.member[1].collective, 0u);
}

TEST(CollectiveMatch, RecordedNumbersDecide) {
  const CollectiveMatches m =
      match_collectives({rank_with(0, kPair, {{100, 8, {}, 5}, {200, 8, {}, 6}, {300, 8, {}, 7}}),
                         rank_with(1, kPair, {{100, 8, {}, 4}, {200, 8, {}, 5}})});
  EXPECT_EQ(partners(m), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(m.unmatched, 3);
}

TEST(CollectiveMatch, WhatDisagreesIsNotMatched) {
  using enum CollectiveKind;
  EXPECT_EQ(match_collectives({rank_with(0, kPair, {{100, 8}}), rank_with(1, kPair, {{100, 16}})}).size(), 0u);
  EXPECT_EQ(match_collectives({rank_with(0, kPair, {{100, 8, all_gather}}), rank_with(1, kPair, {{100, 8}})}).size(),
            0u);
  // Experts get what the router sends them.
  EXPECT_EQ(
      match_collectives({rank_with(0, kPair, {{100, 8, all_to_all}}), rank_with(1, kPair, {{100, 16, all_to_all}})})
          .size(),
      1u);
}

TEST(CollectiveMatch, AGroupOfTwoWithThreeRanksIsAmbiguous) {
  const Group pair{.id = "tp", .size = 2};
  const CollectiveMatches m =
      match_collectives({rank_with(0, pair, {{100}}), rank_with(1, pair, {{100}}), rank_with(2, pair, {{100}})});
  EXPECT_EQ(m.size(), 0u);
  EXPECT_EQ(m.unmatched, 3);
}

TEST(CollectiveMatch, AloneInItsGroup) {
  const CollectiveMatches m =
      match_collectives({rank_with(0, {.id = "a", .ranks = {0, 8}, .size = 2}, {{100}}), rank_with(1, kPair, {{100}})});
  EXPECT_EQ(m.alone, 2);
  EXPECT_EQ(m.unmatched, 0);
}

TEST(CollectiveMatch, SendsMeetReceives) {
  using enum CollectiveKind;
  const Group line{.id = "pp", .description = "pp", .ranks = {0, 1, 2}, .size = 3};
  const CollectiveMatches m = match_collectives({rank_with(0, line, {{100, 8, receive, -1, 1}}),
                                                 rank_with(1, line, {{90, 8, send, -1, 2}, {100, 8, send, -1, 0}}),
                                                 rank_with(2, line, {{95, 8, receive, -1, 1}})});
  ASSERT_EQ(m.size(), 2u);
  EXPECT_EQ(m.member[0], (MatchedMember{1, 1}));  // 1 to 0: the send first
  EXPECT_EQ(m.member[1], (MatchedMember{0, 0}));
  EXPECT_EQ(m.member[2], (MatchedMember{1, 0}));
  EXPECT_EQ(m.member[3], (MatchedMember{2, 0}));
  EXPECT_TRUE(m.point_to_point[0] && m.point_to_point[1]);
}

}  // namespace
}  // namespace nameplate
