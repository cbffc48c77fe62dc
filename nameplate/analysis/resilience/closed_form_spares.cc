#include "nameplate/analysis/resilience/closed_form_spares.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nameplate/analysis/resilience/special_functions.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

constexpr double kTail = 1e-12;
constexpr std::size_t kMostCounts = 10'000'000;

}  // namespace

double at_least(std::int64_t needed, std::int64_t units, double up) {
  if (needed <= 0) return 1;
  if (needed > units) return 0;
  return incomplete_beta(static_cast<double>(needed), static_cast<double>(units - needed + 1), up);
}

std::int64_t units_for(std::int64_t needed, double up, double target) {
  NAMEPLATE_CHECK(up > 0 && target < 1);
  std::int64_t enough = needed;
  for (std::int64_t step = 1; at_least(needed, enough, up) < target; step *= 2) enough += step;
  std::int64_t low = needed;
  while (low < enough) {
    const std::int64_t middle = low + (enough - low) / 2;
    if (at_least(needed, middle, up) >= target) {
      enough = middle;
    } else {
      low = middle + 1;
    }
  }
  return enough;
}

std::int64_t spares_for_quantile(std::int64_t units, double down, double target) {
  std::int64_t spares = 0;
  while (at_least(units - spares, units, 1 - down) < target) ++spares;
  return spares;
}

double whole_copy_reliability(std::int64_t needed, std::int64_t units, double up) {
  const double whole = std::exp(static_cast<double>(needed) * std::log(up));  // R^N
  const double copies = static_cast<double>(units) / static_cast<double>(needed);
  return -std::expm1(copies * std::log1p(-whole));
}

double poisson_probability(double mean, std::int64_t count) {
  if (mean <= 0) return count == 0 ? 1 : 0;
  const double k = static_cast<double>(count);
  return std::exp(k * std::log(mean) - mean - log_factorial(k));
}

double poisson_at_most(double mean, std::int64_t count) {
  if (count < 0) return 0;
  return mean <= 0 ? 1 : incomplete_gamma_upper(static_cast<double>(count) + 1, mean);
}

double pooled_reliability(double bare, std::int64_t spares) { return poisson_at_most(-std::log(bare), spares); }

CountDistribution poisson_distribution(double mean) { return compound_poisson(mean, {{1, 1.0}}); }

// p_0 = exp(-L), p_n = (L / n) sum_j j f_j p_{n-j}. The recursion runs on p_n / p_0 with a scale that is taken out
// before it overflows, so that a mean of thousands does not begin at an underflowed exp(-L).
CountDistribution compound_poisson(double events, const std::vector<EventSize>& sizes) {
  if (events <= 0) return {{1.0}};
  constexpr double kHuge = 1e250;
  std::vector<double> ratio = {1.0};
  double sum = 1, log_scale = 0;  // ratio x exp(log_scale) = p_n / p_0
  double mean = 0;
  for (const EventSize& size : sizes) mean += events * size.share * static_cast<double>(size.units);
  for (std::size_t n = 1; n < kMostCounts; ++n) {
    double next = 0;
    for (const EventSize& size : sizes) {
      const auto back = static_cast<std::size_t>(size.units);
      if (back <= n) next += static_cast<double>(size.units) * size.share * ratio[n - back];
    }
    next *= events / static_cast<double>(n);
    ratio.push_back(next);
    sum += next;
    if (sum > kHuge) {
      for (double& each : ratio) each /= kHuge;
      sum /= kHuge;
      log_scale += std::log(kHuge);
    }
    // sum x exp(log_scale - events) is P(K <= n).
    if (static_cast<double>(n) > mean && std::log(sum) + log_scale - events > std::log1p(-kTail)) break;
  }
  for (double& each : ratio) each /= sum;
  return {std::move(ratio)};
}

double at_most(const CountDistribution& down, std::int64_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < down.probability.size() && static_cast<std::int64_t>(k) <= count; ++k)
    sum += down.probability[k];
  return std::min(1.0, sum);
}

std::int64_t quantile(const CountDistribution& down, double level) {
  double sum = 0;
  for (std::size_t k = 0; k < down.probability.size(); ++k) {
    sum += down.probability[k];
    if (sum >= level) return static_cast<std::int64_t>(k);
  }
  return static_cast<std::int64_t>(down.probability.size()) - 1;
}

double mean(const CountDistribution& down) {
  double sum = 0;
  for (std::size_t k = 0; k < down.probability.size(); ++k) sum += static_cast<double>(k) * down.probability[k];
  return sum;
}

std::int64_t newsvendor_spares(const CountDistribution& down, const SpareEconomics& economics) {
  // A correlated distribution has several peaks, so the last count that pays is looked for from the end. Below it the
  // sum of gains counts, not each: the cost itself decides.
  std::int64_t best = 0;
  double least = spare_cost(down, economics, 0), short_of = 1 - down.probability[0];
  for (std::size_t s = 1; s < down.probability.size(); ++s) {
    short_of -= down.probability[s];
    const double cost = static_cast<double>(s) * (1 - economics.salvage) +
                        economics.stall_multiple * static_cast<double>(economics.nodes) * std::max(0.0, short_of);
    if (cost <= least) {
      least = cost;
      best = static_cast<std::int64_t>(s);
    }
  }
  return best;
}

std::int64_t elastic_spares(const CountDistribution& down, double penalty, double salvage) {
  // The S-th spare saves `penalty` nodes whenever S or more are down.
  std::int64_t spares = 0;
  double at_least_next = 1 - down.probability[0];
  while (penalty * at_least_next >= 1 - salvage && static_cast<std::size_t>(spares) + 1 < down.probability.size()) {
    ++spares;
    at_least_next -= down.probability[static_cast<std::size_t>(spares)];
  }
  return spares;
}

double spare_cost(const CountDistribution& down, const SpareEconomics& economics, std::int64_t spares) {
  return static_cast<double>(spares) * (1 - economics.salvage) +
         economics.stall_multiple * static_cast<double>(economics.nodes) * (1 - at_most(down, spares));
}

}  // namespace nameplate
