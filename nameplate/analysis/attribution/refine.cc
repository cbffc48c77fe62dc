#include "nameplate/analysis/attribution/refine.h"

#include <algorithm>

namespace nameplate {
namespace {

// The log's own figure of a row wins where it has one: recompute that the configuration states, padding.
bool is_divided(LedgerRow row, const Ledger& of_log) {
  return row != LedgerRow::model_compute && row != LedgerRow::unattributed && of_log.value(row).value_or(0) == 0;
}

}  // namespace

Ledger refine(const Ledger& of_log, double inside_s, const Ledger& of_trace) {
  double rest = of_trace.value(LedgerRow::unattributed).value_or(0);
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (is_divided(row, of_log)) rest += of_trace.value(row).value_or(0);
  }
  if (inside_s <= 0 || rest <= 0) return of_log;
  LedgerBuilder builder(of_log.scope(), of_log.ranks_present(), std::max(of_log.ranks_total(), of_log.ranks_present()));
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (row == LedgerRow::unattributed) continue;
    if (const auto own = of_log.value(row)) builder.book(row, *own, of_log.evidence(row));
    if (!is_divided(row, of_log)) continue;
    if (const auto traced = of_trace.value(row)) builder.book(row, *traced / rest * inside_s, of_trace.evidence(row));
  }
  return builder.close(of_log.total(), of_trace.evidence(LedgerRow::unattributed));
}

}  // namespace nameplate
