#include "nameplate/analysis/audit/audit.h"

#include <algorithm>

#include "nameplate/analysis/audit/figures.h"
#include "nameplate/core/check.h"

namespace nameplate {

std::string_view name(AuditFigure figure) {
  switch (figure) {
    case AuditFigure::tokens_per_s_per_gpu:
      return "tokens_per_s_per_gpu";
    case AuditFigure::tflops_per_gpu:
      return "tflops_per_gpu";
    case AuditFigure::mfu_ratio:
      return "mfu_ratio";
    case AuditFigure::hfu_ratio:
      return "hfu_ratio";
    case AuditFigure::accelerators:
      return "accelerators";
    case AuditFigure::ep:
      return "ep";
    case AuditFigure::pp:
      return "pp";
    case AuditFigure::tp:
      return "tp";
    case AuditFigure::batch:
      return "batch";
  }
  NAMEPLATE_CHECK(false);
}

std::string_view name(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::consistent:
      return "consistent";
    case AuditVerdict::rounding:
      return "rounding";
    case AuditVerdict::consistent_in_convention:
      return "consistent_in_convention";
    case AuditVerdict::consistent_in_source:
      return "consistent_in_source";
    case AuditVerdict::between_conventions:
      return "between_conventions";
    case AuditVerdict::step_time_tokens_mismatch:
      return "step_time_tokens_mismatch";
    case AuditVerdict::mfu_tflops_peak_mismatch:
      return "mfu_tflops_peak_mismatch";
    case AuditVerdict::wrong_peak:
      return "wrong_peak";
    case AuditVerdict::flops_mismatch:
      return "flops_mismatch";
    case AuditVerdict::impossible_above_peak:
      return "impossible_above_peak";
    case AuditVerdict::degrees_product:
      return "degrees_product";
    case AuditVerdict::expert_degree:
      return "expert_degree";
    case AuditVerdict::too_many_stages:
      return "too_many_stages";
    case AuditVerdict::heads_per_rank:
      return "heads_per_rank";
    case AuditVerdict::batch_per_rank:
      return "batch_per_rank";
  }
  NAMEPLATE_CHECK(false);
}

std::optional<double> error_ratio(const Comparison& comparison) {
  if (comparison.figure > AuditFigure::accelerators) return std::nullopt;
  return comparison.recomputed / comparison.stated - 1;
}

bool is_flagged(const RowAudit& row) {
  return std::any_of(row.comparisons.begin(), row.comparisons.end(),
                     [](const Comparison& c) { return is_flagged(c.verdict); });
}

std::vector<RowAudit> audit(std::span<const AuditRow> rows) {
  std::vector<std::vector<Comparison>> figures = audit_figures(rows);
  std::vector<RowAudit> audits;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RowAudit row{std::move(figures[i])};
    for (Comparison& rule : audit_degrees(rows[i])) row.comparisons.push_back(std::move(rule));
    audits.push_back(std::move(row));
  }
  return audits;
}

}  // namespace nameplate
