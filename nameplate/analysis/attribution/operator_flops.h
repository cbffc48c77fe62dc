// How many model FLOPs does one call of a framework's operator do, going by the shapes that the profiler recorded?
//
// A multiply-add counts two. Matrix product: 2 x elements of a x columns of b. Convolution: 2 x elements of the output
// x elements of one filter; backward the same for each of the two gradients asked for. Attention on [B, H, S, D]: 2 B H
// S S_k (D + D_v), half of it when causal, twice it backward (four products, of which the repeated first is not
// counted, DESIGN's convention). Attention over packed sequences has no count: the shapes leave the lengths out.
// Operators: PyTorch's native_functions.yaml, 1.8 to 2.9, and flash-attn 2 and 3.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/facts/precision.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct OperatorWork {
  double flops = 0;
  std::optional<Precision> precision;  // of the first matrix
  std::optional<bool> causal;          // of attention: whether half of the pairs were counted
  bool operator==(const OperatorWork&) const = default;
};

// FLOPs of a call by a formula that a user gives; nothing for operators that it does not know.
using OperatorFormula = std::function<std::optional<double>(std::string_view operator_name, const Operands& operands)>;

// Whether operators of this name do matrix work that is counted here.
bool has_flops_formula(std::string_view operator_name);
// Nothing when the name has no formula or what it needs is not recorded.
std::optional<OperatorWork> operator_work(std::string_view operator_name, const Operands& operands);
// The precision of the first argument whose recorded type is one.
std::optional<Precision> recorded_precision(const std::vector<std::string>& types);

// What a call of matrix work must touch, where its FLOPs are known.
struct MatrixTraffic {
  std::vector<std::size_t> read;  // arguments, each in full; of grouped products only the tokens
  double result_elements = 0;
};
std::optional<MatrixTraffic> matrix_traffic(std::string_view operator_name, const Operands& operands);

}  // namespace nameplate
