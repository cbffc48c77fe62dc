#include "nameplate/inputs/operator_formulas.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(OperatorFormulas, CountByTheDimensionsOfArguments) {
  OperatorFormulas formulas;
  const char* toml =
      "[[operator]]\nname = 'mylib::mlp'\nflops = '6 * a0_0 * a0_1 * a1_1'\n"
      "[[operator]]\nname = 'mylib::scan*'\nflops = 'a0_0 * (a0_1 / 4)'\n";
  ASSERT_FALSE(formulas.add(toml, "ops.toml"));
  const Operands operands{{{4096, 1024}, {1024, 8192}}, {}, {}};
  // 6 x 4096 x 1024 x 8192
  EXPECT_EQ(formulas.flops("mylib::mlp", operands), 206158430208.0);
  EXPECT_EQ(formulas.flops("mylib::scan_forward", operands), 4096.0 * 256);
  EXPECT_FALSE(formulas.flops("mylib::mlp2", operands));
  EXPECT_FALSE(formulas.flops("mylib::mlp", Operands{{{4096, 1024}}, {}, {}}));  // no second argument
}

TEST(OperatorFormulas, WrongFilesAreLocated) {
  struct Case {
    const char* toml;
    int line;
  };
  const Case cases[] = {{"x = 1", 0},
                        {"[[operator]]\nflops = \"1\"", 1},
                        {"[[operator]]\nname = \"a\"", 1},
                        {"[[operator]]\nname = \"a\"\nflops = \"2 * b0_0\"", 3},
                        {"[[operator]]\nname = \"a\"\nflops = \"2 * (a0_0\"", 3}};
  for (const Case& c : cases) {
    OperatorFormulas formulas;
    const Status bad = formulas.add(c.toml, "ops.toml");
    ASSERT_TRUE(bad) << c.toml;
    EXPECT_EQ(bad->place.file, "ops.toml");
    EXPECT_EQ(bad->place.line, c.line) << c.toml;
  }
}

}  // namespace
}  // namespace nameplate
