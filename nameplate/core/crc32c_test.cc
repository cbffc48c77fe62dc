#include "nameplate/core/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace nameplate {
namespace {

// RFC 3720, appendix B.4, and the check value of the catalogue of parametrised CRC algorithms (CRC-32/ISCSI).
TEST(Crc32c, MatchesPublishedValues) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(""), 0u);
}

}  // namespace
}  // namespace nameplate
