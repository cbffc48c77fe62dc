// Number formats in which matrix units run; the key of every peak.
#pragma once

#include <optional>
#include <string_view>

namespace nameplate {

enum class Precision { fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4 };

std::string_view name(Precision precision);
// "bf16", "BFloat16", "bfloat16", "float16", "half", "float8", "nvfp4", "mxfp8", "torch.float32", …; nothing when
// unknown.
std::optional<Precision> parse_precision(std::string_view text);

}  // namespace nameplate
