#include "nameplate/api/what_if.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

std::vector<std::string> values(const std::string& range) {
  const Result<std::optional<ValueRange>> parsed = parse_range("key", range);
  return parsed.ok() && *parsed ? (*parsed)->values : std::vector<std::string>{};
}

TEST(WhatIf, RangesOfWholeNumbersTakeEachOrDouble) {
  EXPECT_EQ(values("1..4"), (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_EQ(values("1e18..1000000000000001024").size(), 9u);
  EXPECT_EQ(values("4..64"), (std::vector<std::string>{"4", "8", "16", "32", "64"}));
}

TEST(WhatIf, RangesOfQuantitiesKeepTheirUnit) {
  EXPECT_EQ(values("100..500 GB/s").size(), 9u);
  EXPECT_EQ(values("100..500 GB/s")[1], "150 GB/s");
  EXPECT_EQ(values("100 GB/s..800 GB/s")[8], "800 GB/s");  // eight times: by factors
  EXPECT_EQ(values("0.45..0.85")[4], "0.65");
}

TEST(WhatIf, OtherTextsAreNoRanges) {
  EXPECT_TRUE(values("../config.json").empty());
  EXPECT_TRUE(parse_range("key", "../config.json").ok());
  EXPECT_FALSE(parse_range("key", "8..2").ok());
  EXPECT_FALSE(parse_range("key", "1 GB/s..2 MB/s").ok());
}

TEST(WhatIf, AFactorNeedsAValueThatIsKnown) {
  const Manifest manifest = Manifest::parse("[cluster]\naccelerator = \"H100 SXM\"\n", "run.toml").value();
  const Catalogue& catalogue = Catalogue::embedded();
  EXPECT_EQ(default_value("cluster.hbm_bandwidth", manifest, catalogue), "3350000000000 B/s");
  EXPECT_EQ(default_value("cluster.peak", manifest, catalogue), "989400000000000 FLOP/s");
  EXPECT_EQ(default_value("plan.tp", manifest, catalogue), std::nullopt);
  EXPECT_EQ(default_value("cluster.peak", Manifest(), catalogue), std::nullopt);
}

}  // namespace
}  // namespace nameplate
