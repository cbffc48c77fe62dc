#include "nameplate/inputs/step_calibration.h"

#include <gtest/gtest.h>

#include <string>

namespace nameplate {
namespace {

TEST(StepCalibration, EveryValueThatAFrameworkNamesExists) {
  const StepCalibration& calibration = embedded_step_calibration();
  for (const StepFrameworkEntry& entry : StepFrameworks::embedded().entries()) {
    const StepFramework& f = entry.facts;
    for (const std::string& id : {f.attention, f.passes, f.host, f.fixed, f.tp_exposed, f.casts, f.permute,
                                  f.expert_host, f.per_expert_host, f.shard_slowdown}) {
      EXPECT_TRUE(id.empty() || calibration.find(id)) << f.id << " names " << id;
    }
  }
}

TEST(StepCalibration, FoldsAreOfTheSameValues) {
  ASSERT_FALSE(embedded_step_folds().empty());
  for (const StepFold& fold : embedded_step_folds()) {
    EXPECT_FALSE(fold.sources.empty());
    ASSERT_EQ(fold.calibration.values.size(), embedded_step_calibration().values.size());
    for (const CalibratedValue& value : fold.calibration.values) EXPECT_GT(value.value, 0) << fold.id << value.id;
  }
}

TEST(StepCalibration, TheLastEntryThatHoldsWins) {
  const StepFrameworks& frameworks = StepFrameworks::embedded();
  const auto found = [&](std::string_view name, std::int64_t year, std::string_view notes) {
    return frameworks.find(name, year, notes).id;
  };
  EXPECT_EQ(found("Megatron-DeepSpeed", 2022, ""), "megatron-2022");
  EXPECT_EQ(found("Megatron-DeepSpeed", 2024, ""), "megatron-deepspeed");
  EXPECT_EQ(found("Megatron-Bridge / Megatron Core", 2025, "release 25.11; precision label BF16"), "nemo");
  EXPECT_EQ(found("Megatron-Bridge / Megatron Core", 2026, "release 26.04.01; x"), "nemo-26.02");
  EXPECT_EQ(found("Megatron-Bridge / Megatron Core", 2026, "release 26.08"), "nemo-26.06");
  EXPECT_EQ(found("torchtitan", 2024, "torch.compile + Float8 + AsyncTP"), "torchtitan-async");
  EXPECT_EQ(found("a framework of ours", 2026, ""), "generic");
  EXPECT_EQ(frameworks.with_recipe(StepFramework{.casts = "casts.te"}, "precision label MXFP8").casts, "casts.mx");
}

TEST(StepCalibration, FamiliesOfDevices) {
  EXPECT_EQ(embedded_step_calibration().family_of("H100 SXM 96GB"), "hopper");
  EXPECT_EQ(embedded_step_calibration().family_of("GB300"), "blackwell");
  EXPECT_EQ(embedded_step_calibration().family_of("another"), "another");
}

TEST(StepCalibration, MistakesAreLocated) {
  EXPECT_EQ(read_step_calibration("[[value]]\nid = \"x\"\nsource = \"s\"\n", "c.toml").error().found, "no prior");
  EXPECT_FALSE(read_step_calibration("[[value]]\nid = \"x\"\nprior = -1\nsource = \"s\"\n", "c.toml").ok());
  EXPECT_FALSE(StepFrameworks::read("", "f.toml").ok());
  const auto unknown = StepFrameworks::read("[[framework]]\nid = \"a\"\nlike = \"b\"\nsource = \"s\"\n", "f.toml");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().expected, "the id of an entry above");
}

TEST(StepCalibration, AFoldKeepsPriorsWhereItNamesNothing) {
  const StepCalibration whole = *read_step_calibration(
      "[[value]]\nid = \"x\"\nprior = 2\nvalue = 3\nsigma = 0.1\nsource = \"s\"\n"
      "[[value]]\nid = \"y\"\nprior = 5\nvalue = 6\nsigma = 0.1\nsource = \"s\"\n",
      "c.toml");
  const auto folds =
      *read_step_folds("[[fold]]\nid = \"lab\"\nsources = [\"a\"]\n[fold.values]\nx = 4\n", "f.toml", whole);
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_EQ(folds[0].calibration.values[0].value, 4);
  EXPECT_EQ(folds[0].calibration.values[1].value, 5);
}

}  // namespace
}  // namespace nameplate
