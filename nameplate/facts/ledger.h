// The ledger: the accelerator-seconds that were bought, each booked once, under one cause. It closes: the rows sum to
// the total within 1e-9 (relative), and what is unexplained is the row `unattributed`, which may be negative (never
// clamped).
//
// A row that was not looked for is absent; one that was looked for and is zero says 0. Only LedgerBuilder makes
// ledgers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nameplate {

// The closed set of causes, in the order in which they are shown. Names are stable machine names.
enum class LedgerRow : std::uint8_t {
  model_compute,      // model FLOPs at the nameplate peak: this share is the MFU
  recompute,          // repeated forward work, at peak (HFU - MFU)
  redundant_compute,  // padding, masked or duplicated work, at peak
  kernel_matmul,
  kernel_attention,
  kernel_memory_bound,
  kernel_other,  // beyond their FLOPs at peak
  comm_dp,
  comm_tp,
  comm_pp,
  comm_cp,
  comm_ep,
  comm_other,      // not hidden by compute
  straggler_wait,  // inside a collective, for the last rank
  pipeline_bubble,
  host_bound,
  data_wait,
  memory_stall,
  sync,
  checkpoint,
  fault_detect,
  fault_restart,
  fault_lost_work,
  startup,
  evaluation,
  degraded,
  held_spare,
  queue,
  idle,
  unattributed,  // the remainder
};
inline constexpr std::size_t kLedgerRows = static_cast<std::size_t>(LedgerRow::unattributed) + 1;

std::string_view name(LedgerRow row);  // "kernel.matmul"
std::optional<LedgerRow> parse_ledger_row(std::string_view name);

enum class LedgerScope { step, run, fleet };
std::string_view name(LedgerScope scope);

// Values in accelerator-seconds.
class Ledger {
 public:
  LedgerScope scope() const { return scope_; }
  double total() const { return total_; }
  std::int64_t ranks_present() const { return ranks_present_; }
  std::int64_t ranks_total() const { return ranks_total_; }
  std::optional<double> value(LedgerRow row) const { return values_[static_cast<std::size_t>(row)]; }
  // Share of the total, 0..1; nothing when the row is absent or the total zero.
  std::optional<double> share(LedgerRow row) const;
  const std::string& evidence(LedgerRow row) const { return evidence_[static_cast<std::size_t>(row)]; }

  Ledger scaled(double factor) const;  // factor > 0
  bool operator==(const Ledger&) const = default;

 private:
  friend class LedgerBuilder;
  Ledger() = default;
  LedgerScope scope_ = LedgerScope::step;
  double total_ = 0;
  std::int64_t ranks_present_ = 0;
  std::int64_t ranks_total_ = 0;
  std::array<std::optional<double>, kLedgerRows> values_{};
  std::array<std::string, kLedgerRows> evidence_{};
};

class LedgerBuilder {
 public:
  LedgerBuilder(LedgerScope scope, std::int64_t ranks_present, std::int64_t ranks_total);
  // Books `accelerator_s` under `row`, adding to what is there. Booking `unattributed` is a programming error.
  LedgerBuilder& book(LedgerRow row, double accelerator_s, std::string evidence = {});
  // The rest of `total_accelerator_s` becomes `unattributed`; its sign is kept.
  Ledger close(double total_accelerator_s, std::string unattributed_evidence = {});

 private:
  Ledger ledger_;
};

// Row by row b - a; a row absent on both sides is absent. Totals differ freely.
struct LedgerDifference {
  double total = 0;
  std::array<std::optional<double>, kLedgerRows> values{};
};
LedgerDifference subtract(const Ledger& b, const Ledger& a);
// Sums rows and totals of ledgers of one scope (ranks add up). At least one.
Ledger merge(const std::vector<Ledger>& ledgers);

}  // namespace nameplate
