#include "nameplate/inputs/name_table.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(NameTable, NumbersTextsInOrderOfAppearance) {
  NameTable names;
  EXPECT_EQ(names.id("b"), 0);
  EXPECT_EQ(names.id(""), 1);
  EXPECT_EQ(names.id("b"), 0);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(names.id("kernel " + std::to_string(i)), i + 2);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(names.id("kernel " + std::to_string(i)), i + 2);
  EXPECT_EQ(names[1], "");
  EXPECT_EQ(names[4999], "kernel 4997");
  EXPECT_EQ(names.size(), 5002);
}

TEST(NameTable, AddsAnotherTable) {
  NameTable names, other;
  names.id("a");
  names.id("b");
  for (const char* text : {"c", "b", "d"}) other.id(text);
  EXPECT_EQ(names.add_all(other), (std::vector<std::int32_t>{2, 1, 3}));
  EXPECT_EQ(names[3], "d");
}

}  // namespace
}  // namespace nameplate
