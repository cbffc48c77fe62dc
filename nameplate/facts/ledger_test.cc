#include "nameplate/facts/ledger.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nameplate {
namespace {

double sum_of_rows(const Ledger& ledger) {
  long double sum = 0;
  for (std::size_t i = 0; i < kLedgerRows; ++i) sum += ledger.value(static_cast<LedgerRow>(i)).value_or(0);
  return static_cast<double>(sum);
}

Ledger small(double compute, double wait, double total) {
  return LedgerBuilder(LedgerScope::run, 2, 8)
      .book(LedgerRow::model_compute, compute)
      .book(LedgerRow::data_wait, wait, "train.log:3")
      .close(total);
}

TEST(Ledger, RestIsUnattributed) {
  Ledger ledger = small(40, 10, 100);
  EXPECT_DOUBLE_EQ(*ledger.value(LedgerRow::unattributed), 50);
  EXPECT_DOUBLE_EQ(*ledger.share(LedgerRow::model_compute), 0.4);
  EXPECT_EQ(ledger.evidence(LedgerRow::data_wait), "train.log:3");
}

TEST(Ledger, AbsentIsNotZero) {
  Ledger ledger = LedgerBuilder(LedgerScope::step, 1, 1).book(LedgerRow::checkpoint, 0).close(1);
  EXPECT_EQ(ledger.value(LedgerRow::checkpoint), 0.0);
  EXPECT_FALSE(ledger.value(LedgerRow::evaluation));
  EXPECT_FALSE(ledger.share(LedgerRow::evaluation));
}

TEST(Ledger, NegativeRemainderIsKept) { EXPECT_DOUBLE_EQ(*small(80, 30, 100).value(LedgerRow::unattributed), -10); }

TEST(Ledger, ZeroTotalHasNoShares) { EXPECT_FALSE(small(0, 0, 0).share(LedgerRow::model_compute)); }

TEST(Ledger, ClosesWithRowsOfVeryDifferentSize) {
  LedgerBuilder builder(LedgerScope::fleet, 1, 1);
  double value = 1e12;
  for (std::size_t i = 0; i + 1 < kLedgerRows; ++i) {
    builder.book(static_cast<LedgerRow>(i), value);
    value /= 3;
  }
  Ledger ledger = builder.close(1.7e12);
  EXPECT_LT(std::abs(sum_of_rows(ledger) - ledger.total()), 1e-9 * ledger.total());
}

TEST(Ledger, ScaledByMoneyOrRanks) {
  Ledger doubled = small(40, 10, 100).scaled(2);
  EXPECT_DOUBLE_EQ(doubled.total(), 200);
  EXPECT_DOUBLE_EQ(*doubled.value(LedgerRow::unattributed), 100);
  EXPECT_DOUBLE_EQ(*doubled.share(LedgerRow::data_wait), 0.1);
}

TEST(Ledger, DifferenceRowByRow) {
  Ledger before = LedgerBuilder(LedgerScope::step, 1, 1).book(LedgerRow::sync, 3).close(10);
  Ledger after = LedgerBuilder(LedgerScope::step, 1, 1).book(LedgerRow::host_bound, 2).close(9);
  LedgerDifference difference = subtract(after, before);
  EXPECT_DOUBLE_EQ(difference.total, -1);
  EXPECT_DOUBLE_EQ(*difference.values[static_cast<std::size_t>(LedgerRow::sync)], -3);
  EXPECT_DOUBLE_EQ(*difference.values[static_cast<std::size_t>(LedgerRow::host_bound)], 2);
  EXPECT_DOUBLE_EQ(*difference.values[static_cast<std::size_t>(LedgerRow::unattributed)], 0);
  EXPECT_FALSE(difference.values[static_cast<std::size_t>(LedgerRow::idle)]);
}

TEST(Ledger, MergeAddsRowsTotalsAndRanks) {
  Ledger merged = merge({small(40, 10, 100), small(60, 0, 100)});
  EXPECT_DOUBLE_EQ(merged.total(), 200);
  EXPECT_DOUBLE_EQ(*merged.value(LedgerRow::model_compute), 100);
  EXPECT_DOUBLE_EQ(*merged.value(LedgerRow::unattributed), 90);
  EXPECT_EQ(merged.ranks_present(), 4);
  EXPECT_EQ(merged.ranks_total(), 16);
}

TEST(LedgerRowNames, RoundTripAndSpelling) {
  EXPECT_EQ(name(LedgerRow::kernel_memory_bound), "kernel.memory_bound");
  EXPECT_EQ(name(LedgerRow::comm_other), "comm.other");
  EXPECT_EQ(name(LedgerRow::straggler_wait), "straggler_wait");
  EXPECT_EQ(name(LedgerRow::fault_lost_work), "fault.lost_work");
  EXPECT_EQ(name(LedgerRow::startup), "startup");
  EXPECT_EQ(name(LedgerRow::unattributed), "unattributed");
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    auto row = static_cast<LedgerRow>(i);
    EXPECT_EQ(parse_ledger_row(name(row)), row);
  }
  EXPECT_FALSE(parse_ledger_row("kernel"));
}

}  // namespace
}  // namespace nameplate
