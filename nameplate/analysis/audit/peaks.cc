#include "nameplate/analysis/audit/peaks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

// Datasheets of one part differ by up to 2 % (GB200: 2450 and 2500 TFLOP/s); generations and formats by far more.
constexpr double kSpread = 0.021;

int bits(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return 64;
    case Precision::fp32:
    case Precision::tf32:
      return 32;
    case Precision::bf16:
    case Precision::fp16:
      return 16;
    case Precision::fp8:
    case Precision::int8:
      return 8;
    case Precision::fp4:
      return 4;
  }
  NAMEPLATE_CHECK(false);
}

NamedPeak named(const Peak& peak, const AuditRow& row) {
  const int own = bits(row.precision.value_or(Precision::bf16)), its = bits(peak.precision);
  NamedPeak result{.rate = peak.rate, .share = kSpread};
  result.usual = peak.sparsity == Sparsity::dense && its >= own && its <= 16;
  for (const FlopsPerSecond& stated : row.stated_peaks) {
    if (std::fabs(stated / peak.rate - 1) > kSpread) continue;
    result.rate = stated;
    result.stated = true;
    result.share = 0;
  }
  result.name = fmt::format("{}{} peak {:.6g} TFLOP/s", peak.sparsity == Sparsity::sparse ? "sparse " : "",
                            name(peak.precision), result.rate.base() / 1e12);
  return result;
}

}  // namespace

std::vector<NamedPeak> peaks_of(const AuditRow& row) {
  std::vector<Peak> sources = row.peaks;
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Peak& a, const Peak& b) { return bits(a.precision) < bits(b.precision); });
  std::vector<NamedPeak> peaks;
  for (const Peak& peak : sources) peaks.push_back(named(peak, row));
  std::stable_sort(peaks.begin(), peaks.end(), [](const NamedPeak& a, const NamedPeak& b) {
    return a.usual != b.usual ? a.usual : a.stated && !b.stated;
  });
  std::vector<NamedPeak> distinct;
  for (NamedPeak& peak : peaks) {
    const auto same = [&](const NamedPeak& other) { return other.rate == peak.rate; };
    if (std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(std::move(peak));
  }
  return distinct;
}

std::optional<FlopsPerSecond> ceiling(const std::vector<NamedPeak>& peaks) {
  std::optional<FlopsPerSecond> most;
  for (const NamedPeak& peak : peaks) {
    if (peak.usual && (!most || peak.rate > *most)) most = peak.rate;
  }
  return most;
}

}  // namespace nameplate
