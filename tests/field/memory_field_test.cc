// Measured memory peaks of published runs: the error table of docs/models/memory.md.
#include <gtest/gtest.h>

#include "nameplate/api/validate.h"
#include "tests/field/field_case.h"

namespace nameplate {
namespace {

std::string published_runs() { return (field_data() / "published_runs.csv").string(); }

double value(const Document& d, std::string_view id) { return as_double(d.find_value(id)->value); }

class MemoryField : public testing::Test {
 protected:
  void SetUp() override {
    if (!file_exists(published_runs())) GTEST_SKIP() << "no " << published_runs();
    document = validate({.what = "memory", .runs = published_runs()}).value();
  }
  Document document;
};

TEST_F(MemoryField, ErrorsOverDistinctConfigurations) {
  EXPECT_GE(value(document, "configurations_total"), 31);
  EXPECT_LE(value(document, "error_median_ratio"), 0.04);
  EXPECT_LE(value(document, "error_mean_ratio"), 0.08);
}

// 54 rows state a peak, 49 of them finished runs that may decide.
TEST_F(MemoryField, EveryMeasuredRunIsPredicted) {
  EXPECT_EQ(value(document, "rows_total"), 1007);
  EXPECT_EQ(value(document, "rows_eligible"), 49);
  EXPECT_EQ(value(document, "rows_predicted"), 49);
}

TEST_F(MemoryField, RunsOutOfMemoryRankAboveTheMedianRisk) {
  EXPECT_GT(value(document, "risk_oom_least_ratio"), value(document, "risk_median_ratio"));
}

}  // namespace
}  // namespace nameplate
