#include "nameplate/inputs/claim.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Claim, Forms) {
  EXPECT_EQ(*parse_claim("ettr>=0.90, checkpoint_block=60s, mtti=3.09h"),
            Claim(GoodputClaim{.ettr = .9, .mttf = seconds(3.09 * 3600), .block = seconds(60)}));
  EXPECT_EQ(*parse_claim("ettr=90%, mttf=1h, restart=10 min, interval=30 min"),
            Claim(GoodputClaim{.ettr = .9, .mttf = seconds(3600), .restart = seconds(600), .interval = seconds(1800)}));
  EXPECT_EQ(*parse_claim("46%->82% with 20% spares"), Claim(RedundancyClaim{.46, .82, .2, std::nullopt}));
  EXPECT_EQ(*parse_claim("0.46 -> 0.82 with 20% spares of 1000 nodes"), Claim(RedundancyClaim{.46, .82, .2, 1000}));
  EXPECT_EQ(*parse_claim("R=0.95, N=1000, M=1200"), Claim(ReliabilityClaim{.95, 1000, 1200, std::nullopt}));
  EXPECT_EQ(*parse_claim("throughput=2.3x, recovery=1/5"), Claim(RecoveryClaim{2.3, 5}));
  EXPECT_EQ(*parse_claim("mfu=45%->58%, outage=12h"), Claim(PackingClaim{.45, .58, seconds(43200), std::nullopt, 0}));
  EXPECT_EQ(*parse_claim("mfu=45%->58%, outage=12h, between=10d, exponent=2"),
            Claim(PackingClaim{.45, .58, seconds(43200), seconds(864000), 2}));
}

TEST(Claim, WhatCannotBeReadIsSaid) {
  for (const char* text :
       {"", "fast", "ettr>=90, mtti=3h", "ettr>=0.9", "ettr>=0.9, mtti=3", "46%->82% with spares",
        "46%->120% with 20% spares", "46%->82% with 20% spares of many", "R=0.95, N=1200, M=1000",
        "mfu=58%->45%, outage=1h", "throughput=2x", "ettr>=0.9, mtti=3h, colour=3", "R=1.5, N=1, M=2"}) {
    EXPECT_FALSE(parse_claim(text).ok()) << text;
  }
}

}  // namespace
}  // namespace nameplate
