#include "nameplate/analysis/steptime/regime.h"

#include <cmath>
#include <variant>

namespace nameplate {
namespace {

constexpr double kPerAssumption = 0.03;

bool informed(const CompiledStep& work, StepValue v, const StepCalibration& calibration) {
  const auto& at = work.values[static_cast<std::size_t>(v)];
  return at && calibration.values[*at].value != calibration.values[*at].prior;
}

// Every run of the calibration is of a decoder; of scans it has too few for a value of their own.
bool is_seen_kind(const Architecture& architecture) {
  if (!architecture.decoder) return false;
  for (const Block& block : architecture.blocks) {
    for (const Operator& op : block.operators) {
      if (std::holds_alternative<ScanShape>(op.shape)) return false;
    }
  }
  return true;
}

bool asks(const CompiledStep& work, StepValue v) { return work.values[static_cast<std::size_t>(v)].has_value(); }

}  // namespace

StepRegime step_regime(const StepSetup& setup, const CompiledStep& work, const StepCalibration& calibration) {
  bool experts = false;
  for (const LayerWork& layer : work.layers) experts = experts || layer.local_experts > 0;
  const bool narrow = is_narrow(setup.workload.precision);
  const StepValue sku = narrow ? StepValue::matmul_low_sku : StepValue::matmul_16_sku;
  const StepValue family = narrow ? StepValue::matmul_low_family : StepValue::matmul_16_family;
  const bool seen_precision = element_bytes(setup.workload.precision) == 2;
  StepRegime regime;
  if (!seen_precision || !informed(work, asks(work, sku) ? sku : family, calibration)) {
    regime.unseen.emplace_back("the accelerator at this precision");
  }
  if (!setup.framework.measured || !informed(work, StepValue::passes, calibration)) {
    regime.unseen.emplace_back("the framework");
  }
  if (!is_seen_kind(setup.architecture)) regime.unseen.emplace_back("the kind of model");
  regime.id = std::string(experts ? "experts" : "dense") + (regime.unseen.empty() ? ".known" : ".new");
  return regime;
}

double assumption_factor(const StepSetup& setup) {
  return 1 + kPerAssumption * static_cast<double>(setup.assumptions.size());
}

ErrorBand error_band(const StepSetup& setup, const std::string& regime, const StepCalibration& calibration) {
  ErrorBand band{.regime = regime};
  for (const ErrorBand& each : calibration.bands) {
    if (each.regime == regime) band = each;
  }
  const double factor = assumption_factor(setup);
  band.low = std::pow(band.low, factor);
  band.high = std::pow(band.high, factor);
  return band;
}

}  // namespace nameplate
