#include "nameplate/facts/precision.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(ParsePrecision, AsFrameworksSpellIt) {
  using enum Precision;
  for (auto [text, expected] : {std::pair{"bf16", bf16},
                                {"BFloat16", bf16},
                                {"torch.bfloat16", bf16},
                                {"bf16-mixed", bf16},
                                {"amp_bf16", bf16},
                                {"float16", fp16},
                                {"half", fp16},
                                {"16-true", fp16},
                                {"fp8", fp8},
                                {"mxfp8", fp8},
                                {"float8_e4m3fn", fp8},
                                {"nvfp4", fp4},
                                {"torch.float32", fp32},
                                {"32-true", fp32},
                                {"TF32", tf32},
                                {"double", fp64},
                                {"int8", int8}}) {
    EXPECT_EQ(parse_precision(text), expected) << text;
  }
  for (const char* text : {"", "bf", "fp12", "torch.", "nan"}) EXPECT_FALSE(parse_precision(text)) << text;
}

TEST(Precision, NamesParse) {
  for (auto precision : {Precision::fp64, Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp16,
                         Precision::fp8, Precision::int8, Precision::fp4}) {
    EXPECT_EQ(parse_precision(name(precision)), precision);
  }
}

}  // namespace
}  // namespace nameplate
