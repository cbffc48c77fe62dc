#include "nameplate/api/step_ranking.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nameplate {
namespace {

constexpr double kTie = 0.03;
constexpr std::size_t kLeastPlans = 4;

struct Medians {
  std::vector<double> measured, predicted;
};

struct Plan {
  double measured = 0;
  double predicted = 0;
};

std::optional<double> kendall(const std::vector<Plan>& plans) {
  double pairs = 0, agreement = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (std::size_t j = i + 1; j < plans.size(); ++j) {
      const double measured = std::log(plans[i].measured / plans[j].measured);
      if (std::abs(measured) < kTie) continue;
      const double predicted = plans[i].predicted - plans[j].predicted;
      ++pairs;
      agreement += predicted == 0 ? 0 : (predicted > 0) == (measured > 0) ? 1 : -1;
    }
  }
  return pairs > 0 ? std::optional(agreement / pairs) : std::nullopt;
}

}  // namespace

std::vector<JobRanking> rank_plans(const std::vector<RankedPlan>& rows) {
  std::map<std::string, std::map<std::string, Medians>> jobs;
  for (const RankedPlan& row : rows) {
    Medians& m = jobs[row.job][row.configuration];
    m.measured.push_back(row.measured);
    m.predicted.push_back(row.predicted);
  }
  std::vector<JobRanking> rankings;
  for (const auto& [job, configurations] : jobs) {
    if (configurations.size() < kLeastPlans) continue;
    std::vector<Plan> plans;
    for (const auto& [configuration, m] : configurations) plans.push_back({median(m.measured), median(m.predicted)});
    const std::optional<double> tau = kendall(plans);
    if (!tau) continue;
    const auto by = [&](double Plan::*time) {
      return *std::min_element(plans.begin(), plans.end(),
                               [&](const Plan& a, const Plan& b) { return a.*time < b.*time; });
    };
    rankings.push_back({job, static_cast<std::int64_t>(plans.size()), *tau,
                        by(&Plan::predicted).measured / by(&Plan::measured).measured - 1});
  }
  return rankings;
}

std::vector<double> repeat_errors(const std::vector<RankedPlan>& rows) {
  std::map<std::string, std::vector<double>> groups;
  for (const RankedPlan& row : rows) groups[row.configuration].push_back(row.measured);
  std::vector<double> errors;
  for (const auto& [configuration, times] : groups) {
    if (times.size() < 2) continue;
    for (const double time : times) errors.push_back(std::abs(time / median(times) - 1));
  }
  return errors;
}

}  // namespace nameplate
