#include "nameplate/facts/ledger.h"

#include <cmath>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

constexpr std::array<std::string_view, kLedgerRows> kNames = {"model_compute",
                                                              "recompute",
                                                              "redundant_compute",
                                                              "kernel.matmul",
                                                              "kernel.attention",
                                                              "kernel.memory_bound",
                                                              "kernel.other",
                                                              "comm.dp",
                                                              "comm.tp",
                                                              "comm.pp",
                                                              "comm.cp",
                                                              "comm.ep",
                                                              "comm.other",
                                                              "straggler_wait",
                                                              "pipeline_bubble",
                                                              "host_bound",
                                                              "data_wait",
                                                              "memory_stall",
                                                              "sync",
                                                              "checkpoint",
                                                              "fault.detect",
                                                              "fault.restart",
                                                              "fault.lost_work",
                                                              "startup",
                                                              "evaluation",
                                                              "degraded",
                                                              "held_spare",
                                                              "queue",
                                                              "idle",
                                                              "unattributed"};

std::size_t index(LedgerRow row) { return static_cast<std::size_t>(row); }
constexpr std::size_t kUnattributed = static_cast<std::size_t>(LedgerRow::unattributed);

// Neumaier's compensated sum (1974): the error does not grow with the number of rows.
double booked(const std::array<std::optional<double>, kLedgerRows>& values) {
  double sum = 0;
  double lost = 0;
  for (std::size_t i = 0; i < kUnattributed; ++i) {
    double value = values[i].value_or(0);
    double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  return sum + lost;
}

}  // namespace

std::string_view name(LedgerRow row) { return kNames[index(row)]; }

std::optional<LedgerRow> parse_ledger_row(std::string_view name) {
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    if (kNames[i] == name) return static_cast<LedgerRow>(i);
  }
  return std::nullopt;
}

std::string_view name(LedgerScope scope) {
  switch (scope) {
    case LedgerScope::step:
      return "step";
    case LedgerScope::run:
      return "run";
    case LedgerScope::fleet:
      return "fleet";
  }
  NAMEPLATE_CHECK(false);
}

std::optional<double> Ledger::share(LedgerRow row) const {
  std::optional<double> seconds = value(row);
  return seconds && total_ != 0 ? std::optional(*seconds / total_) : std::nullopt;
}

Ledger Ledger::scaled(double factor) const {
  NAMEPLATE_CHECK(factor > 0 && std::isfinite(factor));
  Ledger result = *this;
  result.total_ *= factor;
  for (auto& value : result.values_) {
    if (value) *value *= factor;
  }
  return result;
}

LedgerBuilder::LedgerBuilder(LedgerScope scope, std::int64_t ranks_present, std::int64_t ranks_total) {
  ledger_.scope_ = scope;
  ledger_.ranks_present_ = ranks_present;
  ledger_.ranks_total_ = ranks_total;
}

LedgerBuilder& LedgerBuilder::book(LedgerRow row, double accelerator_s, std::string evidence) {
  NAMEPLATE_CHECK(row != LedgerRow::unattributed && std::isfinite(accelerator_s));
  auto& value = ledger_.values_[index(row)];
  value = value.value_or(0) + accelerator_s;
  if (!evidence.empty()) ledger_.evidence_[index(row)] = std::move(evidence);
  return *this;
}

Ledger LedgerBuilder::close(double total_accelerator_s, std::string unattributed_evidence) {
  NAMEPLATE_CHECK(std::isfinite(total_accelerator_s));
  ledger_.total_ = total_accelerator_s;
  ledger_.values_[kUnattributed] = total_accelerator_s - booked(ledger_.values_);
  ledger_.evidence_[kUnattributed] = std::move(unattributed_evidence);
  return ledger_;
}

LedgerDifference subtract(const Ledger& b, const Ledger& a) {
  LedgerDifference difference;
  difference.total = b.total() - a.total();
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    auto row = static_cast<LedgerRow>(i);
    if (!a.value(row) && !b.value(row)) continue;
    difference.values[i] = b.value(row).value_or(0) - a.value(row).value_or(0);
  }
  return difference;
}

Ledger merge(const std::vector<Ledger>& ledgers) {
  NAMEPLATE_CHECK(!ledgers.empty());
  std::int64_t present = 0;
  std::int64_t in_all = 0;
  double total = 0;
  for (const Ledger& ledger : ledgers) {
    NAMEPLATE_CHECK(ledger.scope() == ledgers.front().scope());
    present += ledger.ranks_present();
    in_all += ledger.ranks_total();
    total += ledger.total();
  }
  LedgerBuilder builder(ledgers.front().scope(), present, in_all);
  for (std::size_t i = 0; i < kUnattributed; ++i) {
    auto row = static_cast<LedgerRow>(i);
    for (const Ledger& ledger : ledgers) {
      if (ledger.value(row)) builder.book(row, *ledger.value(row), ledger.evidence(row));
    }
  }
  return builder.close(total, ledgers.front().evidence(LedgerRow::unattributed));
}

}  // namespace nameplate
