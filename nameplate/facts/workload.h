// What one optimizer step works on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/exact.h"
#include "nameplate/core/quantity.h"
#include "nameplate/facts/precision.h"

namespace nameplate {

// `count` sequences of `length` units. Packed batches list each document's own length, since attention does not cross
// documents: the token terms need the sum of L, the attention terms the sum of L^2.
struct LengthCount {
  std::int64_t length = 0;
  std::int64_t count = 0;
  bool operator==(const LengthCount&) const = default;
};

// How much of a unit other than the model's own one step works on (facts/architecture.h).
struct UnitBatch {
  std::string unit;
  std::vector<LengthCount> batch;
  bool operator==(const UnitBatch&) const = default;
};

enum class Recompute { none, selective, full };
std::string_view name(Recompute recompute);

struct Workload {
  std::vector<LengthCount> batch;  // the global batch of one step
  std::int64_t padded_units = 0;   // units computed beyond the real ones
  Precision precision = Precision::bf16;
  Recompute recompute = Recompute::none;
  double optimizer_state_bytes_per_parameter = 12;  // Adam with an fp32 copy of the weights
  double data_bytes_per_sample = 0;
  Seconds data_host_time_per_sample;
  std::vector<UnitBatch> others;  // units whose amount differs from what the architecture says of a sample
  bool operator==(const Workload&) const = default;
};

Workload uniform_workload(std::int64_t sequences, std::int64_t length);
Int128 units(const Workload& workload);          // sum of L
Int128 units_squared(const Workload& workload);  // sum of L^2
std::int64_t sequences(const Workload& workload);

}  // namespace nameplate
