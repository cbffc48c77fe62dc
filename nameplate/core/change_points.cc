// change_points: where the level of a series shifts.
//
// PELT (Killick, Fearnhead, Eckley 2012, algorithm 1) finds the segmentation of least cost: the squared deviations from
// the mean of each segment, plus a penalty per segment. Outliers are clipped first, since one of them would buy its own
// segment; what differs by too little to matter is joined last. Known limits: a slow drift becomes a staircase; a shift
// nearer than five values to another is not seen.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nameplate/core/check.h"
#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

constexpr std::size_t kLeastSegment = 5;
// Without any change nothing is pruned and the cost is quadratic: 5,000 points take some 10 ms.
constexpr std::size_t kMostPoints = 5000;

std::vector<double> winsorised(std::span<const double> values, double sigma) {
  double middle = median(values);
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value = std::clamp(value, middle - 3 * sigma, middle + 3 * sigma);
  return result;
}

std::vector<double> block_means(std::span<const double> values, std::size_t block) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); i += block) {
    means.push_back(mean(values.subspan(i, std::min(block, values.size() - i))));
  }
  return means;
}

// The noise between neighbours, which a shift touches once only. Never zero: a log that prints three digits repeats
// values.
double noise_of(std::span<const double> values, double least_shift) {
  std::vector<double> differences(values.size() - 1);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = values[i + 1] - values[i];
  double floor = std::abs(median(values)) * least_shift / 10;
  return std::max({robust_sigma(differences) / std::sqrt(2.0), floor, std::numeric_limits<double>::min()});
}

// Sum of squared deviations from the mean of any segment, in constant time.
class SegmentCost {
 public:
  explicit SegmentCost(std::span<const double> values) : sum_(values.size() + 1), squares_(values.size() + 1) {
    double middle = median(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double deviation = values[i] - middle;
      sum_[i + 1] = sum_[i] + deviation;
      squares_[i + 1] = squares_[i] + deviation * deviation;
    }
  }
  double operator()(std::size_t begin, std::size_t end) const {
    double sum = sum_[end] - sum_[begin];
    return squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sum_;
  std::vector<double> squares_;
};

std::vector<std::size_t> pelt(std::span<const double> values, double penalty) {
  std::size_t n = values.size();
  SegmentCost cost(values);
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> previous(n + 1, 0);
  std::vector<std::size_t> candidates = {0};
  best[0] = -penalty;
  for (std::size_t end = kLeastSegment; end <= n; ++end) {
    for (std::size_t begin : candidates) {
      double total = best[begin] + cost(begin, end) + penalty;
      if (total >= best[end]) continue;
      best[end] = total;
      previous[end] = begin;
    }
    std::erase_if(candidates, [&](std::size_t begin) { return best[begin] + cost(begin, end) > best[end]; });
    if (std::size_t begin = end + 1 - kLeastSegment; begin >= kLeastSegment) candidates.push_back(begin);
  }
  std::vector<std::size_t> changes;
  for (std::size_t i = previous[n]; i > 0; i = previous[i]) changes.push_back(i);
  std::reverse(changes.begin(), changes.end());
  return changes;
}

// Joins the neighbours that differ least until all differ by `least_shift`.
std::vector<std::size_t> joined(std::span<const double> values, std::vector<std::size_t> changes, double least_shift) {
  changes.insert(changes.begin(), 0);
  changes.push_back(values.size());
  auto level = [&](std::size_t i) { return median(values.subspan(changes[i], changes[i + 1] - changes[i])); };
  std::vector<double> levels;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) levels.push_back(level(i));
  auto shift = [&](std::size_t i) {
    return std::abs(levels[i] - levels[i - 1]) / std::min(std::abs(levels[i]), std::abs(levels[i - 1]));
  };
  while (levels.size() > 1) {
    std::size_t least = 1;
    for (std::size_t i = 2; i < levels.size(); ++i) least = shift(i) < shift(least) ? i : least;
    if (shift(least) >= least_shift) break;
    changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(least));
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(least));
    levels[least - 1] = level(least - 1);
  }
  return {changes.begin() + 1, changes.end() - 1};
}

}  // namespace

std::vector<std::size_t> change_points(std::span<const double> values, double least_shift) {
  NAMEPLATE_CHECK(least_shift > 0);
  if (values.size() < 2 * kLeastSegment) return {};
  double floor = std::abs(median(values)) * least_shift;
  std::vector<double> clipped = winsorised(values, std::max(robust_sigma(values), floor));
  std::size_t block = (values.size() + kMostPoints - 1) / kMostPoints;
  if (block > 1) clipped = block_means(clipped, block);
  double sigma = noise_of(clipped, least_shift);
  double penalty = 3 * std::log(static_cast<double>(clipped.size())) * sigma * sigma;
  std::vector<std::size_t> changes = joined(clipped, pelt(clipped, penalty), least_shift);
  for (std::size_t& change : changes) change *= block;
  return changes;
}

}  // namespace nameplate
