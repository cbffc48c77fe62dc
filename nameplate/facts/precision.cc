#include "nameplate/facts/precision.h"

#include <array>
#include <string>
#include <utility>

#include "nameplate/core/check.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

// Lower case, without "torch." and "amp_" in front and "-mixed", "-true" behind.
constexpr std::pair<std::string_view, Precision> kSpellings[] = {
    {"fp64", Precision::fp64},
    {"float64", Precision::fp64},
    {"double", Precision::fp64},
    {"64", Precision::fp64},
    {"fp32", Precision::fp32},
    {"float32", Precision::fp32},
    {"float", Precision::fp32},
    {"single", Precision::fp32},
    {"32", Precision::fp32},
    {"tf32", Precision::tf32},
    {"tensorfloat32", Precision::tf32},
    {"bf16", Precision::bf16},
    {"bfloat16", Precision::bf16},
    {"fp16", Precision::fp16},
    {"float16", Precision::fp16},
    {"half", Precision::fp16},
    {"16", Precision::fp16},
    {"fp8", Precision::fp8},
    {"float8", Precision::fp8},
    {"float8_e4m3fn", Precision::fp8},
    {"float8_e5m2", Precision::fp8},
    {"e4m3", Precision::fp8},
    {"e5m2", Precision::fp8},
    {"mxfp8", Precision::fp8},
    {"int8", Precision::int8},
    {"fp4", Precision::fp4},
    {"float4", Precision::fp4},
    {"nvfp4", Precision::fp4},
    {"mxfp4", Precision::fp4},
    {"float4_e2m1fn_x2", Precision::fp4},
};

}  // namespace

std::string_view name(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return "fp64";
    case Precision::fp32:
      return "fp32";
    case Precision::tf32:
      return "tf32";
    case Precision::bf16:
      return "bf16";
    case Precision::fp16:
      return "fp16";
    case Precision::fp8:
      return "fp8";
    case Precision::int8:
      return "int8";
    case Precision::fp4:
      return "fp4";
  }
  NAMEPLATE_CHECK(false);
}

std::optional<Precision> parse_precision(std::string_view text) {
  std::string lower = to_lower(trim(text));
  std::string_view word = lower;
  for (std::string_view front : {"torch.", "jnp.", "amp_"}) {
    if (word.starts_with(front)) word.remove_prefix(front.size());
  }
  for (std::string_view back : {"-mixed", "_mixed", "-true"}) {
    if (word.ends_with(back)) word.remove_suffix(back.size());
  }
  for (const auto& [spelling, precision] : kSpellings) {
    if (word == spelling) return precision;
  }
  return std::nullopt;
}

}  // namespace nameplate
