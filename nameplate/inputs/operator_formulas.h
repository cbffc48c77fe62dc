// How many FLOPs does a call of a user's own operator do? Tables in a TOML file:
//
//   [[operator]]
//   name = "mylib::fused_mlp"               # as the trace spells it; a * at the end stands for any rest
//   flops = "6 * a0_0 * a0_1 * a1_1"        # of one call: aI_J is dimension J of argument I, counted from 0
//
// Expressions are those of dimension_expression.h, up to 9e18. A call whose shapes lack a dimension that its formula
// names has no FLOPs of this file; the first operator whose name fits counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

class OperatorFormulas {
 public:
  // Adds the formulas of a file; an expression that cannot be read is a located Error.
  Status add(std::string_view toml, const std::string& file);
  bool empty() const { return formulas_.empty(); }
  std::optional<double> flops(std::string_view operator_name, const Operands& operands) const;

 private:
  struct Formula {
    std::string name;
    bool any_rest = false;
    std::string flops;
  };
  std::vector<Formula> formulas_;
};

}  // namespace nameplate
