#include "nameplate/analysis/steptime/regime.h"

#include <cmath>

namespace nameplate {
namespace {

constexpr double kPerAssumption = 0.03;

bool informed(const CompiledStep& work, StepValue v, const StepCalibration& calibration) {
  const auto& at = work.values[static_cast<std::size_t>(v)];
  return at && calibration.values[*at].value != calibration.values[*at].prior;
}

bool asks(const CompiledStep& work, StepValue v) { return work.values[static_cast<std::size_t>(v)].has_value(); }

}  // namespace

std::string step_regime(const StepSetup& setup, const CompiledStep& work, const StepCalibration& calibration) {
  bool experts = false;
  for (const LayerWork& layer : work.layers) experts = experts || layer.local_experts > 0;
  const bool narrow = setup.device.peak != setup.device.peak_16;
  const StepValue sku = narrow ? StepValue::matmul_low_sku : StepValue::matmul_16_sku;
  const StepValue family = narrow ? StepValue::matmul_low_family : StepValue::matmul_16_family;
  const bool device = informed(work, asks(work, sku) ? sku : family, calibration);
  const bool known = device && informed(work, StepValue::passes, calibration);
  return std::string(experts ? "experts" : "dense") + (known ? ".known" : ".new");
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
