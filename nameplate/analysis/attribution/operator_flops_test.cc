#include "nameplate/analysis/attribution/operator_flops.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

using Dims = std::vector<std::vector<std::int64_t>>;

struct Case {
  std::string name;
  Operands operands;
  double flops;
};

TEST(OperatorFlops, CountsMultiplyAndAdd) {
  const std::vector<Case> cases = {
      {"aten::mm", {{{8, 16}, {16, 4}}, {}, {}}, 2.0 * 8 * 16 * 4},
      {"aten::addmm", {{{4}, {8, 16}, {16, 4}}, {}, {}}, 2.0 * 8 * 16 * 4},
      {"aten::bmm", {{{3, 8, 16}, {3, 16, 4}}, {}, {}}, 2.0 * 3 * 8 * 16 * 4},
      {"aten::linear", {{{2, 8, 16}, {4, 16}, {4}}, {}, {}}, 2.0 * 2 * 8 * 16 * 4},
      {"aten::matmul", {{{2, 8, 16}, {16, 4}}, {}, {}}, 2.0 * 2 * 8 * 16 * 4},
      // Tokens meet one expert each: the expert's dimension adds nothing.
      {"aten::_grouped_mm", {{{100, 16}, {8, 16, 4}}, {}, {}}, 2.0 * 100 * 16 * 4},
      // ResNet's first layer: 112 x 112 outputs of 7 x 7 x 3 filters.
      {"aten::conv2d",
       {{{32, 3, 224, 224}, {64, 3, 7, 7}, {}, {}, {}, {}, {}}, {}, {"", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"}},
       2.0 * 32 * 112 * 112 * 64 * 3 * 7 * 7},
      {"aten::convolution_backward",
       {{{10, 512, 7, 7}, {10, 512, 7, 7}, {512, 512, 3, 3}},
        {},
        {"", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, False]"}},
       2.0 * 10 * 512 * 7 * 7 * 512 * 3 * 3},
      // 16 sequences, 16 heads of 64, 559 tokens, causal: half of the pairs.
      {"aten::scaled_dot_product_attention",
       {{{16, 16, 559, 64}, {16, 16, 559, 64}, {16, 16, 559, 64}},
        {},
        {"", "", "", "", "0.", "True", "0.125", "False"}},
       0.5 * 2 * 16 * 16 * 559.0 * 559 * (64 + 64)},
      // Grouped queries: the keys' heads are fewer and play no part.
      {"aten::_scaled_dot_product_flash_attention",
       {{{1, 8, 128, 64}, {1, 2, 256, 64}, {1, 2, 256, 32}}, {}, {"", "", "", "0.", "False", "False", ""}},
       2.0 * 8 * 128 * 256 * (64 + 32)},
      {"flash_attn::_flash_attn_forward",
       {{{1, 128, 8, 64}, {1, 256, 2, 64}, {1, 256, 2, 32}}, {}, {"", "", "", "0.", "0.1", "False"}},
       2.0 * 8 * 128 * 256 * (64 + 32)},
  };
  for (const Case& c : cases) {
    const auto work = operator_work(c.name, c.operands);
    ASSERT_TRUE(work) << c.name;
    EXPECT_DOUBLE_EQ(work->flops, c.flops) << c.name;
  }
}

TEST(OperatorFlops, ReadsThePrecisionOfTheFirstMatrix) {
  EXPECT_EQ(operator_work("aten::addmm", {{{4}, {8, 16}, {16, 4}}, {"float", "c10::BFloat16", "c10::BFloat16"}, {}})
                ->precision,
            Precision::bf16);
  EXPECT_EQ(operator_work("aten::_scaled_mm", {{{8, 16}, {16, 4}}, {"c10::Float8_e4m3fn", "c10::Float8_e4m3fn"}, {}})
                ->precision,
            Precision::fp8);
  EXPECT_EQ(operator_work("aten::mm", {{{8, 16}, {16, 4}}, {"float", "float"}, {}})->precision, Precision::fp32);
}

TEST(OperatorFlops, SaysWhetherAttentionIsCausal) {
  const Operands causal{{{1, 1, 8, 8}, {1, 1, 8, 8}, {1, 1, 8, 8}}, {}, {"", "", "", "", "0.", "True"}};
  const Operands full{causal.dims, {}, {"", "", "", "", "0.", "False"}};
  EXPECT_EQ(operator_work("aten::scaled_dot_product_attention", causal)->causal, true);
  EXPECT_EQ(operator_work("aten::scaled_dot_product_attention", full)->causal, false);
  EXPECT_FALSE(operator_work("aten::mm", {{{8, 16}, {16, 4}}, {}, {}})->causal);
}

TEST(OperatorFlops, SaysNothingWhereTheShapesDoNot) {
  EXPECT_FALSE(operator_work("aten::add", {{{8, 16}, {8, 16}}, {}, {}}));
  EXPECT_FALSE(operator_work("aten::mm", {{{8, 16}}, {}, {}}));
  EXPECT_FALSE(operator_work("aten::mm", {{}, {}, {}}));
  // Strides are not recorded before PyTorch 1.11; packed sequences have three dimensions.
  EXPECT_FALSE(operator_work("aten::conv2d", {{{32, 3, 224, 224}, {64, 3, 7, 7}}, {}, {}}));
  EXPECT_FALSE(operator_work("flash_attn::_flash_attn_forward",
                             {{{16384, 6, 128}, {16384, 6, 128}, {16384, 6, 128}}, {}, {"", "", "", "", "", "True"}}));
  // The batch is broadcast.
  EXPECT_FALSE(operator_work("aten::matmul", {{{1, 8, 16}, {3, 16, 4}}, {}, {}}));
  EXPECT_FALSE(operator_work("aten::mm", {{{-8, 16}, {16, 4}}, {}, {}}));
}

}  // namespace
}  // namespace nameplate
