#include "nameplate/analysis/resilience/closed_form_queue.h"

#include <algorithm>
#include <cmath>

namespace nameplate {
namespace {

// The largest load below 1 at which `within` holds; it holds at 0 and not at 1.
template <class Within>
double largest_load(const Within& within) {
  double yes = 0, no = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (yes + no) / 2;
    (within(middle) ? yes : no) = middle;
  }
  return yes;
}

}  // namespace

// Erlang B by its recursion over the servers, then C = B / (1 - u (1 - B)).
double erlang_c(std::int64_t servers, double load) {
  const double offered = static_cast<double>(servers) * load;
  double blocked = 1;
  for (std::int64_t i = 1; i <= servers; ++i)
    blocked = offered * blocked / (static_cast<double>(i) + offered * blocked);
  return blocked / (1 - load * (1 - blocked));
}

double mean_wait(std::int64_t servers, double load, double burstiness) {
  return burstiness * erlang_c(servers, load) / (static_cast<double>(servers) * (1 - load));
}

double wait_quantile(std::int64_t servers, double load, double level) {
  const double waits = erlang_c(servers, load), beyond = 1 - level;
  if (waits <= beyond) return 0;
  return std::log(waits / beyond) / (static_cast<double>(servers) * (1 - load));
}

double utilisation_cap(std::int64_t servers, double burstiness, double service_times) {
  return largest_load([&](double load) { return mean_wait(servers, load, burstiness) <= service_times; });
}

double utilisation_cap_quantile(std::int64_t servers, double level, double service_times) {
  return largest_load([&](double load) { return wait_quantile(servers, load, level) <= service_times; });
}

double any_beyond(std::int64_t requests, double tail) {
  return -std::expm1(static_cast<double>(requests) * std::log1p(-tail));
}

double overflow_probability(const FluidBuffer& buffer, double content) {
  const double on = buffer.on.base(), off = buffer.off.base();
  const double decay = off / (buffer.peak - buffer.drain) - on / buffer.drain;
  return on * buffer.peak / ((on + off) * buffer.drain) * std::exp(-decay * content);
}

double content_for_overflow(const FluidBuffer& buffer, double target) {
  const double empty = overflow_probability(buffer, 0);
  const double decay = buffer.off.base() / (buffer.peak - buffer.drain) - buffer.on.base() / buffer.drain;
  return std::max(0.0, std::log(empty / target) / decay);
}

double smoothing_ratio(Seconds correlation, Seconds buffer) { return std::sqrt(correlation / (correlation + buffer)); }

double buffer_for_smoothing(double before, double after) { return before * before / (after * after) - 1; }

double outage_budget(double mfu_before, double mfu_after) { return 1 - mfu_before / mfu_after; }

Seconds break_even_period(double mfu_before, double mfu_after, Seconds outage) {
  return outage / outage_budget(mfu_before, mfu_after);
}

}  // namespace nameplate
