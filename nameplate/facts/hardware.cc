#include "nameplate/facts/hardware.h"

#include "nameplate/core/check.h"

namespace nameplate {

std::string_view name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::tpu:
      return "tpu";
    case DeviceKind::npu:
      return "npu";
    case DeviceKind::cpu:
      return "cpu";
  }
  NAMEPLATE_CHECK(false);
}

std::string_view name(Confidence confidence) {
  switch (confidence) {
    case Confidence::high:
      return "high";
    case Confidence::medium:
      return "medium";
    case Confidence::low:
      return "low";
  }
  NAMEPLATE_CHECK(false);
}

const Peak* find_peak(const Accelerator& accelerator, Precision precision, Sparsity sparsity) {
  for (const Peak& peak : accelerator.peaks) {
    if (peak.precision == precision && peak.sparsity == sparsity) return &peak;
  }
  return nullptr;
}

const Peak* dense_peak(const Accelerator& accelerator, Precision precision) {
  return find_peak(accelerator, precision, Sparsity::dense);
}

const AchievableMatmul* achievable_matmul(const Accelerator& accelerator, Precision precision) {
  for (const AchievableMatmul& matmul : accelerator.achievable) {
    if (matmul.precision == precision) return &matmul;
  }
  return nullptr;
}

}  // namespace nameplate
