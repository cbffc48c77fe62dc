// How many spares: k-of-n in its forms, correlated failures, and the rule that says when another one pays.
//
// - Pooled spares (any spare replaces any unit): P(at least N of N + S up), binomial; for many units Poisson with the
//   mean a = -ln q, q = R^N: A(S) = sum_{k <= S} exp(-a) a^k / k!. One spare gives q (1 - ln q): 0.46 -> 0.817.
// - Whole standby copies: 1 - (1 - R^N)^(M/N), as articles quote it. It means M/N complete systems of which one must be
//   whole, so M/N is an integer; it is not what spare nodes give.
// - Correlated: events ~ Poisson take B units each; the number down is compound Poisson, by Panjer's recursion (1981).
// - Newsvendor: cost S (1 - salvage) + m N P(K > S); the S-th spare pays while m N P(K = S) >= 1 - salvage. m: what a
//   stalled hour costs over the idle nodes' price.
// R is the probability that one unit is up: it has no meaning without a mission time or a repair rate.
#pragma once

#include <cstdint>
#include <vector>

namespace nameplate {

// P(at least `needed` of `units` are up), each with probability `up` on its own.
double at_least(std::int64_t needed, std::int64_t units, double up);
// The fewest units of which `needed` are up with probability `target` (below 1).
std::int64_t units_for(std::int64_t needed, double up, double target);
// The spares of which P(down <= spares) >= target, `units` at risk, each down with probability `down`.
std::int64_t spares_for_quantile(std::int64_t units, double down, double target);

double whole_copy_reliability(std::int64_t needed, std::int64_t units, double up);

double poisson_probability(double mean, std::int64_t count);
double poisson_at_most(double mean, std::int64_t count);
// A(spares) where no spare gives `bare`.
double pooled_reliability(double bare, std::int64_t spares);

// How many units are down: P(K = k) for k = 0 …; the tail beyond sums to less than 1e-12.
struct CountDistribution {
  std::vector<double> probability;
};
CountDistribution poisson_distribution(double mean);
// `events` on average, each taking `size` units with probability share.
struct EventSize {
  std::int64_t units = 1;
  double share = 1;
};
CountDistribution compound_poisson(double events, const std::vector<EventSize>& sizes);
double at_most(const CountDistribution& down, std::int64_t count);
std::int64_t quantile(const CountDistribution& down, double level);  // the least k with P(K <= k) >= level
double mean(const CountDistribution& down);

struct SpareEconomics {
  std::int64_t nodes = 0;     // that a shortfall stalls
  double stall_multiple = 1;  // m
  double salvage = 0;         // share of a spare's price that it earns while it waits, 0..1
};
// The last spare that pays for itself.
std::int64_t newsvendor_spares(const CountDistribution& down, const SpareEconomics& economics);
// The same for a job that goes on with fewer nodes: a missing node costs itself, `penalty` times.
std::int64_t elastic_spares(const CountDistribution& down, double penalty, double salvage);
// S (1 - salvage) + m N P(K > S), in nodes.
double spare_cost(const CountDistribution& down, const SpareEconomics& economics, std::int64_t spares);

}  // namespace nameplate
