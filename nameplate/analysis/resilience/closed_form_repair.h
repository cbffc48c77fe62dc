// How many nodes are down when crews repair them, and when the queue for repair has no end.
//
// Machine-repair birth-death chain: in state k (nodes down) failures come at min(N, N + S - k) x rate where spares do
// not fail (cold) or (N + S - k) x rate where they do (hot), repairs at min(k, crews) / repair time; the steady state
// follows from products of their quotients, taken in logarithms. Exact for exponential times; with unlimited crews only
// the mean of the repair time matters (M/G/inf). Nodes of a job that stands still are taken to fail as before.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/resilience/closed_form_spares.h"
#include "nameplate/core/quantity.h"

namespace nameplate {

struct RepairShop {
  std::int64_t nodes = 0;   // that the job needs
  std::int64_t spares = 0;  // on top
  PerSecond failure_rate;   // of one node
  Seconds repair;           // mean, of one node in one crew's hands
  std::int64_t crews = 0;   // 0: unlimited
  bool spares_fail = true;
};

// P(k nodes down), k = 0 … nodes + spares, as far as it is above 1e-26 of the largest.
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
