#include "nameplate/analysis/audit/direct.h"

#include <algorithm>
#include <utility>

#include "nameplate/analysis/audit/tolerance.h"

namespace nameplate {
namespace {

AuditVerdict by_difference(double stated, double recomputed, double share, AuditVerdict otherwise) {
  if (near(recomputed, stated, share)) return AuditVerdict::consistent;
  return near(recomputed, stated, share + kFits) ? AuditVerdict::rounding : otherwise;
}

std::optional<Comparison> check_throughput(const AuditRow& row) {
  const auto recomputed = tokens_from_step(row);
  if (!recomputed || !row.tokens_per_s_per_gpu) return std::nullopt;
  const double stated = row.tokens_per_s_per_gpu->base();
  const double share = token_digit_share(stated) + digit_share(row.step_time->base());
  return Comparison{.figure = AuditFigure::tokens_per_s_per_gpu,
                    .stated = stated,
                    .recomputed = *recomputed,
                    .convention = "batch * length / (step time * accelerators)",
                    .verdict = by_difference(stated, *recomputed, share, AuditVerdict::step_time_tokens_mismatch)};
}

// Even the least that any convention counts would take more than the peak.
std::optional<Comparison> check_work(const RowFacts& facts) {
  const auto most = ceiling(facts.peaks);
  if (!most || facts.counts.empty() || !facts.tokens_per_s) return std::nullopt;
  const auto least =
      std::min_element(facts.counts.begin(), facts.counts.end(),
                       [](const NamedCount& a, const NamedCount& b) { return a.flops_per_token < b.flops_per_token; });
  const double possible = most->base() / least->flops_per_token;
  if (*facts.tokens_per_s <= possible * (1 + kFits + facts.tokens_share)) return std::nullopt;
  return Comparison{.figure = AuditFigure::tokens_per_s_per_gpu,
                    .stated = *facts.tokens_per_s,
                    .recomputed = possible,
                    .convention = least->name,
                    .verdict = AuditVerdict::impossible_above_peak};
}

Comparison against_peak(const AuditRow& row, AuditFigure figure, double stated, const NamedPeak& peak) {
  Comparison c{
      .figure = figure, .stated = stated, .recomputed = *row.flops_rate_per_gpu / peak.rate, .convention = peak.name};
  const double share = digit_share(row.flops_rate_per_gpu->base() / 1e12) + digit_share(stated * 100) + peak.share;
  c.verdict = by_difference(stated, c.recomputed, share, AuditVerdict::mfu_tflops_peak_mismatch);
  if (!peak.usual && !is_flagged(c.verdict)) c.verdict = AuditVerdict::wrong_peak;
  return c;
}

// Of several explanations of one figure the lower is taken.
int rank(AuditVerdict verdict) {
  if (!is_flagged(verdict)) return static_cast<int>(verdict);
  return static_cast<int>(verdict) + (verdict == AuditVerdict::wrong_peak ? 0 : 100);
}

// TFLOP/s over MFU, or over HFU where the rate counts recomputed work, is a peak of the device.
std::optional<Comparison> check_peak(const AuditRow& row, const RowFacts& facts) {
  std::optional<Comparison> best;
  if (!row.flops_rate_per_gpu) return best;
  for (const auto& [figure, stated] : {std::pair(AuditFigure::mfu_ratio, row.mfu), {AuditFigure::hfu_ratio, row.hfu}}) {
    if (!stated) continue;
    for (const NamedPeak& peak : facts.peaks) {
      const Comparison c = against_peak(row, figure, *stated, peak);
      if (!best || rank(c.verdict) < rank(best->verdict)) best = c;
    }
  }
  return best;
}

}  // namespace

std::vector<Comparison> compare_directly(const AuditRow& row, const RowFacts& facts) {
  std::vector<Comparison> comparisons;
  for (const auto& comparison : {check_throughput(row), check_work(facts), check_peak(row, facts)}) {
    if (comparison) comparisons.push_back(*comparison);
  }
  return comparisons;
}

}  // namespace nameplate
