// Sets of stretches of time, in integer nanoseconds: sorted, disjoint, not touching, none empty. Every function is a
// sweep, O(n log n) for unsorted input and O(n) for sets.
#pragma once

#include <cstdint>
#include <vector>

namespace nameplate {

// From begin (in) to end (out).
struct Stretch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t length() const { return end_ns - begin_ns; }
  bool operator==(const Stretch&) const = default;
};
using Stretches = std::vector<Stretch>;

Stretches unite(Stretches any);  // any order, overlapping, empty ones dropped
Stretches intersect(const Stretches& a, const Stretches& b);
Stretches subtract(const Stretches& a, const Stretches& b);
std::int64_t total_ns(const Stretches& set);
// The part of `set` inside `window`: found by bisection, so that many small windows of a large set are cheap.
Stretches clip(const Stretches& set, Stretch window);

}  // namespace nameplate
