#include "nameplate/api/step_device.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/api/step_assumption.h"
#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

// A part without peaks of its own takes those of the part whose name begins its own: a variant of it.
const Accelerator& with_peaks(const Catalogue& catalogue, const Accelerator& part, std::vector<Assumption>& assumed) {
  if (!part.peaks.empty()) return part;
  for (const Accelerator& other : catalogue.accelerators()) {
    if (other.peaks.empty() || other.sku == part.sku || !part.sku.starts_with(other.sku)) continue;
    assumed.push_back(step_assumption("peak", "as " + other.sku));
    return other;
  }
  return part;
}

bool is_16_bit(Precision precision) { return precision == Precision::bf16 || precision == Precision::fp16; }

std::optional<FlopsPerSecond> peak_at(const Accelerator& part, Precision precision) {
  const Peak* peak = dense_peak(part, precision);
  if (peak == nullptr && is_16_bit(precision)) {
    peak = dense_peak(part, precision == Precision::bf16 ? Precision::fp16 : Precision::bf16);
  }
  return peak != nullptr ? std::optional(peak->rate) : std::nullopt;
}

std::optional<double> achieved_share(const Accelerator& part, Precision precision) {
  const AchievableMatmul* best = achievable_matmul(part, precision);
  const auto peak = peak_at(part, precision);
  return best != nullptr && peak ? std::optional(best->rate / *peak) : std::nullopt;
}

// Of one architecture, the part with more power for its nameplate holds a higher clock: switching power goes with the
// square of the voltage, and clock with voltage, so the rate goes about with the square root. Assumed.
double power_factor(const Accelerator& part, const Accelerator& other) {
  const auto own = peak_at(part, Precision::bf16), others = peak_at(other, Precision::bf16);
  if (!part.power_max || !other.power_max || !own || !others) return 1;
  return std::sqrt((part.power_max->base() / own->base()) / (other.power_max->base() / others->base()));
}

// The best matmul of a device that no table has: the median share of its family at that precision, else at 16 bit, else
// of all devices.
FlopsPerSecond best_matmul(const Catalogue& catalogue, const Accelerator& part, Precision precision,
                           const StepCalibration& calibration, std::vector<Assumption>& assumed) {
  const FlopsPerSecond peak = *peak_at(part, precision);
  if (const auto own = achieved_share(part, precision)) return peak * *own;
  if (precision == Precision::fp16) {
    if (const auto own = achieved_share(part, Precision::bf16)) return peak * *own;
  }
  if (element_bytes(precision) > 2) {
    if (const auto own = achieved_share(part, Precision::bf16)) {
      assumed.push_back(step_assumption("best_matmul", "the share of the peak that bf16 reaches"));
      return peak * *own;
    }
  }
  assumed.push_back(step_assumption("best_matmul", fmt::format("as others of {}", calibration.family_of(part.sku))));
  for (const Precision at : {precision, Precision::fp8, Precision::bf16}) {
    std::vector<double> shares;
    for (const Accelerator& other : catalogue.accelerators()) {
      const auto share = achieved_share(other, at);
      if (!share || calibration.family_of(other.sku) != calibration.family_of(part.sku)) continue;
      shares.push_back(*share * power_factor(part, other));
    }
    if (!shares.empty()) return peak * median(shares);
  }
  constexpr double kUsualShare = 0.75;  // median of the table of best matmuls
  return peak * kUsualShare;
}

// NIC rates of servers by the generation of their accelerators: 100, 200, 400 and 800 Gbit/s a device. TPU slices share
// 200 Gbit/s per host of four chips (How to Scale Your Model, chapter on hardware).
BytesPerSecond usual_network(const Accelerator& part) {
  if (part.kind == DeviceKind::tpu) return gigabytes_per_s(6.25);
  if (part.release_year >= 2025) return gigabytes_per_s(100);
  if (part.release_year >= 2022) return gigabytes_per_s(50);
  return gigabytes_per_s(part.release_year >= 2020 ? 25 : 12.5);
}

}  // namespace

const Accelerator* step_accelerator(const Catalogue& catalogue, std::string_view name,
                                    std::vector<Assumption>& assumptions) {
  const Result<AcceleratorMatch> match = catalogue.resolve_accelerator(name);
  if (!match.ok()) return nullptr;
  const Accelerator* part = match->candidates.back();
  if (!match->exact && match->candidates.size() > 1) assumptions.push_back(step_assumption("accelerator", part->sku));
  return part;
}

std::optional<StepDevice> step_device(const Catalogue& catalogue, const Accelerator& accelerator, Precision precision,
                                      const StepCalibration& calibration, std::vector<Assumption>& assumptions) {
  const Accelerator& part = with_peaks(catalogue, accelerator, assumptions);
  // What never runs in a narrow format.
  const Precision wide = is_narrow(precision) || precision == Precision::fp16 ? Precision::bf16 : precision;
  const auto peak = peak_at(part, precision), peak_16 = peak_at(part, wide);
  if (!peak || !peak_16 || !accelerator.memory_bandwidth) return std::nullopt;
  // A variant that borrows another part's peaks and best matmul keeps its own power.
  Accelerator powered = part;
  powered.power_max = accelerator.power_max ? accelerator.power_max : part.power_max;
  const double power = std::min(1.0, power_factor(powered, part));
  const FlopsPerSecond matmul_16 = best_matmul(catalogue, part, wide, calibration, assumptions) * power;
  return StepDevice{.sku = accelerator.sku,
                    .family = calibration.family_of(accelerator.sku),
                    .peak = *peak,
                    .peak_16 = *peak_16,
                    .matmul = precision == wide
                                  ? matmul_16
                                  : best_matmul(catalogue, part, precision, calibration, assumptions) * power,
                    .matmul_16 = matmul_16,
                    .memory_bandwidth = *accelerator.memory_bandwidth,
                    .compute_units = static_cast<double>(part.compute_units.value_or(0))};
}

StepFabric step_fabric(const Accelerator& accelerator, const FabricFacts& facts, std::vector<Assumption>& assumptions) {
  StepFabric fabric;
  const Link* link = accelerator.links.empty() ? nullptr : &accelerator.links.front();
  const std::int64_t per_node = facts.per_node.value_or(8);
  // A fabric larger than a server (a rack of NVLink, a torus) holds its own domain.
  const std::int64_t own = link != nullptr ? link->domain_size.value_or(1) : 1;
  fabric.domain =
      facts.domain.value_or(own > 16 ? own : std::min<std::int64_t>(per_node, std::max<std::int64_t>(own, 1)));
  fabric.torus = accelerator.kind == DeviceKind::tpu;
  fabric.scale_up = link != nullptr ? link->bandwidth_per_direction : gigabytes_per_s(32);
  if (link == nullptr) assumptions.push_back(step_assumption("scale_up", "PCIe"));
  fabric.scale_out = facts.network.value_or(usual_network(accelerator));
  if (!facts.network) {
    assumptions.push_back(step_assumption("network", fmt::format("{:g} GB/s", fabric.scale_out.base() / 1e9)));
  }
  return fabric;
}

void use_measured_fabric(const MeasuredFabric& measured, StepFabric& fabric) {
  const FabricPoint* largest = nullptr;
  for (const FabricPoint& point : measured.points) {
    const bool ring = point.collective == CollectiveKind::all_reduce ||
                      point.collective == CollectiveKind::all_gather ||
                      point.collective == CollectiveKind::reduce_scatter;
    if (ring && (largest == nullptr || point.size > largest->size)) largest = &point;
  }
  if (largest == nullptr || measured.ranks < 2) return;
  if (measured.ranks <= fabric.domain) {
    fabric.measured_scale_up = largest->bus_bandwidth;
  } else {
    fabric.measured_scale_out = largest->bus_bandwidth / static_cast<double>(fabric.domain);
  }
}

}  // namespace nameplate
