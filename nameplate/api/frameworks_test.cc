#include "nameplate/api/frameworks.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Frameworks, EveryNameOfTheListHasTimeAndMemory) {
  for (const std::string& id : framework_ids()) {
    EXPECT_TRUE(step_framework_of(id).ok()) << id;
    EXPECT_TRUE(memory_facts_of(id).ok()) << id;
  }
}

// One framework under the name of either list or as it prints itself: NeMo is Megatron-Bridge, a release of torchtitan
// is torchtitan.
TEST(Frameworks, OneFrameworkWhateverItIsCalled) {
  EXPECT_EQ(memory_facts_of("nemo")->id, "megatron-bridge");
  EXPECT_EQ(memory_facts_of("Megatron-Bridge")->id, "megatron-bridge");
  EXPECT_TRUE(step_framework_of("megatron-bridge")->id.starts_with("nemo"));
  EXPECT_EQ(step_framework_of("torchtitan-2024")->id, "torchtitan");
  EXPECT_EQ(memory_facts_of("hai-llm")->id, "hai-llm");
  EXPECT_EQ(step_framework_of("hai-llm")->id, "hai-llm");
}

TEST(Frameworks, WhatOnlyOneListKnowsIsGenericInTheOther) {
  EXPECT_EQ(memory_facts_of("meta")->id, "generic");
  EXPECT_EQ(step_framework_of("meta")->id, "meta");
}

TEST(Frameworks, AnUnknownNameIsAnErrorInBoth) {
  for (const std::string_view name : {"torchtitn", "megatron-cor"}) {
    EXPECT_FALSE(step_framework_of(name).ok()) << name;
    ASSERT_FALSE(memory_facts_of(name).ok()) << name;
    EXPECT_NE(memory_facts_of(name).error().hint.find("did you mean"), std::string::npos);
  }
}

}  // namespace
}  // namespace nameplate
