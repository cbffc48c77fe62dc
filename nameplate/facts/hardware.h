// An accelerator as its datasheet states it, and the servers and networks around it.
//
// Pitfall: "one device" differs. A TPU chip has one or two cores, an MI250X module two dies that software sees as two
// devices. Every figure here is for one *device as catalogued*; `software_devices` says how many the software sees.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/precision.h"

namespace nameplate {

enum class DeviceKind { gpu, tpu, npu, cpu };
enum class Sparsity { dense, sparse };
enum class Confidence { high, medium, low };

std::string_view name(DeviceKind kind);
std::string_view name(Confidence confidence);

// Where a figure comes from. `date` is when it was looked up or measured, ISO 8601 (a year or a day).
struct Source {
  std::string text;
  Confidence confidence = Confidence::medium;
  std::string date;
  bool operator==(const Source&) const = default;
};

struct Peak {
  Precision precision = Precision::bf16;
  Sparsity sparsity = Sparsity::dense;
  FlopsPerSecond rate;
  Source source;
  bool operator==(const Peak&) const = default;
};

// The best matmul throughput measured in public for this device (MAMF): the honest ceiling of any kernel.
struct AchievableMatmul {
  Precision precision = Precision::bf16;
  FlopsPerSecond rate;
  Source source;
  bool operator==(const AchievableMatmul&) const = default;
};

struct Link {
  std::string kind;                              // "NVLink4", "PCIe 5", "ICI"
  BytesPerSecond bandwidth_per_direction;        // all links of the device together
  std::optional<BytesPerSecond> peer_bandwidth;  // towards one peer
  std::optional<int> domain_size;                // devices reachable at this speed
  std::string topology;
  Source source;
  bool operator==(const Link&) const = default;
};

// The source of a single field that does not come from where the rest of the entry comes from.
struct FieldSource {
  std::string field;  // as the catalogue spells it: "memory_bandwidth", "power_max", "compute_units", …
  Source source;
  bool operator==(const FieldSource&) const = default;
};

struct Accelerator {
  std::string sku;  // "H100 SXM": unique in the catalogue
  std::string vendor;
  std::vector<std::string> aliases;  // names that drivers and frameworks print for exactly this SKU
  DeviceKind kind = DeviceKind::gpu;
  std::vector<Peak> peaks;
  std::vector<AchievableMatmul> achievable;
  std::optional<Bytes> memory_size;
  std::optional<BytesPerSecond> memory_bandwidth;
  std::string memory_kind;
  std::vector<Link> links;
  std::optional<Watts> power_idle;
  std::optional<Watts> power_max;
  std::optional<Watts> power_cap;
  std::optional<int> compute_units;
  int software_devices = 1;
  std::string form_factor;
  int release_year = 0;
  Source source;  // of every field that has no source of its own
  std::vector<FieldSource> field_sources;
  std::string notes;
  bool operator==(const Accelerator&) const = default;
};

// The dense peak at `precision`; nothing where the catalogue has none. Never falls back to another precision.
const Peak* dense_peak(const Accelerator& accelerator, Precision precision);
const Peak* find_peak(const Accelerator& accelerator, Precision precision, Sparsity sparsity);
const AchievableMatmul* achievable_matmul(const Accelerator& accelerator, Precision precision);
// Where the value of `field` comes from: its own source, else the entry's.
inline const Source& source_of(const Accelerator& accelerator, std::string_view field) {
  for (const FieldSource& each : accelerator.field_sources) {
    if (each.field == field) return each.source;
  }
  return accelerator.source;
}

}  // namespace nameplate
