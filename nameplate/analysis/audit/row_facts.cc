#include "nameplate/analysis/audit/row_facts.h"

#include "nameplate/analysis/audit/tolerance.h"

namespace nameplate {

std::optional<double> tokens_from_step(const AuditRow& row) {
  if (!row.step_time || !row.global_batch || !row.seq_len || !row.accelerators) return std::nullopt;
  return static_cast<double>(*row.global_batch) * static_cast<double>(*row.seq_len) / row.step_time->base() /
         static_cast<double>(*row.accelerators);
}

RowFacts row_facts(const AuditRow& row) {
  RowFacts facts{.counts = counts_of(row), .peaks = peaks_of(row)};
  if (row.tokens_per_s_per_gpu) {
    facts.tokens_per_s = row.tokens_per_s_per_gpu->base();
    facts.tokens_share = token_digit_share(*facts.tokens_per_s);
  } else if ((facts.tokens_per_s = tokens_from_step(row))) {
    facts.tokens_share = digit_share(row.step_time->base());
  }
  return facts;
}

}  // namespace nameplate
