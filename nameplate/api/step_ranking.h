// Does the model choose the right plan? And how far does one configuration differ from itself? Internal to api/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/statistics.h"

namespace nameplate {

struct RankedPlan {
  std::string job;
  std::string configuration;
  double measured = 0;
  double predicted = 0;
};

struct JobRanking {
  std::string job;
  std::int64_t plans = 0;
  double tau = 0;     // Kendall's, over pairs that differ by at least 3 % when measured
  double regret = 0;  // time of the plan that the model prefers over that of the best, less 1
};

// Jobs with at least four distinct plans; a plan's rows count with their median.
std::vector<JobRanking> rank_plans(const std::vector<RankedPlan>& rows);

// |measured / median of its configuration - 1| of every row whose configuration was measured more than once.
std::vector<double> repeat_errors(const std::vector<RankedPlan>& rows);

}  // namespace nameplate
