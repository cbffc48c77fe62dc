#include "nameplate/core/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nameplate/core/check.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

// Fixed order, error O(log n): the halves are summed apart.
double pairwise_sum(std::span<const double> values) {
  constexpr std::size_t kLeaf = 32;
  if (values.size() <= kLeaf) return std::accumulate(values.begin(), values.end(), 0.0);
  std::size_t half = values.size() / 2;
  return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
}

// The order statistics `k` and k + 1 of values, which are reordered.
std::pair<double, double> neighbours(std::vector<double>& values, std::size_t k) {
  auto kth = values.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(values.begin(), kth, values.end());
  double next = k + 1 < values.size() ? *std::min_element(kth + 1, values.end()) : *kth;
  return {*kth, next};
}

// sums[i]: of the first i terms.
template <class Term>
std::vector<double> prefix_sums(std::size_t count, Term term) {
  std::vector<double> sums(count + 1, 0.0);
  for (std::size_t i = 0; i < count; ++i) sums[i + 1] = sums[i] + term(i);
  return sums;
}

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  std::vector<double> products(values.size());
  std::transform(values.begin(), values.end(), weights.begin(), products.begin(), std::multiplies<>());
  return pairwise_sum(products) / pairwise_sum(weights);
}

}  // namespace

double quantile_sorted(std::span<const double> sorted, double q) {
  NAMEPLATE_CHECK(!sorted.empty() && q >= 0 && q <= 1);
  double position = q * static_cast<double>(sorted.size() - 1);
  auto low = static_cast<std::size_t>(position);
  double high = low + 1 < sorted.size() ? sorted[low + 1] : sorted[low];
  return sorted[low] + (position - static_cast<double>(low)) * (high - sorted[low]);
}

double quantile(std::span<const double> values, double q) {
  NAMEPLATE_CHECK(!values.empty() && q >= 0 && q <= 1);
  std::vector<double> copy(values.begin(), values.end());
  double position = q * static_cast<double>(copy.size() - 1);
  auto k = static_cast<std::size_t>(position);
  auto [low, high] = neighbours(copy, k);
  return low + (position - static_cast<double>(k)) * (high - low);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double mean(std::span<const double> values) {
  NAMEPLATE_CHECK(!values.empty());
  return pairwise_sum(values) / static_cast<double>(values.size());
}

double robust_sigma(std::span<const double> values) {
  double middle = median(values);
  std::vector<double> deviations(values.begin(), values.end());
  for (double& value : deviations) value = std::abs(value - middle);
  constexpr double kNormal = 1.4826;  // 1 / the third quartile of the standard normal distribution
  return kNormal * median(deviations);
}

Interval bootstrap_mean(std::span<const double> values, std::span<const double> weights, double level,
                        std::uint64_t seed, int replicates) {
  std::size_t n = values.size();
  NAMEPLATE_CHECK(n > 0 && weights.size() == n && level > 0 && level < 1 && replicates > 0);
  double point = weighted_mean(values, weights);
  if (n < 2) return {point, point};
  std::size_t block = 1;  // floor(n^(1/3)): shorter than the series, or every draw would be the series itself
  while ((block + 1) * (block + 1) * (block + 1) <= n) ++block;
  // Deviations from the mean, so that differences of prefix sums lose nothing.
  auto deviations = prefix_sums(n, [&](std::size_t i) { return weights[i] * (values[i] - point); });
  auto totals = prefix_sums(n, [&](std::size_t i) { return weights[i]; });
  std::vector<double> means(static_cast<std::size_t>(replicates));
  for (std::size_t r = 0; r < means.size(); ++r) {
    RandomStream random(seed, r);
    double deviation = 0;
    double total = 0;
    for (std::size_t drawn = 0; drawn < n; drawn += block) {
      std::size_t length = std::min(block, n - drawn);
      std::size_t begin = random.next_below(n - length + 1);
      deviation += deviations[begin + length] - deviations[begin];
      total += totals[begin + length] - totals[begin];
    }
    means[r] = point + deviation / total;
  }
  std::sort(means.begin(), means.end());
  return {quantile_sorted(means, (1 - level) / 2), quantile_sorted(means, (1 + level) / 2)};
}

}  // namespace nameplate
