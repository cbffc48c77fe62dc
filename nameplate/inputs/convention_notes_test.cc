#include "nameplate/inputs/convention_notes.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

std::vector<double> teraflops(std::string_view notes) {
  std::vector<double> numbers;
  for (const FlopsPerSecond& peak : peaks_in_notes(notes)) numbers.push_back(peak.base() / 1e12);
  return numbers;
}

TEST(ConventionNotes, NumbersThatStandAlone) {
  EXPECT_EQ(teraflops("peaks: A100 312, H100 bf16 989, fp8 ~1979"), (std::vector<double>{312, 989, 1979}));
  EXPECT_EQ(teraflops("peak 2450 bf16 / 4900 fp8."), (std::vector<double>{2450, 4900}));
  EXPECT_EQ(teraflops("over 459.5 TFLOP/s."), (std::vector<double>{459.5}));
}

TEST(ConventionNotes, NumbersInsideWordsAreNone) {
  EXPECT_TRUE(peaks_in_notes("").empty());
  EXPECT_TRUE(peaks_in_notes("v5e: 6N_nonembed, H100; -0 . ..").empty());
}

}  // namespace
}  // namespace nameplate
