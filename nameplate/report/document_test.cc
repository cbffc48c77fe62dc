#include "nameplate/report/document.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nameplate/report/sample_document.h"

namespace nameplate {
namespace {

TEST(Document, FindsByIdAndWidestLedger) {
  const Document document = sample_document();
  ASSERT_NE(document.find_value("ettr_ratio"), nullptr);
  EXPECT_EQ(as_double(document.find_value("ettr_ratio")->value), 0.0042);
  EXPECT_EQ(document.find_value("no_such"), nullptr);
  ASSERT_NE(document.find_table("steps"), nullptr);
  EXPECT_EQ(document.find_table("no_such"), nullptr);
  ASSERT_NE(document.widest_ledger(), nullptr);
  EXPECT_EQ(document.widest_ledger()->scope(), LedgerScope::run);
  EXPECT_EQ(Document{}.widest_ledger(), nullptr);
}

TEST(Document, WhatIsUnknownIsNotAdded) {
  Document document;
  document.add("a", std::nullopt, "s");
  document.add("b", std::nan(""), "s");
  document.add("c", 2.0, "s");
  ASSERT_EQ(document.values.size(), 1u);
  EXPECT_EQ(document.values[0].id, "c");
}

}  // namespace
}  // namespace nameplate
