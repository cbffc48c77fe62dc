// What every kind of validation reports: rows counted, errors summed up. Internal to api/.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "nameplate/report/document.h"

namespace nameplate {

struct RowCounts {
  std::int64_t total = 0;
  std::int64_t eligible = 0;
  std::int64_t predicted = 0;
};

// rows_total, rows_eligible, rows_predicted, rows_left_out
void add_row_counts(const RowCounts& rows, Document& d);
// `errors` are predicted / measured - 1: error_median_ratio, error_mean_ratio and error_p90_ratio
// of their absolute values, and bias_ratio, their signed median. Nothing for no errors.
void add_error_values(std::span<const double> errors, Document& d);
// "left_out": rows by reason.
Table left_out_table(const std::map<std::string, std::int64_t>& left_out);

}  // namespace nameplate
