#include "nameplate/analysis/resilience/closed_form_repair.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace nameplate {

CountDistribution nodes_down(const RepairShop& shop) {
  const std::int64_t all = shop.nodes + shop.spares;
  const double repair_rate = 1 / shop.repair.base();
  std::vector<double> logs = {0.0};  // grown: the states that matter may be a small part of all
  double largest = 0;
  for (std::int64_t k = 1; k <= all; ++k) {
    const std::int64_t exposed = shop.spares_fail ? all - (k - 1) : std::min(shop.nodes, all - (k - 1));
    const std::int64_t at_work = shop.crews > 0 ? std::min(k, shop.crews) : k;
    const double up = static_cast<double>(exposed) * shop.failure_rate.base();
    const double before = logs.back();
    logs.push_back(before + std::log(up / (static_cast<double>(at_work) * repair_rate)));
    largest = std::max(largest, logs.back());
    // Past the peak the quotients only fall: what follows is below 1e-26 of it.
    if (k > shop.spares && logs.back() < std::min(largest - 60, before)) break;
  }
  double sum = 0;
  for (double& each : logs) sum += each = std::exp(each - largest);
  for (double& each : logs) each /= sum;
  return {std::move(logs)};
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
