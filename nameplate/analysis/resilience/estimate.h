// Rates and durations from counts and times that were observed, each with its uncertainty.
//
// - Exact Poisson interval (Garwood 1936): half of the chi-square quantiles at 2n and 2n + 2. Covers at least its level
//   whatever the rate; over-covers at small counts (98.8 % for 95 % at a mean of 3). A time without failures counts.
// - Gamma-Poisson: prior Gamma(shape, exposure) of the rate, posterior Gamma(shape + n, exposure + t). Without a prior,
//   Jeffreys' Gamma(1/2, 0).
// - Durations are taken as log-normal, with a normal-inverse-gamma prior on mean and variance of the logarithm; the
//   interval of the median is a Student's t on the logarithm.
// - Nodes: their rates are shrunk to the fleet's by an empirical Gamma fitted by moments; a node is a lemon with the
//   probability that a mixture of two Poisson rates, fitted by expectation-maximisation, gives it, where the mixture
//   explains the counts better than one rate does (likelihood ratio above 5.99, two parameters at 5 %).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/core/statistics.h"

namespace nameplate {

// Of the mean count, at `level`, e.g. 0.95.
Interval poisson_interval(std::int64_t count, double level);

struct RatePrior {
  double shape = 0.5;
  Seconds exposure;
};
struct RatePosterior {
  double shape = 0.5;
  Seconds exposure;
  PerSecond mean() const { return PerSecond::from_base(shape / exposure.base()); }
};
RatePosterior posterior(const RatePrior& prior, std::int64_t count, Seconds exposure);
Interval credible_interval(const RatePosterior& posterior, double level);  // per second

// Normal-inverse-gamma over mean and variance of ln(duration / 1 s).
struct DurationPrior {
  double mean = 5.7;    // exp(5.7) = 300 s
  double weight = 0.5;  // observations that it counts for
  double shape = 2;     // of the variance: mean scale / (shape - 1)
  double scale = 0.5;
};
struct DurationPosterior {
  double mean = 0, weight = 0, shape = 0, scale = 0;
  std::size_t observations = 0;
  Seconds median() const;
  Seconds expected() const;  // of the log-normal at the posterior's centre
};
DurationPosterior posterior(const DurationPrior& prior, std::span<const double> seconds);
Interval credible_interval(const DurationPosterior& posterior, double level);  // of the median, in seconds

struct NodeEstimate {
  std::size_t node = 0;
  std::int64_t failures = 0;
  PerSecond rate;  // shrunk
  Interval interval;
  double lemon_probability = 0;
};
struct FleetEstimate {
  std::vector<NodeEstimate> nodes;  // as given
  PerSecond rate;                   // of all
  double lemon_share = 0;           // 0: one rate explains the counts
  double lemon_factor = 1;
};
// Failures of each node over the same exposure.
FleetEstimate estimate_nodes(std::span<const std::int64_t> failures, Seconds exposure);

}  // namespace nameplate
