#include "nameplate/analysis/attribution/operator_bytes.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

struct Case {
  std::string name;
  Operands operands;
  double bytes;
};

// By hand: what is read once and what is written, elements times the bytes of their type.
TEST(OperatorBytes, AreALowerBound) {
  const std::string half = "c10::BFloat16";
  const std::vector<Case> cases = {
      {"aten::mm", {{{8, 16}, {16, 4}}, {half, half}, {}}, 2.0 * (8 * 16 + 16 * 4 + 8 * 4)},
      // The bias may be unused (beta = 0); fp8 in gives at least one byte an element out.
      {"aten::addmm", {{{4}, {8, 16}, {16, 4}}, {half, half, half}, {}}, 2.0 * (8 * 16 + 16 * 4 + 8 * 4)},
      // Of 8 experts only those with tokens are read.
      {"aten::_grouped_mm", {{{100, 16}, {8, 16, 4}}, {half, half}, {}}, 2.0 * (100 * 16 + 100 * 4)},
      {"aten::add", {{{8, 16}, {8, 16}, {}}, {half, half, "Scalar"}, {}}, 2.0 * 3 * 8 * 16},
      // A row is broadcast: it is read once, and the result is as large as the other argument.
      {"aten::mul", {{{8, 16}, {16}}, {half, half}, {}}, 2.0 * (8 * 16 + 16 + 8 * 16)},
      {"aten::add_", {{{8, 16}, {8, 16}, {}}, {"float", half, "Scalar"}, {}}, 8 * 16 * (4.0 + 2 + 4)},
      // Writes without reading.
      {"aten::fill_", {{{8, 16}, {}}, {"float", "Scalar"}, {}}, 4.0 * 8 * 16},
      // A cast reads two bytes an element and writes four.
      {"aten::copy_", {{{8, 16}, {8, 16}}, {"float", half}, {}}, 6.0 * 8 * 16},
      {"aten::mean", {{{8, 16}}, {"float"}, {}}, 4.0 * 8 * 16},
      // A table of 1000 rows of which 5 are picked: 5 indices of eight bytes, 5 rows written.
      {"aten::index_select", {{{1000, 64}, {}, {5}}, {half, "Scalar", "long int"}, {}}, 5 * 8.0 + 5 * 64 * 2.0},
      {"aten::embedding", {{{1000, 64}, {2, 5}}, {half, "long int"}, {}}, 10 * 8.0 + 10 * 64 * 2.0},
      {"aten::gather", {{{1000, 64}, {}, {5, 64}}, {half, "Scalar", "long int"}, {}}, 5 * 64 * (8.0 + 2.0)},
      // Attention on [2, 4, 128, 64], keys and values of 2 heads: q, k, v and a result like q.
      {"aten::scaled_dot_product_attention",
       {{{2, 4, 128, 64}, {2, 2, 128, 64}, {2, 2, 128, 64}}, {half, half, half}, {"", "", "", "", "", "True"}},
       2.0 * (2 * 4 + 2 * 2 + 2 * 2 + 2 * 4) * 128 * 64}};
  for (const Case& c : cases) {
    const auto bytes = operator_bytes(c.name, c.operands);
    ASSERT_TRUE(bytes) << c.name;
    EXPECT_DOUBLE_EQ(*bytes, c.bytes) << c.name;
  }
}

TEST(OperatorBytes, AreNotKnownOfOperatorsThatMayTouchAPart) {
  const std::string half = "c10::BFloat16";
  EXPECT_FALSE(operator_bytes("_C_cache_ops::reshape_and_cache_flash",
                              {{{888, 1, 64}, {4213816, 16, 1, 64}}, {half, half}, {}}));
  EXPECT_FALSE(operator_bytes("aten::add", {{{8, 16}, {8, 16}}, {half, "no type"}, {}}));
  EXPECT_FALSE(operator_bytes("aten::mm", {{{8, 16}}, {half}, {}}));
}

}  // namespace
}  // namespace nameplate
