#include "nameplate/analysis/attribution/refine.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// 100 s of steps at an MFU of 40 %; traced, the other 6 s of each 10 s were: 3 communication, 2 late host, 1 not known.
Ledger of_log() {
  return LedgerBuilder(LedgerScope::step, 4, 4)
      .book(LedgerRow::model_compute, 40)
      .book(LedgerRow::recompute, 0)
      .close(100);
}
Ledger of_trace() {
  return LedgerBuilder(LedgerScope::step, 1, 4)
      .book(LedgerRow::model_compute, 4)
      .book(LedgerRow::comm_dp, 3, "AllReduce")
      .book(LedgerRow::host_bound, 2)
      .close(10);
}

TEST(Refine, UnexplainedTimeIsDividedAsTraced) {
  const Ledger l = refine(of_log(), 60, of_trace());
  EXPECT_DOUBLE_EQ(l.total(), 100);
  EXPECT_EQ(l.ranks_present(), 4);
  EXPECT_DOUBLE_EQ(*l.value(LedgerRow::model_compute), 40);
  EXPECT_DOUBLE_EQ(*l.value(LedgerRow::comm_dp), 30);
  EXPECT_DOUBLE_EQ(*l.value(LedgerRow::host_bound), 20);
  EXPECT_NEAR(*l.value(LedgerRow::unattributed), 10, 1e-12);
  EXPECT_EQ(l.evidence(LedgerRow::comm_dp), "AllReduce");
}

// Of a run, only what is unexplained inside steps is divided; its checkpoints stay.
TEST(Refine, TimeBetweenStepsStays) {
  const Ledger run = LedgerBuilder(LedgerScope::run, 4, 4)
                         .book(LedgerRow::model_compute, 40)
                         .book(LedgerRow::checkpoint, 20)
                         .close(150);
  const Ledger l = refine(run, 60, of_trace());
  EXPECT_DOUBLE_EQ(*l.value(LedgerRow::checkpoint), 20);
  EXPECT_DOUBLE_EQ(*l.value(LedgerRow::comm_dp), 30);
  EXPECT_NEAR(*l.value(LedgerRow::unattributed), 40, 1e-12);
}

// Recompute that the configuration states is not taken from the trace once more.
TEST(Refine, WhatTheLogKnowsWins) {
  const Ledger log = LedgerBuilder(LedgerScope::step, 4, 4)
                         .book(LedgerRow::model_compute, 40)
                         .book(LedgerRow::recompute, 10)
                         .close(100);
  const Ledger trace = LedgerBuilder(LedgerScope::step, 1, 4)
                           .book(LedgerRow::model_compute, 4)
                           .book(LedgerRow::recompute, 1)
                           .book(LedgerRow::comm_dp, 5)
                           .close(10);
  const Ledger l = refine(log, 50, trace);
  EXPECT_DOUBLE_EQ(*l.value(LedgerRow::recompute), 10);
  EXPECT_DOUBLE_EQ(*l.value(LedgerRow::comm_dp), 50);
}

TEST(Refine, NothingToDivide) {
  EXPECT_EQ(refine(of_log(), -3, of_trace()), of_log());
  EXPECT_EQ(refine(of_log(), 60, LedgerBuilder(LedgerScope::step, 1, 1).book(LedgerRow::model_compute, 4).close(4)),
            of_log());
}

}  // namespace
}  // namespace nameplate
