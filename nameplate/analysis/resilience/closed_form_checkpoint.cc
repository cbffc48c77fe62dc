#include "nameplate/analysis/resilience/closed_form_checkpoint.h"

#include <cmath>
#include <cstdint>

#include "nameplate/analysis/resilience/special_functions.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

constexpr int kBisections = 200;

// The efficiency that is left at the best interval.
double best_efficiency(const CheckpointRegime& regime) {
  if (regime.block.base() <= 0) return std::exp(-(regime.restart / regime.mttf));  // the interval tends to zero
  return efficiency(regime, optimal_interval(regime));
}

// The boundary in [yes, no] of a condition that holds at `yes` and not at `no`.
template <class Holds>
double boundary(double yes, double no, const Holds& holds) {
  for (int i = 0; i < kBisections; ++i) {
    const double middle = yes + (no - yes) / 2;
    (holds(middle) ? yes : no) = middle;
  }
  return yes;
}

}  // namespace

Seconds young_interval(const CheckpointRegime& regime) {
  return seconds(std::sqrt(2 * regime.block.base() * regime.mttf.base()));
}

Seconds daly_interval(const CheckpointRegime& regime) {
  const double ratio = regime.block / regime.mttf / 2;  // d/2M
  if (ratio >= 1) return regime.mttf;
  return young_interval(regime) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - regime.block;
}

Seconds optimal_interval(const CheckpointRegime& regime) {
  return regime.mttf * (1 + lambert_w0(-std::exp(-(1 + regime.block / regime.mttf))));
}

Seconds saxena_period(const CheckpointRegime& regime) {
  const double block = regime.block.base();
  return seconds(block + std::sqrt(2 * (regime.mttf + regime.restart).base() * block + block * block));
}

double efficiency(const CheckpointRegime& regime, Seconds interval) {
  const double per_segment =
      std::expm1((interval + regime.block) / regime.mttf) * std::exp(regime.restart / regime.mttf);
  return interval / regime.mttf / per_segment;
}

double first_order_ettr(const CheckpointRegime& regime, Seconds interval) {
  return (1 - (regime.restart + interval / 2) / regime.mttf) / (1 + regime.block / interval);
}

std::optional<Seconds> longest_restart(const CheckpointRegime& regime, double ettr) {
  CheckpointRegime instant = regime;
  instant.restart = Seconds{};
  const double most = best_efficiency(instant);
  if (most < ettr) return std::nullopt;
  return regime.mttf * std::log(most / ettr);
}

std::optional<Seconds> longest_block(const CheckpointRegime& regime, double ettr) {
  CheckpointRegime other = regime;
  const auto reached = [&](double block) {
    other.block = seconds(block);
    return best_efficiency(other) >= ettr;
  };
  if (!reached(0)) return std::nullopt;
  return seconds(boundary(0, regime.mttf.base(), reached));
}

Seconds least_mttf(const CheckpointRegime& regime, double ettr) {
  NAMEPLATE_CHECK(ettr > 0 && ettr < 1);
  CheckpointRegime other = regime;
  const auto reached = [&](double mttf) {
    other.mttf = seconds(mttf);
    return best_efficiency(other) >= ettr;
  };
  double enough = (regime.block + regime.restart).base() + 1;
  while (!reached(enough)) enough *= 2;
  return seconds(boundary(enough, 0, reached));
}

std::int64_t generations_to_keep(Seconds latency, Seconds interval) {
  return static_cast<std::int64_t>(std::ceil(latency / interval)) + 1;
}

double two_level_ettr(const TwoLevels& levels, Seconds interval, std::int64_t global_every) {
  const Seconds between_global = interval * static_cast<double>(global_every);
  const double waste = levels.local_block / interval + levels.global_block / between_global +
                       levels.covered * ((levels.local_restart + interval / 2) / levels.mttf) +
                       (1 - levels.covered) * ((levels.global_restart + between_global / 2) / levels.mttf);
  return 1 / (1 + waste);
}

}  // namespace nameplate
