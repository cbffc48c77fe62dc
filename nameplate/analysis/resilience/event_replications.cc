#include "nameplate/analysis/resilience/event_replications.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstring>
#include <string>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

// Enough that a replication, which may take microseconds, outweighs handing it out.
constexpr std::uint32_t kPerItem = 16;

}  // namespace

std::vector<Replication> replicate(const Simulate& simulate, std::uint32_t first, std::uint32_t count,
                                   unsigned threads) {
  std::vector<Replication> result(count);
  parallel_for(count, threads, [&](std::size_t i) { result[i] = simulate(first + static_cast<std::uint32_t>(i)); });
  return result;
}

std::vector<Replication> replicate(const Simulate& simulate, std::uint32_t first, std::uint32_t count,
                                   const Executor& executor, int threads) {
  const std::size_t items = (count + kPerItem - 1) / kPerItem;
  const auto task = [&](std::size_t item, unsigned its_threads) {
    const auto begin = static_cast<std::uint32_t>(item) * kPerItem;
    const auto runs = replicate(simulate, first + begin, std::min(kPerItem, count - begin), its_threads);
    std::string bytes(runs.size() * sizeof(Replication), '\0');
    std::memcpy(bytes.data(), runs.data(), bytes.size());
    return bytes;
  };
  std::vector<Replication> result(count);
  std::size_t begin = 0;
  for (const std::string& bytes : executor.gather(items, threads, task)) {
    std::memcpy(&result[begin], bytes.data(), bytes.size());
    begin += kPerItem;
  }
  return result;
}

FigureSpread distribution(std::span<const double> values, double level) {
  NAMEPLATE_CHECK(!values.empty() && level > 0 && level < 1);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  FigureSpread result;
  result.mean = mean(values);
  result.p05 = quantile_sorted(sorted, 0.05);
  result.p50 = quantile_sorted(sorted, 0.5);
  result.p95 = quantile_sorted(sorted, 0.95);
  result.mean_interval = {result.mean, result.mean};
  if (values.size() == 1) return result;
  const auto count = static_cast<double>(values.size());
  double squares = 0;
  for (double value : values) squares += (value - result.mean) * (value - result.mean);
  result.standard_error = std::sqrt(squares / (count - 1) / count);
  const double t = boost::math::quantile(boost::math::students_t(count - 1), 0.5 + level / 2);
  result.mean_interval = {result.mean - t * result.standard_error, result.mean + t * result.standard_error};
  return result;
}

FigureSpread distribution(std::span<const Replication> replications, const ReplicationFigure& figure, double level) {
  std::vector<double> values;
  values.reserve(replications.size());
  for (const Replication& replication : replications) values.push_back(figure(replication));
  return distribution(values, level);
}

FigureSpread paired_difference(std::span<const Replication> a, std::span<const Replication> b,
                               const ReplicationFigure& figure, double level) {
  NAMEPLATE_CHECK(a.size() == b.size());
  std::vector<double> differences;
  differences.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(figure(b[i]) - figure(a[i]));
  return distribution(differences, level);
}

}  // namespace nameplate
