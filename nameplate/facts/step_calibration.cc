#include "nameplate/facts/step_calibration.h"

namespace nameplate {

std::optional<std::size_t> StepCalibration::find(std::string_view id) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].id == id) return i;
  }
  return std::nullopt;
}

std::string StepCalibration::family_of(std::string_view sku) const {
  for (const DeviceFamily& family : families) {
    for (const std::string& beginning : family.devices) {
      if (sku.starts_with(beginning)) return family.id;
    }
  }
  return std::string(sku);
}

}  // namespace nameplate
