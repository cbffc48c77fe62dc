#include "nameplate/analysis/resilience/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nameplate/analysis/resilience/special_functions.h"

namespace nameplate {
namespace {

// Of Student's t with `freedom` degrees: the value that `beyond` of the probability lies above, beyond < 1/2.
double student_quantile(double freedom, double beyond) {
  const double x = beta_quantile(freedom / 2, 0.5, 2 * beyond);
  return std::sqrt(freedom * (1 / x - 1));
}

double total_of(std::span<const std::int64_t> counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

// Two Poisson means, mixed. Terms ln(n!) cancel everywhere and are left out.
struct Mixture {
  double share = 0;  // of the nodes with the higher mean
  double low = 0, high = 0;
};
double log_term(double count, double mean) { return count * std::log(mean) - mean; }

double lemon_probability(const Mixture& m, double count) {
  const double odds = m.share / (1 - m.share) * std::exp(log_term(count, m.high) - log_term(count, m.low));
  return std::isinf(odds) ? 1 : odds / (1 + odds);
}

double log_likelihood(const Mixture& m, std::span<const std::int64_t> counts) {
  double sum = 0;
  for (const std::int64_t n : counts) {
    const double count = static_cast<double>(n);
    const double a = std::log1p(-m.share) + log_term(count, m.low), b = std::log(m.share) + log_term(count, m.high);
    sum += std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
  }
  return sum;
}

Mixture fit_mixture(std::span<const std::int64_t> counts, double mean) {
  Mixture m{.share = 0.05, .low = mean * 0.8, .high = mean * 4.8};
  for (int step = 0; step < 500; ++step) {
    double weight = 0, of_lemons = 0, of_others = 0;
    for (const std::int64_t n : counts) {
      const double p = lemon_probability(m, static_cast<double>(n));
      weight += p;
      of_lemons += p * static_cast<double>(n);
      of_others += (1 - p) * static_cast<double>(n);
    }
    const double all = static_cast<double>(counts.size());
    const Mixture next{std::clamp(weight / all, 1e-9, 0.5), std::max(of_others / (all - weight), 1e-12),
                       std::max(of_lemons / std::max(weight, 1e-12), 1e-12)};
    const bool settled = std::fabs(next.share - m.share) < 1e-12 && std::fabs(next.high - m.high) < 1e-9 * m.high;
    m = next;
    if (settled) break;
  }
  return m;
}

// Shape of the Gamma from which the nodes' means look drawn; nothing where they vary no more than one Poisson does.
std::optional<double> spread_of_means(std::span<const std::int64_t> counts, double mean) {
  double squares = 0;
  for (const std::int64_t n : counts) squares += (static_cast<double>(n) - mean) * (static_cast<double>(n) - mean);
  const double variance = counts.size() > 1 ? squares / static_cast<double>(counts.size() - 1) : 0;
  if (!(variance > mean) || mean <= 0) return std::nullopt;
  return mean * mean / (variance - mean);
}

}  // namespace

Interval poisson_interval(std::int64_t count, double level) {
  const double n = static_cast<double>(count), tail = (1 - level) / 2;
  return {count == 0 ? 0 : gamma_quantile(n, tail), gamma_quantile(n + 1, 1 - tail)};
}

RatePosterior posterior(const RatePrior& prior, std::int64_t count, Seconds exposure) {
  return {prior.shape + static_cast<double>(count), prior.exposure + exposure};
}

Interval credible_interval(const RatePosterior& posterior, double level) {
  const double tail = (1 - level) / 2, exposure = posterior.exposure.base();
  return {gamma_quantile(posterior.shape, tail) / exposure, gamma_quantile(posterior.shape, 1 - tail) / exposure};
}

Seconds DurationPosterior::median() const { return seconds(std::exp(mean)); }
Seconds DurationPosterior::expected() const { return seconds(std::exp(mean + scale / (shape - 1) / 2)); }

DurationPosterior posterior(const DurationPrior& prior, std::span<const double> seconds) {
  const double n = static_cast<double>(seconds.size());
  double sum = 0, squares = 0;
  for (const double s : seconds) sum += std::log(s);
  const double average = n > 0 ? sum / n : 0;
  for (const double s : seconds) squares += (std::log(s) - average) * (std::log(s) - average);
  DurationPosterior p;
  p.weight = prior.weight + n;
  p.mean = (prior.weight * prior.mean + sum) / p.weight;
  p.shape = prior.shape + n / 2;
  const double off = average - prior.mean;
  p.scale = prior.scale + squares / 2 + prior.weight * n * off * off / (2 * p.weight);
  p.observations = seconds.size();
  return p;
}

Interval credible_interval(const DurationPosterior& p, double level) {
  const double width = student_quantile(2 * p.shape, (1 - level) / 2) * std::sqrt(p.scale / (p.shape * p.weight));
  return {std::exp(p.mean - width), std::exp(p.mean + width)};
}

FleetEstimate estimate_nodes(std::span<const std::int64_t> failures, Seconds exposure) {
  FleetEstimate fleet;
  const double mean = total_of(failures) / static_cast<double>(failures.size());
  fleet.rate = PerSecond::from_base(mean / exposure.base());
  const std::optional<double> shape = spread_of_means(failures, mean);
  Mixture mixture;
  if (shape) {
    mixture = fit_mixture(failures, mean);
    const double one_rate = log_likelihood({1e-300, mean, mean}, failures);
    if (2 * (log_likelihood(mixture, failures) - one_rate) > 5.99 && mixture.high > mixture.low) {
      fleet.lemon_share = mixture.share;
      fleet.lemon_factor = mixture.high / mixture.low;
    }
  }
  for (std::size_t i = 0; i < failures.size(); ++i) {
    NodeEstimate node{.node = i, .failures = failures[i]};
    const double n = static_cast<double>(failures[i]);
    // Without a spread all nodes share the fleet's posterior.
    const RatePosterior p =
        shape ? RatePosterior{*shape + n, exposure + exposure * (*shape / mean)}
              : RatePosterior{0.5 + total_of(failures), exposure * static_cast<double>(failures.size())};
    node.rate = p.mean();
    node.interval = credible_interval(p, 0.95);
    if (fleet.lemon_share > 0) node.lemon_probability = lemon_probability(mixture, n);
    fleet.nodes.push_back(node);
  }
  return fleet;
}

}  // namespace nameplate
