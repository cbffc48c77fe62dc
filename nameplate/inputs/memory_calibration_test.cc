#include "nameplate/inputs/memory_calibration.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

constexpr std::string_view kTwo = R"(
[[framework]]
id = "any"
names = [""]
source = "assumed"
[[framework]]
id = "old"
names = ["Train", "other"]
selective = ["mlp", "core_attn"]
bytes_per_logit = 6
constant_gb = 0.5
source = "its code"
[[framework]]
id = "new"
names = ["train"]
from_year = 2025
source = "its code"
[[framework]]
id = "eager"
names = ["train"]
when = "eager"
source = "its code"
[[recipe]]
framework = "new"
model = "moon"
optimizer_state_bytes = 8
source = "its recipe"
[risk]
sigma_ratio = 0.1
outside_gb = 1
source = "assumed"
)";

MemoryCalibration two() { return read_memory_calibration(kTwo, "memory.toml").value(); }

TEST(MemoryCalibration, TheLastEntryThatHoldsIsFound) {
  const MemoryCalibration c = two();
  EXPECT_EQ(c.find("Something", 2024, "").id, "any");
  EXPECT_EQ(c.find("trainer 2", 2024, "").id, "old");
  EXPECT_EQ(c.find("train", 2025, "").id, "new");
  EXPECT_EQ(c.find("train", std::nullopt, "").id, "new");
  EXPECT_EQ(c.find("train", 2025, "eager mode").id, "eager");
  EXPECT_EQ(c.find_by_id("OLD")->bytes_per_logit, 6);
  EXPECT_EQ(c.find_by_id("older"), nullptr);
}

TEST(MemoryCalibration, FactsAndRecipes) {
  const MemoryCalibration c = two();
  const MemoryFacts& old = c.find("other", 2020, "");
  EXPECT_EQ(old.selective, (std::vector<RecomputeModule>{RecomputeModule::mlp, RecomputeModule::core_attention}));
  EXPECT_EQ(old.constant, gigabytes(0.5));
  EXPECT_EQ(old.gradient_bytes, 4);
  ASSERT_NE(c.find_recipe(*c.find_by_id("new"), "Moonlight-16B"), nullptr);
  EXPECT_EQ(c.find_recipe(*c.find_by_id("old"), "Moonlight-16B"), nullptr);
  EXPECT_EQ(c.outside_allocator, gigabytes(1));
}

TEST(MemoryCalibration, MistakesAreLocated) {
  const auto found = [](std::string text) { return read_memory_calibration(text, "memory.toml").error().found; };
  EXPECT_NE(found("[[framework]]\nid = \"a\"\nnames = [\"\"]\nsource = \"x\"\nselective = [\"mpl\"]").find("mpl"),
            std::string::npos);
  EXPECT_NE(found("[[framework]]\nnames = [\"\"]\nsource = \"x\"").find("id"), std::string::npos);
  EXPECT_NE(found("[[framework]]\nid = \"a\"\nnames = [\"\"]\nsource = \"x\"\nfused = true").find("fused"),
            std::string::npos);
  EXPECT_EQ(found("[risk]\nsigma_ratio = 0.1\nsource = \"x\""), "no framework");
}

TEST(MemoryCalibration, EmbeddedFileIsSound) {
  const MemoryCalibration& c = MemoryCalibration::embedded();
  EXPECT_EQ(c.find("", std::nullopt, "").id, "generic");
  EXPECT_EQ(c.find("Megatron-LM + TE 2.11", 2026, "").id, "megatron-core");
  EXPECT_EQ(c.find("Megatron-Bridge / Megatron Core", 2026, "").id, "megatron-bridge");
  EXPECT_EQ(c.find("Megatron-LM / Megatron-DeepSpeed", 2021, "").id, "megatron-2022");
  EXPECT_EQ(c.find("HF Trainer + DeepSpeed", 2021, "").id, "deepspeed");
  EXPECT_EQ(c.find("torchtitan", 2024, "eager ; 82.4").id, "torchtitan-2024-eager");
  EXPECT_EQ(c.find("torchtitan", 2024, "torch.compile").id, "torchtitan-2024");
  EXPECT_EQ(c.find("torchtitan", 2025, "").id, "torchtitan-2025");
}

}  // namespace
}  // namespace nameplate
