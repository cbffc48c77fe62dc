#include "nameplate/api/step_anchor.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "nameplate/api/step_rows.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/core/statistics.h"
#include "nameplate/report/sentences.h"

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

Result<double> anchor_from_table(const std::string& path, const std::string& kind, const Catalogue& catalogue) {
  NAMEPLATE_TRY(const std::string text, read_file(path));
  NAMEPLATE_TRY(const PublishedRuns runs, read_published_runs(text, path));
  for (const Defect& defect : runs.defects) {
    if (defect.severity == Severity::data_loss) return Error{sentence(defect.message), {}, {.file = path}};
  }
  const StepCalibration& calibration = embedded_step_calibration();
  const StepRows rows = step_rows(runs, {catalogue, StepFrameworks::embedded(), calibration}, {});
  const std::vector<MeasuredStep> measured = rows.measured(calibration);
  StepAnchors anchors;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    anchors.add({.setup = {},
                 .kind = anchor_kind(rows.rows[i].step.setup),
                 .configuration = rows.rows[i].configuration,
                 .ratio = measured[i].measured / predicted_step_time(measured[i], calibration)});
  }
  const std::optional<double> factor = anchors.factor({}, kind, {});
  if (factor) return *factor;
  return Error{fmt::format("fewer than three configurations of '{}' with a step time", kind),
               "measured runs of this device and precision",
               {.file = path}};
}

}  // namespace nameplate
