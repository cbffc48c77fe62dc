#include "nameplate/analysis/mfu/ledgers.h"

#include <fmt/format.h>

namespace nameplate {
namespace {

// Books the compute rows of `seconds` of steps.
void book_compute(LedgerBuilder& builder, const Measurement& m, double accelerator_s) {
  if (!m.mfu_step) return;
  builder.book(LedgerRow::model_compute, *m.mfu_step * accelerator_s, "model FLOPs / peak");
  if (m.mfu_padded) {
    builder.book(LedgerRow::redundant_compute, (*m.mfu_padded - *m.mfu_step) * accelerator_s,
                 fmt::format("padding: {:.1f} % of the tokens, at peak", 100 * *m.padding_ratio));
  }
  if (m.hfu_step)
    builder.book(LedgerRow::recompute, (*m.hfu_step - *m.mfu_step) * accelerator_s, "repeated forward / peak");
}

}  // namespace

std::optional<Ledger> step_ledger(const RunFacts& facts, const Measurement& m) {
  if (!m.step_time_s) return std::nullopt;
  const std::int64_t ranks = facts.accelerators.value_or(1);
  double seconds = 0;
  for (std::size_t i : m.steady) seconds += m.times.rows[i].duration_s * static_cast<double>(m.times.rows[i].steps);
  const double total = seconds * static_cast<double>(ranks);
  LedgerBuilder builder(LedgerScope::step, ranks, ranks);
  book_compute(builder, m, total);
  return builder.close(total, m.mfu_step ? "inside steps: a trace would say" : "no MFU yet");
}

std::optional<Ledger> run_ledger(const RunFacts& facts, const Measurement& m) {
  if (!m.wall) return std::nullopt;
  const std::int64_t ranks = facts.accelerators.value_or(1);
  const auto n = static_cast<double>(ranks);
  LedgerBuilder builder(LedgerScope::run, ranks, ranks);
  book_compute(builder, m, m.wall->productive_s * n);
  for (const auto& [row, seconds] : m.wall->other_s) {
    const auto evidence = m.wall->evidence.find(row);
    builder.book(row, seconds * n, evidence == m.wall->evidence.end() ? std::string() : evidence->second);
  }
  return builder.close(m.wall->wall_s * n, "inside and between steps: a trace would say");
}

}  // namespace nameplate
