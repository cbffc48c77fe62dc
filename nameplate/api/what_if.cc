#include "nameplate/api/what_if.h"

#include <cmath>

#include <fmt/format.h>

#include "nameplate/api/step_device.h"
#include "nameplate/core/text.h"
#include "nameplate/facts/precision.h"
#include "nameplate/inputs/device_name.h"

namespace nameplate {
namespace {

constexpr std::int64_t kEachUpTo = 16;
constexpr double kLargestWhole = 1e12;
constexpr int kSteps = 8;
constexpr double kByFactors = 8;

std::optional<std::string> peak_text(const Manifest& manifest, const Accelerator& part) {
  const auto stated = manifest.text("training.precision");
  const auto precision = parse_precision(stated ? stated->value : "bf16");
  const Peak* peak = precision ? dense_peak(part, *precision) : nullptr;
  return peak != nullptr ? std::optional(fmt::format("{} FLOP/s", peak->rate.base())) : std::nullopt;
}

template <class T>
std::optional<std::string> base_text(const std::optional<T>& value, std::string_view unit) {
  return value ? std::optional(fmt::format("{} {}", value->base(), unit)) : std::nullopt;
}

}  // namespace

std::optional<std::string> default_value(const std::string& key, const Manifest& manifest, const Catalogue& catalogue) {
  const auto named = manifest.text("cluster.accelerator");
  std::vector<Assumption> none;
  const Accelerator* part = named ? step_accelerator(catalogue, named->value, none) : nullptr;
  if (part == nullptr) return std::nullopt;
  if (key == "cluster.peak") return peak_text(manifest, *part);
  if (key == "cluster.hbm_bandwidth") return base_text(part->memory_bandwidth, "B/s");
  if (key == "cluster.hbm_size") return base_text(part->memory_size, "B");
  const StepFabric fabric = step_fabric(*part, {}, none);
  if (key == "cluster.scale_up") return base_text(std::optional(fabric.scale_up), "B/s");
  if (key == "cluster.network") return base_text(std::optional(fabric.scale_out), "B/s");
  if (key == "cluster.scale_up_domain") return fmt::format("{}", fabric.domain);
  if (key == "cluster.scale_up_latency") return base_text(std::optional(fabric.scale_up_latency), "s");
  if (key == "cluster.network_latency") return base_text(std::optional(fabric.scale_out_latency), "s");
  return std::nullopt;
}

Result<std::optional<ValueRange>> parse_range(const std::string& key, const std::string& value) {
  const std::size_t dots = value.find("..");
  if (dots == std::string::npos) return std::optional<ValueRange>();
  const auto first = parse_leading_number(trim(std::string_view(value).substr(0, dots)));
  const auto last = parse_leading_number(trim(std::string_view(value).substr(dots + 2)));
  if (!first || !last) return std::optional<ValueRange>();  // a text, such as a path
  const std::string unit(trim(last->rest));
  const std::string_view own = trim(first->rest);
  if ((!own.empty() && own != unit) || !(last->value > first->value)) {
    return error(fmt::format("cannot read the range '{}' of {}", value, key),
                 "the smaller value first, both in one unit: 4..32, or \"400..3200 Gbit/s\"");
  }
  ValueRange range{.key = key, .values = {}, .numbers = {}, .unit = unit};
  const double from = first->value, to = last->value;
  const bool whole = unit.empty() && from == std::floor(from) && to == std::floor(to) && to <= kLargestWhole;
  if (whole && to - from <= kEachUpTo) {
    for (double x = from; x <= to; ++x) range.numbers.push_back(x);
  } else if (whole && from >= 1) {
    for (double x = from; x <= to; x *= 2) range.numbers.push_back(x);
  } else {
    const bool factors = from > 0 && to / from >= kByFactors;
    for (int i = 0; i <= kSteps; ++i) {
      const double t = static_cast<double>(i) / kSteps;
      range.numbers.push_back(factors ? from * std::pow(to / from, t) : from + (to - from) * t);
    }
  }
  for (const double x : range.numbers) {
    range.values.push_back(unit.empty() ? fmt::format("{:.6g}", x) : fmt::format("{:.6g} {}", x, unit));
  }
  return std::optional(std::move(range));
}

}  // namespace nameplate
