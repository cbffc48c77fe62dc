#include "nameplate/inputs/device_name.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

const std::vector<std::string> kVendorWords = {"nvidia", "tesla", "amd", "instinct", "ascend"};

DeviceName named(std::string product, std::vector<std::string> words = {}) {
  return {std::move(product), std::move(words)};
}

TEST(DeviceNameTest, SplitsTheProductFromWhatFollows) {
  struct Case {
    const char* text;
    DeviceName name;
  };
  for (const Case& c : {
           Case{"NVIDIA A100-SXM4-80GB", named("a100", {"80gb", "sxm4"})},
           Case{"a100 80 GB sxm4", named("a100", {"80gb", "sxm4"})},
           Case{"NVIDIA H100 80GB HBM3", named("h100", {"80gb", "hbm3"})},
           Case{"AMD Instinct MI300X OAM", named("mi300x", {"oam"})},
           Case{"TPU v5 lite", named("tpuv5", {"lite"})},
           Case{"TPUv5e", named("tpuv5e")},
           Case{"Ascend910B3", named("910b3")},
           Case{"H100-SXM-96GB(500W)", named("h100", {"500w", "96gb", "sxm"})},
           Case{"cpu", named("cpu")},
           Case{"NVIDIA", named("")},
           Case{"\xff\x00 --", named("")},
       }) {
    EXPECT_EQ(device_name(c.text, kVendorWords), c.name) << c.text;
  }
}

TEST(DeviceNameTest, AFamilyEndsWhereLettersAndDigitsMeet) {
  EXPECT_TRUE(of_family("mi300x", "mi300"));
  EXPECT_TRUE(of_family("910b2", "910b"));
  EXPECT_TRUE(of_family("h100", "h100"));
  EXPECT_FALSE(of_family("h100", "h10"));
  EXPECT_FALSE(of_family("910c", "910b"));
  EXPECT_FALSE(of_family("a100", "a"));
  EXPECT_FALSE(of_family("a100", ""));
}

TEST(DeviceNameTest, AWordMayLackItsNumber) {
  EXPECT_TRUE(has_word({"sxm4", "80gb"}, "sxm"));
  EXPECT_TRUE(has_word({"sxm4", "80gb"}, "80gb"));
  EXPECT_FALSE(has_word({"sxm4", "80gb"}, "8"));
  EXPECT_FALSE(has_word({"sxm4", "80gb"}, "pcie"));
}

}  // namespace
}  // namespace nameplate
