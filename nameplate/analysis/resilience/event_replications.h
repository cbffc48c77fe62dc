// Many replications of one simulation, and what they say together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nameplate/analysis/resilience/event_replication.h"
#include "nameplate/core/executor.h"
#include "nameplate/core/statistics.h"

namespace nameplate {

// A simulation as a function of the replication's number.
using Simulate = std::function<Replication(std::uint32_t)>;
// A figure of a replication: ettr, …
using ReplicationFigure = std::function<double(const Replication&)>;

// Numbers first .. first + count - 1, spread over `threads`; the result does not depend on how many there are.
std::vector<Replication> replicate(const Simulate& simulate, std::uint32_t first, std::uint32_t count,
                                   unsigned threads);
// The same, over whatever the executor spans.
std::vector<Replication> replicate(const Simulate& simulate, std::uint32_t first, std::uint32_t count,
                                   const Executor& executor, int threads);

struct FigureSpread {
  double mean = 0;
  double standard_error = 0;
  Interval mean_interval;  // Student's t, at the level asked for
  double p05 = 0;
  double p50 = 0;
  double p95 = 0;
};

// At least one value; a single one has no interval but itself. `level` e.g. 0.95.
FigureSpread distribution(std::span<const double> values, double level);
FigureSpread distribution(std::span<const Replication> replications, const ReplicationFigure& figure, double level);
// Of b - a, pair by pair: with common random numbers far narrower than the difference of the two means.
FigureSpread paired_difference(std::span<const Replication> a, std::span<const Replication> b,
                               const ReplicationFigure& figure, double level);

}  // namespace nameplate
