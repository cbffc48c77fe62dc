#include "nameplate/analysis/resilience/event_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nameplate/core/random.h"

namespace nameplate {
namespace {

TEST(EventTree, AgreesWithALinearSearch) {
  RandomStream random(1, 1);
  for (std::size_t slots : {1u, 2u, 3u, 7u, 64u, 100u}) {
    EventTree tree(slots);
    std::vector<double> times(slots, kNever);
    EXPECT_EQ(tree.next(), kNever);
    for (int i = 0; i < 2000; ++i) {
      const std::size_t slot = random.next_below(slots);
      // Few distinct times, so that ties happen.
      times[slot] = random.next_below(5) == 0 ? kNever : static_cast<double>(random.next_below(20));
      tree.set(slot, times[slot]);
      const auto first = std::min_element(times.begin(), times.end());
      ASSERT_EQ(tree.next(), *first);
      ASSERT_EQ(tree.at(slot), times[slot]);
      if (*first != kNever) { ASSERT_EQ(tree.slot(), static_cast<std::size_t>(first - times.begin())); }
    }
    EventTree filled(slots);
    filled.assign(times);
    EXPECT_EQ(filled.next(), tree.next());
  }
}

}  // namespace
}  // namespace nameplate
