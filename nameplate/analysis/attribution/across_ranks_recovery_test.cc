// What a generator planted over many ranks is found again, and does not depend on how it is written down.
#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/across_ranks.h"
#include "nameplate/analysis/attribution/synthetic_ranks_for_test.h"

namespace nameplate {
namespace {

struct Analysed {
  std::vector<RankSummary> summaries;
  std::vector<Ledger> ledgers;
  AcrossRanks across;
};

// `timeline(i)` for i below count.
Analysed analyse(std::size_t count, const std::function<Timeline(std::size_t)>& timeline) {
  Analysed a;
  for (std::size_t i = 0; i < count; ++i) {
    const Timeline t = timeline(i);
    const std::vector<GroupUse> roles = group_roles(t);
    const RankAttribution alone = attribute(t, t.ranks[0], roles);
    a.summaries.push_back(summarise(t, t.ranks[0], roles, alone.steps));
    a.ledgers.push_back(alone.ledger);
  }
  a.across = across_ranks(a.summaries);
  for (std::size_t i = 0; i < count; ++i) a.ledgers[i] = book_waits(a.ledgers[i], a.across.waits[i]);
  return a;
}

Analysed analyse(const SyntheticRanks& made, std::size_t ranks) {
  return analyse(ranks, [&](std::size_t r) { return made.timeline(r); });
}

LateCause planted(Trouble trouble) {
  return trouble == Trouble::slow_device ? LateCause::kernels
         : trouble == Trouble::late_host ? LateCause::host
                                         : LateCause::loader;
}

// Replicas of one stage leave their reduction within 3 us of each other, so which of them comes last to the next
// collective of the whole job is not to be told: their sum is.
void expect_caused(const SyntheticJob& job, const SyntheticRanks& made, const std::vector<RankWaits>& found) {
  for (std::size_t stage = 0; stage < job.stages; ++stage) {
    double found_ns = 0, truth_ns = 0;
    for (std::size_t r = stage * job.replicas; r < (stage + 1) * job.replicas; ++r) {
      found_ns += found[r].caused_ns;
      truth_ns += made.caused_ns[r];
    }
    EXPECT_NEAR(found_ns, truth_ns, 0.01 * truth_ns + 0.005 * made.step_ns(0) * static_cast<double>(job.ranks()))
        << stage;
  }
}

// A slow device spreads the time between exchanges as much as uneven experts do.
void expect_expert_idle(const SyntheticJob& job, const SyntheticRanks& made, const std::vector<ChannelUse>& channels) {
  if (!job.experts || job.trouble == Trouble::slow_device) return;
  double found_ns = 0;
  for (const ChannelUse& use : channels) found_ns += use.expert_idle_ns;
  EXPECT_NEAR(found_ns, made.expert_idle_ns, 0.01 * made.expert_idle_ns);
}

void expect_recovered(std::uint64_t seed, std::size_t ranks) {
  const SyntheticJob job = random_job(seed, ranks);
  SyntheticRanks made(seed, job);
  const Analysed found = analyse(made, ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const double tolerance_ns = 0.005 * made.step_ns(r);
    for (std::size_t i = 0; i < kLedgerRows; ++i) {
      const auto row = static_cast<LedgerRow>(i);
      const double per_step_ns = found.ledgers[r].value(row).value_or(0) * 1e9 / (SyntheticRanks::kSteps - 1);
      EXPECT_NEAR(per_step_ns, made.truth_ns[r][row] / (SyntheticRanks::kSteps - 1), tolerance_ns)
          << "rank " << r << " " << name(row);
    }
  }
  expect_caused(job, made, found.across.waits);
  expect_expert_idle(job, made, found.across.channels);
}

TEST(AcrossRanksRecovery, EveryPlantedRowIsFound) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t ranks = seed % 100 == 0 ? 512 : seed % 25 == 0 ? 64 : 2 + seed % 15;
    expect_recovered(seed, ranks);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AcrossRanksRecovery, TheTroubledRankIsNamedAndWhy) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    SyntheticJob job = random_job(seed, 2 + seed % 7);
    job.stages = 1;
    job.replicas = 2 + seed % 7;
    if (job.trouble == Trouble::none) continue;
    const std::vector<RankWaits> waits = analyse(SyntheticRanks(seed, job), job.ranks()).across.waits;
    const auto less = [](const RankWaits& a, const RankWaits& b) { return a.caused_ns < b.caused_ns; };
    const auto most = std::max_element(waits.begin(), waits.end(), less);
    EXPECT_EQ(most - waits.begin(), static_cast<std::ptrdiff_t>(job.troubled));
    EXPECT_EQ(most->cause(0), planted(job.trouble));
  }
}

void expect_same(const Analysed& a, const Analysed& b, double relative) {
  for (std::size_t r = 0; r < a.ledgers.size(); ++r) {
    for (std::size_t i = 0; i < kLedgerRows; ++i) {
      const auto row = static_cast<LedgerRow>(i);
      EXPECT_NEAR(a.ledgers[r].value(row).value_or(0), b.ledgers[r].value(row).value_or(0),
                  relative * a.ledgers[r].total())
          << "rank " << r << " " << name(row);
    }
  }
}

TEST(AcrossRanksRecovery, StreamsAndOrderDoNotMatter) {
  const SyntheticJob job = random_job(5, 8);
  const SyntheticRanks made(5, job);
  const Analysed before = analyse(made, 8);
  const Analysed after = analyse(8, [&](std::size_t r) {
    TimelineForTest t = made.made(r);
    for (TestEvent& e : t.events()) e.stream = 100 - 3 * e.stream;
    std::reverse(t.events().begin(), t.events().end());
    std::reverse(t.spans().begin(), t.spans().end());
    Timeline built = t.build();
    built.ranks[0].rank = static_cast<std::int64_t>(r);
    return built;
  });
  expect_same(before, after, 1e-12);
  EXPECT_EQ(before.across.clocks, after.across.clocks);
}

// The order in which ranks are listed, as by files, changes nothing either.
TEST(AcrossRanksRecovery, RanksMayComeInAnyOrder) {
  const SyntheticRanks made(6, random_job(6, 8));
  const Analysed before = analyse(made, 8);
  std::vector<RankSummary> turned(before.summaries.rbegin(), before.summaries.rend());
  const AcrossRanks after = across_ranks(turned);
  for (std::size_t r = 0; r < 8; ++r) {
    EXPECT_NEAR(before.across.waits[r].caused_ns, after.waits[7 - r].caused_ns,
                0.01 * before.across.waits[r].caused_ns + 1);
  }
}

// Two files of each rank, cut between the second step and the third, give the whole's ledger in two parts.
TEST(AcrossRanksRecovery, ACaptureMayComeInPieces) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const SyntheticRanks made(seed, random_job(seed, 6));
    const Analysed whole = analyse(made, 6);
    const Analysed pieces = analyse(12, [&](std::size_t i) {
      const std::size_t first = i % 2 * 2;
      Timeline t = made.made(i / 2, first, first + 2).build();
      t.ranks[0].rank = static_cast<std::int64_t>(i / 2);
      return t;
    });
    EXPECT_EQ(pieces.across.matches.size(), whole.across.matches.size());
    for (std::size_t r = 0; r < 6; ++r) {
      const Ledger sum = merge({pieces.ledgers[2 * r], pieces.ledgers[2 * r + 1]});
      for (std::size_t i = 0; i < kLedgerRows; ++i) {
        const auto row = static_cast<LedgerRow>(i);
        EXPECT_NEAR(sum.value(row).value_or(0), whole.ledgers[r].value(row).value_or(0), 0.001 * sum.total())
            << "rank " << r << " " << name(row);
      }
    }
  }
}

}  // namespace
}  // namespace nameplate
