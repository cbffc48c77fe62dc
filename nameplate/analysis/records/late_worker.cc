#include "nameplate/analysis/records/late_worker.h"

#include <algorithm>
#include <map>

#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

constexpr double kLate = 1.10;
constexpr std::size_t kMostStretches = 12;
constexpr std::size_t kLeastTimes = 5;
constexpr std::size_t kLeastWorkers = 3;

struct Ratio {
  double time;
  double value;
};

// Worker -> its ratios to the median of all workers, by time; only times at which at least three workers are present.
std::map<std::int64_t, std::vector<Ratio>> ratios_of(const std::vector<WorkerTime>& times) {
  std::map<double, std::map<std::int64_t, double>> by_time;
  for (const WorkerTime& row : times) by_time[row.time][row.worker] = row.value;
  std::map<std::int64_t, std::vector<Ratio>> ratios;
  for (const auto& [time, workers] : by_time) {
    std::vector<double> values;
    for (const auto& [worker, value] : workers) values.push_back(value);
    const double middle = median(values);
    if (values.size() < kLeastWorkers || !(middle > 0)) continue;
    for (const auto& [worker, value] : workers) ratios[worker].push_back({time, value / middle});
  }
  return ratios;
}

double mean_of(const std::vector<Ratio>& ratios, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += ratios[i].value;
  return sum / static_cast<double>(end - begin);
}

double usual_of(const std::vector<Ratio>& ratios) {
  std::vector<double> values;
  for (const Ratio& ratio : ratios) values.push_back(ratio.value);
  return median(values);
}

void find_stretches(std::int64_t worker, const std::vector<Ratio>& ratios, std::vector<LateWorker>& found) {
  const double usual = usual_of(ratios);
  const std::size_t stretches = std::min(kMostStretches, ratios.size() / kLeastTimes);
  std::size_t last_end = 0;
  for (std::size_t k = 0; k < stretches && usual > 0; ++k) {
    const std::size_t begin = k * ratios.size() / stretches;
    const std::size_t end = (k + 1) * ratios.size() / stretches;
    const double here = mean_of(ratios, begin, end);
    if (here < kLate || here < kLate * usual) continue;
    const LateWorker late{worker, ratios[begin].time, ratios[end - 1].time, here / usual, here};
    if (last_end == begin && begin > 0) {
      found.back().last = late.last;
      found.back().slowdown = std::max(found.back().slowdown, late.slowdown);
      found.back().over_others = std::max(found.back().over_others, late.over_others);
    } else {
      found.push_back(late);
    }
    last_end = end;
  }
}

}  // namespace

std::vector<LateWorker> find_late_workers(const std::vector<WorkerTime>& times) {
  std::vector<LateWorker> found;
  for (const auto& [worker, ratios] : ratios_of(times)) {
    if (ratios.size() >= 2 * kLeastTimes) find_stretches(worker, ratios, found);
  }
  return found;
}

}  // namespace nameplate
