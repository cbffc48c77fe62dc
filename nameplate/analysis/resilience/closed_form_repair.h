// How many nodes are down when crews repair them, and when the queue for repair has no end.
//
// Machine-repair chain: in state k (nodes down) failures come at (min(N, N + S - k) + f max(0, S - k)) x rate, f what a
// spare fails as often as a node at work (0 cold, 1 hot), repairs at min(k, crews) / repair time. An event takes B
// nodes with the probability of its size (M^X/M/c; every node is repaired by itself). What flows up past a border
// between two states flows down over it:
//   p(k) min(k, crews) / repair = sum over j < k of p(j) up(j) P(B >= k - j),
// which gives the states one after the other, all terms positive. Exact for exponential times; with unlimited crews and
// nodes that fail one by one only the mean of the repair time matters (M/G/inf). Nodes of a job that stands still are
// taken to fail as before, and an event beyond the last node takes what is left.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/resilience/closed_form_spares.h"
#include "nameplate/core/quantity.h"

namespace nameplate {

struct RepairShop {
  std::int64_t nodes = 0;   // that the job needs
  std::int64_t spares = 0;  // on top
  PerSecond failure_rate;   // events, per node at work
  Seconds repair;           // mean, of one node in one crew's hands
  std::int64_t crews = 0;   // 0: unlimited
  double spares_fail = 1;   // as often as a node at work
  std::vector<EventSize> sizes = {{1, 1.0}};
};

// P(k nodes down), k = 0 … nodes + spares, as far as it is above 1e-22 of the largest.
CountDistribution nodes_down(const RepairShop& shop);
// P(more nodes are down than there are spares).
double shortfall(const RepairShop& shop);
// crews / (nodes x rate x repair): below 1 repairs never catch up. Infinite with unlimited crews.
double stability_margin(const RepairShop& shop);
// The fewest crews that keep up with the failures.
std::int64_t least_crews(const RepairShop& shop);

// A group that works while at least `needed` of its `units` are up (16 of 18 trays of a rack), and all of many groups.
double group_availability(std::int64_t needed, std::int64_t units, double unit_availability);
double all_groups(double group_availability, std::int64_t groups);

}  // namespace nameplate
