#include "nameplate/analysis/steptime/data_supply.h"

#include <algorithm>
#include <cmath>

namespace nameplate {
namespace {

constexpr double kNegligibleWait = 0.01;  // of a step
constexpr std::int64_t kMostWorkers = 1024;

struct Pace {
  Seconds time;
  DataServer server = DataServer::none;
};

struct ServerTimes {
  Seconds bandwidth, reads, decode;  // for the samples of one step; decoding by one worker
};

ServerTimes server_times(const DataSupply& d) {
  const double missed = d.samples_per_step * (1 - d.cache_hit);
  ServerTimes t;
  if (d.store_bandwidth) t.bandwidth = d.bytes_per_sample * missed / *d.store_bandwidth;
  if (d.store_reads) t.reads = seconds(missed / d.store_reads->base());
  t.decode = d.cpu_time_per_sample * (d.samples_per_step / static_cast<double>(d.loaders));
  return t;
}

Pace pace_of(const DataSupply& d) {
  const ServerTimes t = server_times(d);
  const auto workers = static_cast<double>(std::max<std::int64_t>(d.workers, 1));
  Pace slowest;
  for (const Pace& p : {Pace{t.bandwidth, DataServer::store_bandwidth}, Pace{t.reads, DataServer::store_reads},
                        Pace{t.decode / workers, DataServer::decode}}) {
    if (p.time > slowest.time) slowest = p;
  }
  // Without workers the training process reads and decodes one after the other.
  if (d.workers == 0) slowest.time = std::max(t.bandwidth, t.reads) + t.decode;
  return slowest;
}

// Share of the time in which none of `capacity` batches is there, ready or in use.
double share_empty(double rho, double capacity, double variation) {
  if (variation <= 0) return std::max(0.0, 1 - rho);
  if (std::abs(rho - 1) < 1e-9) return 1 / (2 + 2 * (capacity - 1) / variation);  // the limit of what follows
  // sigma^(K-1) overflows only where nobody waits.
  const double power = std::exp(-2 * (1 - rho) / (rho * variation) * (capacity - 1));
  return std::isinf(power) ? 0 : (1 - rho) / (1 - rho * rho * power);
}

Seconds wait_of(const DataSupply& d, Seconds step) {
  const Seconds pace = pace_of(d).time;
  if (d.workers == 0 || pace <= Seconds()) return pace;
  const auto capacity = static_cast<double>(1 + std::max<std::int64_t>(1, d.workers * d.prefetch));
  const double empty = share_empty(step / pace, capacity, d.burstiness);
  return step * (empty / (1 - empty));
}

bool negligible(const DataSupply& d, Seconds step) { return wait_of(d, step) <= step * kNegligibleWait; }

// The least x in [0, 1] with which the wait is negligible, if any; `apply` makes a supply of x, better as x grows.
template <class Apply>
std::optional<double> least(const DataSupply& d, Seconds step, Apply apply) {
  if (!negligible(apply(d, 1.0), step)) return std::nullopt;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (negligible(apply(d, middle), step) ? high : low) = middle;
  }
  return high;
}

void add_remedies(const DataSupply& d, Seconds step, DataSupplyResult& result) {
  for (std::int64_t workers = d.workers + 1; workers <= kMostWorkers && !result.workers_needed; ++workers) {
    DataSupply more = d;
    more.workers = workers;
    if (negligible(more, step)) result.workers_needed = workers;
  }
  if (!d.store_bandwidth && !d.store_reads) return;
  result.cache_hit_needed = least(d, step, [](DataSupply s, double x) {
    s.cache_hit += x * (1 - s.cache_hit);
    return s;
  });
  if (result.cache_hit_needed) *result.cache_hit_needed = d.cache_hit + *result.cache_hit_needed * (1 - d.cache_hit);
  if (!d.store_bandwidth) return;
  const auto faster = [](DataSupply s, double x) {
    s.store_bandwidth = *s.store_bandwidth * (1 / std::max(1 - x, 1e-9));
    return s;
  };
  if (const auto x = least(d, step, faster)) result.store_bandwidth_needed = faster(d, *x).store_bandwidth;
}

}  // namespace

std::string_view name(DataServer server) {
  switch (server) {
    case DataServer::none:
      return "none";
    case DataServer::store_bandwidth:
      return "store_bandwidth";
    case DataServer::store_reads:
      return "store_reads";
    case DataServer::decode:
      return "decode";
  }
  return {};
}

DataSupplyResult data_supply(const DataSupply& supply, Seconds step) {
  const Pace pace = pace_of(supply);
  DataSupplyResult result{.pace = pace.time, .binding = pace.server, .data_wait = wait_of(supply, step)};
  if (!negligible(supply, step)) add_remedies(supply, step, result);
  return result;
}

}  // namespace nameplate
