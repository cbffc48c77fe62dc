// Tables of kernels or operators of two documents, joined by name. Internal to api/.
#pragma once

#include <optional>
#include <string_view>

#include "nameplate/report/document.h"

namespace nameplate {

// `per`: what each side's sums are divided by.
struct Join {
  std::string_view table, name_column, time_column;
  double per_a = 1, per_b = 1;
};

// The tables of one id, the largest change first; the first row is their total. Nothing where a side has no such table.
std::optional<Table> joined(const Document& a, const Document& b, const Join& join);

}  // namespace nameplate
