// Eight ranks of one node (8 x H100), recorded together: one clock to begin with. Who makes the others wait was counted
// from the same files in Python: matched from the end, sum over the 76 collectives that all ranks have of the others'
// wait for the last to begin, in milliseconds.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/core/field_data_for_test.h"
#include "nameplate/core/random.h"
#include "nameplate/inputs/trace.h"

namespace nameplate {
namespace {

constexpr double kCausedMs[] = {31.877, 226.123, 1.248, 2.835, 0.186, 6.007, 0.496, 0.278};
constexpr std::int64_t kTimesLast[] = {7, 17, 13, 5, 3, 21, 8, 2};

struct Node {
  Timeline timeline;
  std::vector<GroupUse> roles;
  std::vector<RankSummary> summaries;
  std::vector<Ledger> ledgers;  // each rank alone

  void add(const RankTimeline& rank) {
    const RankAttribution a = attribute(timeline, rank, roles);
    summaries.push_back(summarise(timeline, rank, roles, a.steps));
    ledgers.push_back(a.ledger);
  }
};

// Read once: the tests only look at it.
const Node* node() {
  static const std::optional<Node> kNode = []() -> std::optional<Node> {
    const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
    if (folder == nullptr || !is_directory(std::string(folder) + "/traces/nanogpt-8xh100")) return std::nullopt;
    Node n;
    n.timeline = read_traces({std::string(folder) + "/traces/nanogpt-8xh100"}).value();
    n.roles = group_roles(n.timeline);
    for (const RankTimeline& rank : n.timeline.ranks) n.add(rank);
    return n;
  }();
  return kNode ? &*kNode : nullptr;
}

Ledger whole(const Node& n, const AcrossRanks& across) {
  std::vector<Ledger> booked;
  for (std::size_t i = 0; i < n.ledgers.size(); ++i) booked.push_back(book_waits(n.ledgers[i], across.waits[i]));
  return merge(booked);
}

TEST(AcrossRanksField, TheLateRankIsNamedAndWhy) {
  if (node() == nullptr) GTEST_SKIP() << kNoFieldData;
  const Node& n = *node();
  const AcrossRanks across = across_ranks(n.summaries);
  EXPECT_EQ(across.matches.size(), 76u);
  EXPECT_EQ(across.matches.unmatched, 29);  // 76, 76, 76, 76, 81, 84, 84, 84 collectives
  double waited = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    SCOPED_TRACE(i);
    EXPECT_NEAR(across.waits[i].caused_ns / 1e6, kCausedMs[i], 0.05);
    EXPECT_EQ(across.waits[i].times_last, kTimesLast[i]);
    ASSERT_TRUE(across.clocks[i]);
    EXPECT_EQ(across.clocks[i]->offset_ns, 0);  // nothing is corrected that agrees already
    EXPECT_EQ(across.clocks[i]->drift, 0);
    EXPECT_LT(across.clocks[i]->residual_ns, 20'000);
    waited += across.waits[i].caused_ns / 1e9;
  }
  EXPECT_EQ(across.waits[1].cause(0), LateCause::host);
  EXPECT_EQ(across.waits[0].cause(0), LateCause::host);
  const Ledger ledger = whole(n, across);
  EXPECT_GT(*ledger.value(LedgerRow::straggler_wait), 0.5 * waited);  // the rest was hidden, or outside the steps
  EXPECT_LT(*ledger.value(LedgerRow::straggler_wait), waited);
}

// Time t becomes t + offset + drift (t - origin).
struct Skew {
  std::int64_t offset_ns;
  double drift;
  std::int64_t origin_ns;
  std::int64_t operator()(std::int64_t t) const {
    return t + offset_ns + std::llround(drift * static_cast<double>(t - origin_ns));
  }
};

void skew(std::vector<std::int64_t>& begins, std::vector<std::int64_t>& durations, const Skew& by) {
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::int64_t end = by(begins[i] + durations[i]);
    begins[i] = by(begins[i]);
    durations[i] = end - begins[i];
  }
}

RankTimeline skewed(RankTimeline rank, const Skew& by) {
  skew(rank.device.begin_ns, rank.device.duration_ns, by);
  skew(rank.host.begin_ns, rank.host.duration_ns, by);
  for (StepSpan& step : rank.steps) {
    const std::int64_t end = by(step.begin_ns + step.duration_ns);
    step.begin_ns = by(step.begin_ns);
    step.duration_ns = end - step.begin_ns;
  }
  return rank;
}

// Up to 50 ms and 20 ppm.
Skew random_skew(RandomStream& random, const RankSummary& rank) {
  const auto up_to = [&](double most) { return most * (2 * random.next_uniform() - 1); };
  return {std::llround(up_to(50e6)), up_to(20e-6), rank.steady.begin_ns};
}

void expect_same_rows(const Ledger& a, const Ledger& b) {
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    EXPECT_NEAR(a.value(row).value_or(0), b.value(row).value_or(0), 1e-3 * a.total()) << name(row);
  }
}

// The rank's time under the skew, corrected, at the ends of the steps.
void expect_brought_back(const RankSummary& rank, const Skew& by, const std::optional<ClockAlignment>& clock,
                         std::int64_t common_ns) {
  ASSERT_TRUE(clock);
  for (const std::int64_t t : {rank.steady.begin_ns, rank.steady.end_ns}) {
    EXPECT_NEAR(static_cast<double>(shared_time(rank, clock, by(t)) - rank.base_time_ns - t - common_ns), 0, 50'000);
  }
}

TEST(AcrossRanksField, ASkewedClockIsBroughtBack) {
  if (node() == nullptr) GTEST_SKIP() << kNoFieldData;
  const Ledger before = whole(*node(), across_ranks(node()->summaries));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, 0);
    Node n = *node();
    const std::size_t rank = seed % 8;
    const RankSummary true_summary = n.summaries[rank];
    const Skew by = random_skew(random, true_summary);
    Node one{n.timeline, n.roles, {}, {}};
    one.add(skewed(n.timeline.ranks[rank], by));
    n.summaries[rank] = one.summaries[0];
    n.ledgers[rank] = one.ledgers[0];
    const AcrossRanks across = across_ranks(n.summaries);
    expect_brought_back(true_summary, by, across.clocks[rank], 0);
    expect_same_rows(before, whole(n, across));
  }
}

TEST(AcrossRanksField, AllClocksMayBeSkewed) {
  if (node() == nullptr) GTEST_SKIP() << kNoFieldData;
  const Ledger before = whole(*node(), across_ranks(node()->summaries));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, 1);
    Node n{node()->timeline, node()->roles, {}, {}};
    std::vector<Skew> by;
    for (std::size_t i = 0; i < 8; ++i) {
      by.push_back(random_skew(random, node()->summaries[i]));
      n.add(skewed(n.timeline.ranks[i], by[i]));
    }
    const AcrossRanks across = across_ranks(n.summaries);
    const RankSummary& first = node()->summaries[0];
    const std::int64_t begin = first.steady.begin_ns;
    const std::int64_t common = shared_time(first, across.clocks[0], by[0](begin)) - first.base_time_ns - begin;
    for (std::size_t i = 0; i < 8; ++i) expect_brought_back(node()->summaries[i], by[i], across.clocks[i], common);
    expect_same_rows(before, whole(n, across));
  }
}

}  // namespace
}  // namespace nameplate
