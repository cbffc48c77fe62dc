#include "nameplate/analysis/resilience/closed_form_repair.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace nameplate {
namespace {

// Nodes that can fail, a spare counted as often as it does.
double exposed(const RepairShop& shop, std::int64_t down) {
  const std::int64_t at_work = std::min(shop.nodes, shop.nodes + shop.spares - down);
  return static_cast<double>(at_work) +
         shop.spares_fail * static_cast<double>(std::max<std::int64_t>(0, shop.spares - down));
}

}  // namespace

CountDistribution nodes_down(const RepairShop& shop) {
  constexpr double kHuge = 1e250, kNothing = 1e-22;
  const auto all = static_cast<std::size_t>(shop.nodes + shop.spares);
  std::vector<double> state = {1.0}, flow;             // p(k) and p(k) up(k), up to a common factor
  std::vector<double> reaching(shop.sizes.size(), 0);  // by size: flow of the states from which it reaches k
  std::int64_t longest = 1;
  for (const EventSize& size : shop.sizes) longest = std::max(longest, size.units);
  double largest = 1;
  std::int64_t negligible = 0;  // states in a row
  // What follows as many states without weight as the largest event takes has none.
  for (std::size_t k = 1; k <= all && negligible <= longest; ++k) {
    flow.push_back(state.back() * exposed(shop, static_cast<std::int64_t>(k) - 1) * shop.failure_rate.base());
    double up = 0;
    for (std::size_t s = 0; s < reaching.size(); ++s) {
      const auto units = static_cast<std::size_t>(shop.sizes[s].units);
      if (k > units) reaching[s] = std::max(0.0, reaching[s] - flow[k - units - 1]);
      reaching[s] += flow.back();
      up += shop.sizes[s].share * reaching[s];
    }
    const auto down = static_cast<std::int64_t>(k);
    const std::int64_t at_work = shop.crews > 0 ? std::min(down, shop.crews) : down;
    state.push_back(up * shop.repair.base() / static_cast<double>(at_work));
    largest = std::max(largest, state.back());
    negligible = state.back() < kNothing * largest ? negligible + 1 : 0;
    if (state.back() < kHuge) continue;
    for (std::vector<double>* each : {&state, &flow, &reaching}) {
      for (double& value : *each) value /= kHuge;
    }
    largest /= kHuge;
  }
  const double sum = std::accumulate(state.begin(), state.end(), 0.0);
  for (double& each : state) each /= sum;
  return {std::move(state)};
}

double shortfall(const RepairShop& shop) {
  const std::vector<double> down = nodes_down(shop).probability;
  double sum = 0;
  for (std::size_t k = static_cast<std::size_t>(shop.spares) + 1; k < down.size(); ++k) sum += down[k];
  return sum;
}

double stability_margin(const RepairShop& shop) {
  if (shop.crews <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(shop.crews) / (static_cast<double>(shop.nodes) * (shop.failure_rate * shop.repair));
}

std::int64_t least_crews(const RepairShop& shop) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(shop.nodes) * (shop.failure_rate * shop.repair))) + 1;
}

double group_availability(std::int64_t needed, std::int64_t units, double unit_availability) {
  return at_least(needed, units, unit_availability);
}

double all_groups(double group_availability, std::int64_t groups) {
  return std::exp(static_cast<double>(groups) * std::log(group_availability));
}

}  // namespace nameplate
