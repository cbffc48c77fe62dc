// Jobs made up here; who is missing follows from how the calls were left out.
#include "nameplate/analysis/records/flight_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nameplate/analysis/records/late_worker.h"

namespace nameplate {
namespace {

struct Progress {
  std::int64_t enqueued;
  std::int64_t completed;
};

// One rank in groups "a" (all ranks) and "b" (ranks 0 and 1); what is between completed and enqueued is pending.
FlightRecord record(std::int64_t rank, Progress a, std::optional<Progress> b = std::nullopt) {
  FlightRecord r;
  r.rank = rank;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> ranks, Progress p, std::int64_t base_ns) {
    r.groups.push_back({name, "group " + name, std::move(ranks), p.enqueued, p.completed});
    for (std::int64_t s = p.completed + 1; s <= p.enqueued; ++s) {
      r.collectives.push_back({name, s, "all_reduce", "8", "Float", "scheduled", base_ns + s});
    }
  };
  add("a", {0, 1, 2}, a, 2000);
  if (b) add("b", {0, 1}, *b, 1000);
  return r;
}

TEST(FindStuck, NamesTheRankThatDidNotArrive) {
  const auto stuck = find_stuck({record(0, {5, 4}), record(1, {5, 4}), record(2, {4, 4})});
  ASSERT_EQ(stuck.size(), 1u);
  EXPECT_EQ(stuck[0].kind, StuckKind::not_arrived);
  EXPECT_EQ(stuck[0].group, "a");
  EXPECT_EQ(stuck[0].sequence, 5);
  EXPECT_EQ(stuck[0].ranks, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(stuck[0].waiting, (std::vector<std::int64_t>{0, 1}));
}

// Rank 0 waits in b for rank 1, so that both are missing in a, where rank 2 waits: rank 1 is the cause.
TEST(FindStuck, LeavesVictimsOut) {
  const auto stuck =
      find_stuck({record(0, {4, 4}, Progress{8, 7}), record(1, {4, 4}, Progress{7, 7}), record(2, {5, 4})});
  ASSERT_EQ(stuck.size(), 1u);
  EXPECT_EQ(stuck[0].group, "b");  // queued before a's
  EXPECT_EQ(stuck[0].ranks, (std::vector<std::int64_t>{1}));
}

// Both wait for each other in groups that they entered in different orders: both are named.
TEST(FindStuck, NamesAllRanksOfACycle) {
  const auto stuck = find_stuck({record(0, {5, 4}, Progress{7, 7}), record(1, {4, 4}, Progress{8, 7})});
  std::vector<std::int64_t> ranks;
  for (const StuckCollective& each : stuck) {
    if (each.kind == StuckKind::not_arrived) ranks.insert(ranks.end(), each.ranks.begin(), each.ranks.end());
  }
  std::sort(ranks.begin(), ranks.end());
  EXPECT_EQ(ranks, (std::vector<std::int64_t>{0, 1}));
}

// All have queued number 6; ranks 0 and 2 have seen 5 end, rank 1 has not.
TEST(FindStuck, NamesTheRankWhoseDeviceStopped) {
  const auto stuck = find_stuck({record(0, {6, 5}), record(1, {6, 4}), record(2, {6, 5})});
  ASSERT_EQ(stuck.size(), 1u);
  EXPECT_EQ(stuck[0].kind, StuckKind::behind);
  EXPECT_EQ(stuck[0].sequence, 5);
  EXPECT_EQ(stuck[0].ranks, (std::vector<std::int64_t>{1}));
}

TEST(FindStuck, NamesARankWithoutARecord) {
  const auto stuck = find_stuck({record(0, {5, 4}), record(1, {5, 4})});
  ASSERT_EQ(stuck.size(), 1u);
  EXPECT_EQ(stuck[0].kind, StuckKind::no_record);
  EXPECT_EQ(stuck[0].ranks, (std::vector<std::int64_t>{2}));
}

TEST(FindStuck, FindsNothingInARunningJob) {
  EXPECT_TRUE(find_stuck({record(0, {5, 5}), record(1, {5, 5}), record(2, {5, 5})}).empty());
  EXPECT_TRUE(find_stuck({}).empty());
}

// Four workers over 60 times; worker 3 is always 1.2 times the others, worker 1 doubles from time 30 to 44.
TEST(LateWorkers, FindsTheOneThatSlowedDown) {
  std::vector<WorkerTime> times;
  for (int t = 0; t < 60; ++t) {
    for (int w = 0; w < 4; ++w) {
      const double late = w == 1 && t >= 30 && t < 45 ? 2 : 1;
      times.push_back({w, static_cast<double>(t), 100 * late * (w == 3 ? 1.2 : 1)});
    }
  }
  const auto found = find_late_workers(times);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].worker, 1);
  EXPECT_EQ(found[0].first, 30);
  EXPECT_EQ(found[0].last, 44);
  EXPECT_TRUE(find_late_workers({}).empty());
}

}  // namespace
}  // namespace nameplate
