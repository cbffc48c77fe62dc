#include "nameplate/api/rank_result.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/synthetic_for_test.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

// What an analysis gives for random programs of kernels, copies and collectives.
RankResult result_of(std::uint64_t seed) {
  const Timeline t = SyntheticTimeline(seed, 40).made().build();
  RankResult r;
  r.roles = group_roles(t);
  r.attribution = attribute(t, t.ranks[0], r.roles, {.peak = flops_per_s(1e15)});
  r.summary = summarise(t, t.ranks[0], r.roles, r.attribution.steps);
  r.attribution.idle.clear();
  r.has_shapes = true;
  r.trace.timeline.file = "rank7.json";
  r.trace.timeline.base_time_ns = 1'759'300'074'000'000'000;
  r.trace.timeline.steps = t.ranks[0].steps;
  r.trace.names = t.names;
  r.trace.groups = t.groups;
  r.trace.ranks_total = 8;
  add_defect(r.trace.defects, {"trace.truncated", {{"file", "rank7.json"}, {"n", 3}, {"share", 0.5}}},
             Severity::data_loss, 2);
  return r;
}

TEST(RankResult, RoundTrip) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const RankResult made = result_of(seed);
    const std::string bytes = to_bytes(Result(std::vector{made}));
    const auto read = rank_results(bytes);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(to_bytes(read), bytes);
    const RankResult& one = read->at(0);
    EXPECT_EQ(one.attribution.ledger, made.attribution.ledger);
    EXPECT_EQ(one.attribution.mfu, made.attribution.mfu);
    EXPECT_EQ(one.attribution.kernels.size(), made.attribution.kernels.size());
    EXPECT_EQ(one.trace.timeline, made.trace.timeline);
    EXPECT_EQ(one.trace.groups, made.trace.groups);
    EXPECT_EQ(one.trace.defects, made.trace.defects);
    EXPECT_EQ(one.roles, made.roles);
    EXPECT_EQ(one.summary, made.summary);
  }
}

TEST(RankResult, AnErrorTravels) {
  const Error unreadable{"not a trace", "a trace", {"a.json", 3, 4, "/x", "line"}, "hint"};
  const auto read = rank_results(to_bytes(Result<std::vector<RankResult>>(unreadable)));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error(), unreadable);
}

TEST(RankResult, DamageIsAnError) {
  const std::string bytes = to_bytes(Result(std::vector{result_of(1)}));
  for (std::size_t size = 0; size < bytes.size(); size += 7) EXPECT_FALSE(rank_results(bytes.substr(0, size)).ok());
  EXPECT_FALSE(rank_results(bytes + '\0').ok());
  std::string other_version = bytes;
  other_version[bytes.find("/1") + 1] = '2';
  EXPECT_FALSE(rank_results(other_version).ok());
}

// Whatever the bytes, the result can be used or is an error.
TEST(RankResult, RandomDamageNeverCrashes) {
  const std::string bytes = to_bytes(Result(std::vector{result_of(2)}));
  RandomStream random(5, 0);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes;
    for (int change = 0; change < 3; ++change) {
      damaged[random.next_below(damaged.size())] = static_cast<char>(random.next_below(256));
    }
    const auto read = rank_results(damaged);
    for (std::size_t r = 0; read.ok() && r < read->size(); ++r) {
      for (const KernelTotal& k : (*read)[r].attribution.kernels) {
        ASSERT_LT(static_cast<std::size_t>(k.name_id), (*read)[r].trace.names.size());
      }
    }
  }
}

}  // namespace
}  // namespace nameplate
