// The constants of the step model that come from measurements: each with a prior from outside (a best-matmul table, a
// count of passes in the framework's code), how far it may move from it, and the value that the published runs give.
//
// Values are positive and fitted in the logarithm: value = prior x exp(z), z ~ normal(0, sigma). A value with sigma 0
// is fixed. Ids are hierarchical: the rate of a matmul is the product of "matmul.16", "matmul.hopper.16" and
// "matmul.H100 SXM.16", the last two shrunk to 1, so that a device never seen falls back to its family, and that to the
// best-matmul table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nameplate {

struct CalibratedValue {
  std::string id;
  double prior = 1;
  double sigma = 0;  // of ln(value / prior); 0: fixed
  double value = 1;
  std::string unit;
  std::string source;  // of the prior
  bool operator==(const CalibratedValue&) const = default;
};

// How far predictions of one regime are from measurements of runs that calibration did not see.
struct ErrorBand {
  std::string regime;  // "dense.16", "experts.8", …
  double low = 0.85;   // measured / predicted: 85 % of the left-out runs lie between `low` and `high`
  double high = 1.15;
  std::size_t rows = 0;
  bool operator==(const ErrorBand&) const = default;
};

// Devices that share kernels and fall back to each other.
struct DeviceFamily {
  std::string id;                    // "hopper"
  std::vector<std::string> devices;  // beginnings of SKUs
  bool operator==(const DeviceFamily&) const = default;
};

struct StepCalibration {
  std::vector<CalibratedValue> values;
  std::vector<DeviceFamily> families;
  std::vector<ErrorBand> bands;

  std::optional<std::size_t> find(std::string_view id) const;
  // The family of a SKU; the SKU itself where none holds.
  std::string family_of(std::string_view sku) const;
};

}  // namespace nameplate
