// From catalogue entries to the device and the network of the step model. Internal to api/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/facts/fabric.h"
#include "nameplate/facts/hardware.h"
#include "nameplate/facts/precision.h"
#include "nameplate/facts/step_calibration.h"
#include "nameplate/inputs/catalogue.h"

namespace nameplate {

// The part of the catalogue that a name means; of several the last listed, assumed. Nothing for a name not known.
const Accelerator* step_accelerator(const Catalogue& catalogue, std::string_view name,
                                    std::vector<Assumption>& assumptions);

// Nothing where the catalogue has no peak at the precision, or no memory bandwidth.
std::optional<StepDevice> step_device(const Catalogue& catalogue, const Accelerator& accelerator, Precision precision,
                                      const StepCalibration& calibration, std::vector<Assumption>& assumptions);

struct FabricFacts {
  std::optional<std::int64_t> per_node;
  std::optional<std::int64_t> domain;     // accelerators on one scale-up fabric, where it is not the node
  std::optional<BytesPerSecond> network;  // per accelerator and direction
};
StepFabric step_fabric(const Accelerator& accelerator, const FabricFacts& facts, std::vector<Assumption>& assumptions);

// A benchmark of collectives in place of nameplate x efficiency: the bus bandwidth of its largest message. Of ranks
// inside a scale-up domain it is that of the links; beyond, what the cards of the ranks in one domain carry together.
// A benchmark that does not say its ranks changes nothing.
void use_measured_fabric(const MeasuredFabric& measured, StepFabric& fabric);

}  // namespace nameplate
