// The attribution recovers what a generator planted, and does not depend on how the same work is written down.
#include <cmath>

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/synthetic_for_test.h"

namespace nameplate {
namespace {

const AttributionOptions kPetaflop = {.peak = tflops_per_s(1000)};

RankAttribution attribute_one(const Timeline& t) { return attribute(t, t.ranks[0], group_roles(t), kPetaflop); }

void expect_same_ledger(const Ledger& a, const Ledger& b) {
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    ASSERT_EQ(a.value(row).has_value(), b.value(row).has_value()) << name(row);
    EXPECT_NEAR(a.value(row).value_or(0), b.value(row).value_or(0), 1e-9 * a.total()) << name(row);
  }
}

TEST(Recovery, EveryPlantedRowIsFound) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SyntheticTimeline synthetic(seed);
    const RankAttribution a = attribute_one(synthetic.made().build());
    double sum = 0;
    for (std::size_t i = 0; i < kLedgerRows; ++i) {
      const auto row = static_cast<LedgerRow>(i);
      const double found_ns = a.ledger.value(row).value_or(0) * 1e9;
      EXPECT_NEAR(found_ns, synthetic.truth_ns[row], 0.005 * synthetic.step_ns) << "seed " << seed << " " << name(row);
      sum += found_ns;
    }
    EXPECT_NEAR(sum, a.ledger.total() * 1e9, a.ledger.total());
    EXPECT_NEAR(a.mfu.value(), synthetic.truth_ns[LedgerRow::model_compute] / (a.ledger.total() * 1e9), 1e-9);
  }
}

TEST(Recovery, StreamsMayBeRelabelled) {
  SyntheticTimeline synthetic(7);
  const RankAttribution before = attribute_one(synthetic.made().build());
  for (TestEvent& e : synthetic.made().events()) e.stream = 1000 - 3 * e.stream;
  const RankAttribution after = attribute_one(synthetic.made().build());
  expect_same_ledger(before.ledger, after.ledger);
  EXPECT_EQ(before.overlaps, after.overlaps);
}

TEST(Recovery, EventsMayComeInAnyOrder) {
  SyntheticTimeline synthetic(8);
  const RankAttribution before = attribute_one(synthetic.made().build());
  std::reverse(synthetic.made().events().begin(), synthetic.made().events().end());
  std::reverse(synthetic.made().spans().begin(), synthetic.made().spans().end());
  const RankAttribution after = attribute_one(synthetic.made().build());
  expect_same_ledger(before.ledger, after.ledger);
}

TEST(Recovery, EventsMayBeCutInTwo) {
  SyntheticTimeline synthetic(9);
  const RankAttribution before = attribute_one(synthetic.made().build());
  RandomStream random(9, 1);
  const std::vector<TestEvent> whole = synthetic.made().events();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto first = static_cast<std::int64_t>(random.next_below(static_cast<std::uint64_t>(whole[i].duration_ns)));
    if (first == 0) continue;
    TestEvent second = whole[i];
    second.begin_ns += first;
    second.duration_ns -= first;
    synthetic.made().events()[i].duration_ns = first;
    synthetic.made().event(second);
  }
  const RankAttribution after = attribute_one(synthetic.made().build());
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    // Rates are kept in whole FLOPs per microsecond, so shares of concurrent kernels agree to their rounding.
    EXPECT_NEAR(before.ledger.value(row).value_or(0), after.ledger.value(row).value_or(0), 1e-8 * before.ledger.total())
        << name(row);
  }
}

}  // namespace
}  // namespace nameplate
