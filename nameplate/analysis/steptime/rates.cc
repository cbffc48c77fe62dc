#include "nameplate/analysis/steptime/rates.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace nameplate {
namespace {

constexpr double kReferenceLength = 8192;
constexpr double kTile = 128;
constexpr double kMatmulMemoryShare = 0.85;  // of the bandwidth, for operands; assumed

Flops flops_of(const Product& p) { return flops(2 * p.m * p.n * p.k * p.count); }

Seconds compute_time(const Product& p, const StepRates& r) {
  const double half = p.low_precision ? r.half_length_low : r.half_length_16;
  const double length = p.k * (kReferenceLength + half) / (kReferenceLength * (p.k + half));
  const double tiles = p.count * std::max(1.0, p.m / kTile) * std::max(1.0, p.n / kTile);
  const double waves = tiles / (tiles + r.compute_units / 2);
  // The last tile of each expert's tokens is half empty on average.
  const double rows = p.grouped ? r.grouped * p.m / (p.m + kTile / 2) : 1;
  return flops_of(p) / ((p.low_precision ? r.matmul_low : r.matmul_16) * (length * waves * rows));
}

Seconds memory_time(const Product& p, const StepRates& r) {
  return product_traffic(p, r) / (r.memory * kMatmulMemoryShare);
}

BytesPerSecond ring_bandwidth(const GroupSpan& group, const StepRates& r) {
  if (group.ranks <= group.inside) return r.scale_up;
  return group.inside > 1 ? std::min(r.scale_up, r.scale_out * group.inside) : r.scale_out;
}

Seconds latency_of(const GroupSpan& group, const StepRates& r) {
  return group.ranks <= group.inside ? r.scale_up_latency : r.scale_out_latency;
}

// What NCCL's protocols LL128 and Simple take for a hop of a ring, and how much of the bandwidth they leave.
struct Protocol {
  double hop_up_s;
  double hop_out_s;
  double bandwidth_share;
};
constexpr Protocol kProtocols[] = {{1.9e-6, 4.0e-6, 0.92}, {3.4e-6, 14e-6, 1}};

// Rings along each of a torus's three axes at once, both ways round: half of each side.
double hops_inside(const GroupSpan& group, bool torus) {
  if (torus) return 1.5 * std::cbrt(std::min(group.ranks, group.inside));
  return group.ranks - std::ceil(group.ranks / group.inside);
}

StepRates anchored(StepRates r, double anchor) {
  for (FlopsPerSecond* rate : {&r.matmul_16, &r.matmul_low, &r.attention}) *rate = *rate / anchor;
  for (BytesPerSecond* rate : {&r.memory, &r.scale_up, &r.scale_out}) *rate = *rate / anchor;
  for (Seconds* time : {&r.scale_up_latency, &r.scale_out_latency}) *time = *time * anchor;
  r.anchor = anchor;
  return r;
}

}  // namespace

StepValues step_values(const CompiledStep& work, const StepCalibration& calibration) {
  StepValues values{};
  for (std::size_t i = 0; i < kStepValues; ++i) {
    const auto v = static_cast<StepValue>(i);
    const bool is_time =
        v == StepValue::host || v == StepValue::expert_host || v == StepValue::per_expert_host || v == StepValue::fixed;
    values[i] = work.values[i] ? calibration.values[*work.values[i]].value : is_time ? 0 : 1;
  }
  return values;
}

StepRates step_rates(const StepSetup& setup, const StepValues& values) {
  const auto value = [&](StepValue v) { return values[static_cast<std::size_t>(v)]; };
  const StepDevice& d = setup.device;
  const StepFabric& f = setup.fabric;
  StepRates r;
  // No kernel is faster than the peak, whatever shares multiply to.
  r.matmul_16 = std::min(d.peak_16, d.matmul_16 * (value(StepValue::matmul_16) * value(StepValue::matmul_16_family) *
                                                   value(StepValue::matmul_16_sku)));
  r.matmul_low = std::min(d.peak, d.matmul * (value(StepValue::matmul_low) * value(StepValue::matmul_low_family) *
                                              value(StepValue::matmul_low_sku) * value(StepValue::matmul_recipe)));
  r.half_length_16 = value(StepValue::half_length_16);
  r.half_length_low = value(StepValue::half_length_low);
  r.grouped = value(StepValue::grouped);
  r.attention = d.peak_16 * (value(StepValue::attention) * value(StepValue::attention_family) *
                             value(StepValue::attention_sku) * value(StepValue::attention_pair));
  r.memory = d.memory_bandwidth;
  r.element_bytes = element_bytes(setup.workload.precision);
  r.compute_units = d.compute_units;
  r.scale_up = f.measured_scale_up.value_or(f.scale_up * value(StepValue::scale_up));
  r.scale_out = f.measured_scale_out.value_or(f.scale_out * (value(StepValue::scale_out) / f.oversubscription));
  r.scale_up_latency = f.scale_up_latency;
  r.scale_out_latency = f.scale_out_latency;
  r.torus = f.torus;
  return anchored(r, setup.anchor);
}

Bytes product_traffic(const Product& p, const StepRates& r) {
  const double in = p.low_precision ? 1 : r.element_bytes;
  return bytes(p.count * (in * (p.m * p.k + p.k * p.n) + r.element_bytes * p.m * p.n));
}

LinkUse& LinkUse::operator+=(const LinkUse& o) {
  up += o.up;
  out += o.out;
  return *this;
}

LinkUse operator+(LinkUse a, const LinkUse& b) { return a += b; }

LinkUse operator*(const LinkUse& use, double times) { return {use.up * times, use.out * times}; }

Seconds product_time(const Product& p, const StepRates& r) { return std::max(compute_time(p, r), memory_time(p, r)); }

bool is_memory_bound(const Product& p, const StepRates& r) { return memory_time(p, r) > compute_time(p, r); }

Seconds send_time(const CompiledStep& work, const StepRates& r) {
  if (work.p2p_inside) return bytes(work.p2p_bytes) / r.scale_up + r.scale_up_latency;
  return bytes(work.p2p_bytes) / r.scale_out + r.scale_out_latency;
}

LinkUse send_use(const CompiledStep& work, const StepRates& r) {
  if (work.p2p_inside) return {bytes(work.p2p_bytes) / r.scale_up, {}};
  return {{}, bytes(work.p2p_bytes) / r.scale_out};
}

LinkUse ring_use(double moved, const GroupSpan& group, const StepRates& r) {
  if (group.ranks <= 1 || moved <= 0) return {};
  const Bytes passed = bytes(moved * (group.ranks - 1) / group.ranks);
  if (group.ranks <= group.inside) return {passed / r.scale_up, {}};
  return {passed * (1 - 1 / group.inside) / r.scale_up, passed / group.inside / r.scale_out};
}

Seconds ring_time(double moved, double count, const GroupSpan& group, const StepRates& r) {
  if (group.ranks <= 1 || moved <= 0) return {};
  const Seconds passing = bytes(moved * (group.ranks - 1) / group.ranks) / ring_bandwidth(group, r);
  const double inside = hops_inside(group, r.torus), outside = std::ceil(group.ranks / group.inside) - 1;
  std::optional<Seconds> least;
  for (const Protocol& p : kProtocols) {
    const Seconds hops = seconds((inside * p.hop_up_s + outside * p.hop_out_s) * r.anchor);
    const Seconds time = passing / p.bandwidth_share + (latency_of(group, r) + hops) * count;
    if (!least || time < *least) least = time;
  }
  return *least;
}

Seconds all_to_all_time(double inside, double outside, const GroupSpan& group, const StepRates& r) {
  if (group.ranks <= 1 || inside + outside <= 0) return {};
  return std::max(bytes(inside) / r.scale_up, bytes(outside) / r.scale_out) + latency_of(group, r);
}

LinkUse all_to_all_use(double inside, double outside, const GroupSpan& group, const StepRates& r) {
  if (group.ranks <= 1) return {};
  return {bytes(inside) / r.scale_up, bytes(outside) / r.scale_out};
}

}  // namespace nameplate
