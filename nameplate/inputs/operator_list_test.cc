#include "nameplate/inputs/operator_list.h"

#include <gtest/gtest.h>

#include <string>

#include "nameplate/inputs/dimension_expression.h"

namespace nameplate {
namespace {

TEST(DimensionExpression, Values) {
  const DimensionTable d = {{"h", 768}, {"image_size", 32}};
  EXPECT_EQ(evaluate_dimension("12", d).value(), 12);
  EXPECT_EQ(evaluate_dimension(" 4 * h + 2 ", d).value(), 3074);
  EXPECT_EQ(evaluate_dimension("(image_size/2)*(image_size/2) - 1", d).value(), 255);
  EXPECT_EQ(evaluate_dimension("h / 3 / 2", d).value(), 128);
}

TEST(DimensionExpression, WhatIsWrong) {
  struct Case {
    std::string text;
    std::string found;
  };
  const std::vector<Case> cases = {
      {"", "no number or name where one is due"},
      {"2 *", "no number or name where one is due"},
      {"(2", "no ')' where one is due"},
      {"2 3", "'3' after the expression"},
      {"h / 5", "768 / 5 has a remainder"},
      {"h / 0", "a division by zero"},
      {"2 - 3", "a value of -1"},
      {"hh", "'hh' is no dimension"},
      {"99999999999999999999", "'99999999999999999999' is no whole number"},
      {"1000000 * 1000000 * 10", "a value of 10000000000000"},
      {std::string(40, '(') + "1" + std::string(40, ')'), "parentheses deeper than 32"},
  };
  for (const Case& c : cases) {
    const Result<std::int64_t> value = evaluate_dimension(c.text, {{"h", 768}});
    ASSERT_FALSE(value.ok()) << c.text;
    EXPECT_EQ(value.error().found, c.found) << c.text;
  }
}

Result<Architecture> read(const std::string& text) {
  const Result<Node> root = parse_toml(text, "run.toml");
  EXPECT_TRUE(root.ok()) << render(root.error());
  return read_operator_list(*root->find("model"), "run.toml");
}

TEST(OperatorList, UnitsBlocksAndOperators) {
  const Result<Architecture> model = read(R"(
[model]
name = "m"
unit = "atom"
length = "n"
[model.dimensions]
n = 10
[model.units]
edge = "4*n"
row = { length = "n", sequences = 3 }
[[model.blocks]]
id = "b"
repeat = 2
operators = [
  { id = "x", kind = "convolution", in = 4, out = 8, kernel = [3, 3], positions = ["n", 5], groups = 2, bias = true, unit = "sample" },
  { id = "y", kind = "attention", heads = 2, qk_dim = 4, mask = "band", window = 6, unit = "row", frozen = true },
  { id = "z", kind = "message", in = 16, out = 8, unit = "edge", role = "mlp" },
]
)");
  ASSERT_TRUE(model.ok()) << render(model.error());
  EXPECT_EQ(model->unit, "atom");
  EXPECT_EQ(model->default_length, 10);
  EXPECT_EQ(model->units, (std::vector<UnitLength>{{"edge", 40}, {"row", 10, 3}}));
  const std::vector<Operator>& ops = model->blocks.at(0).operators;
  EXPECT_EQ(std::get<ConvolutionShape>(ops[0].shape),
            (ConvolutionShape{.in = 4, .out = 8, .kernel = 9, .groups = 2, .positions = 50, .bias = true}));
  EXPECT_EQ(std::get<AttentionShape>(ops[1].shape).mask, (Mask{MaskKind::band, 6}));
  EXPECT_FALSE(ops[1].trainable);
  EXPECT_EQ(ops[2].role, OperatorRole::mlp);
}

TEST(OperatorList, WrongOperatorsAreLocated) {
  struct Case {
    std::string op;
    std::string found;
  };
  const std::vector<Case> cases = {
      {R"({ id = "x" })", "'kind' is missing"},
      {R"({ id = "x", kind = "matmull", in = 1, out = 1 })", "'kind' is 'matmull'"},
      {R"({ id = "x", kind = "matmul", in = 1 })", "'out' is missing"},
      {R"({ id = "x", kind = "matmul", in = 1, out = "q" })", "'out': 'q' is no dimension"},
      {R"({ id = "x", kind = "matmul", in = 1, out = 1, unit = "edge" })", "'edge' is no unit"},
      {R"({ id = "x", kind = "matmul", in = 1, out = 1, heads = 2 })", "unknown key 'heads'"},
      {R"({ id = "x", kind = "attention", heads = 1, qk_dim = 1, mask = "sliding" })",
       "a window without a mask that has one, or the other way round"},
      {R"({ id = "x", kind = "convolution", in = 3, out = 4, groups = 2 })", "2 groups of 3 and 4 channels"},
      {R"({ id = "x", kind = "convolution", in = 1000000000, out = 1000000000, kernel = 1000000000 })",
       "'x' would take more than 1e30 FLOPs for one sample"},
  };
  for (const Case& c : cases) {
    const Result<Architecture> model =
        read("[model]\n[[model.blocks]]\nid = \"b\"\noperators = [\n  " + c.op + "\n]\n");
    ASSERT_FALSE(model.ok()) << c.op;
    EXPECT_EQ(model.error().found, c.found);
    EXPECT_EQ(model.error().place.line, 5) << render(model.error());
  }
}

}  // namespace
}  // namespace nameplate
