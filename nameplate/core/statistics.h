// Statistics of a series of step times: quantiles, a bootstrap interval, change points. Deterministic: the bootstrap
// draws from the counter-based generator of core/random.h, so the same data gives the same interval on any machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nameplate {

// Quantile q in [0, 1] by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, the default of
// R and NumPy). `sorted` ascending, not empty.
double quantile_sorted(std::span<const double> sorted, double q);
double quantile(std::span<const double> values, double q);  // copies and selects; values not empty
double median(std::span<const double> values);
double mean(std::span<const double> values);  // pairwise-summed in a fixed order
// 1.4826 x the median absolute deviation: the standard deviation of a normal sample, unmoved by outliers.
double robust_sigma(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};
// Percentile bootstrap of the weighted mean sum(w x) / sum(w) (Efron 1979) over moving blocks of floor(n^(1/3))
// consecutive values (Kunsch 1989), since step times are autocorrelated; `level` e.g. 0.95. As many weights as values,
// at least one, all positive. Of a single value the interval is the point.
Interval bootstrap_mean(std::span<const double> values, std::span<const double> weights, double level,
                        std::uint64_t seed = 1, int replicates = 1000);

// Indices i > 0 at which the level of the series shifts: PELT (Killick, Fearnhead, Eckley 2012) with an L2 cost on
// values winsorised at 3 robust sigmas and a penalty of 3 log(n) sigma^2 (sigma from first differences), minimum
// segment 5; segments whose medians differ by less than `least_shift` (a ratio, 0.02 = 2 %) are joined. Series longer
// than 5,000 are reduced to that many block means first, so a shift is located to n / 5,000 values.
std::vector<std::size_t> change_points(std::span<const double> values, double least_shift = 0.02);

}  // namespace nameplate
