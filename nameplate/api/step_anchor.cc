#include "nameplate/api/step_anchor.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "nameplate/core/statistics.h"

namespace nameplate {

std::string anchor_kind(const StepSetup& setup) {
  const bool experts =
      std::any_of(setup.architecture.blocks.begin(), setup.architecture.blocks.end(), [](const Block& b) {
        return std::any_of(b.operators.begin(), b.operators.end(),
                           [](const Operator& op) { return op.role == OperatorRole::expert; });
      });
  return fmt::format("{} {} {}{}", setup.device.sku, name(setup.workload.precision), experts ? "experts" : "dense",
                     setup.task == StepTask::lora ? " lora" : "");
}

std::optional<double> StepAnchors::factor(const std::string& setup, const std::string& kind,
                                          const std::string& configuration) const {
  constexpr std::size_t kLeastRuns = 3;
  std::map<std::string, std::vector<double>> by_configuration;
  for (const AnchorRun& run : runs_) {
    if (run.setup == setup && run.kind == kind && run.configuration != configuration) {
      by_configuration[run.configuration].push_back(std::log(run.ratio));
    }
  }
  if (by_configuration.size() < kLeastRuns) return std::nullopt;
  std::vector<double> ratios;
  for (const auto& [each, logs] : by_configuration) ratios.push_back(median(logs));
  return std::exp(median(ratios));
}

}  // namespace nameplate
