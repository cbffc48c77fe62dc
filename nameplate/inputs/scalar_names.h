// Which field of a step does a named scalar stand for? Metric stores (TensorBoard, Weights & Biases) hold numbers under
// names that each program chooses; the names of the common programs are known here, the manifest's columns name others.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/inputs/log_fields.h"

namespace nameplate {

class ScalarNames {
 public:
  ScalarNames() = default;  // the known names
  // The manifest's columns in their place.
  static Result<ScalarNames> from_columns(const std::vector<std::pair<std::string, LogColumn>>& columns);

  // Sets the field that `name` stands for, in its base unit; false when it stands for none. The first name seen for a
  // field keeps it: a log may hold both loss and train/loss.
  bool set(std::string_view name, double value, StepLine& step);
  // The field is `step`: the column that numbers the rows, where the store's own count is not meant.
  bool is_index(std::string_view name) const;
  const ClaimBasis& claims() const { return claims_; }

 private:
  std::vector<MappedColumn> columns_;            // empty: the known names
  std::array<std::string, kLogFields> names_{};  // by field, once seen
  ClaimBasis claims_;
};

}  // namespace nameplate
