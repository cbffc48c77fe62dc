#include "nameplate/api/validate_errors.h"

#include <cmath>
#include <vector>

#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

Value count_value(std::string id, std::int64_t count) {
  Value value;
  value.id = std::move(id);
  value.value = Int128{count};
  return value;
}

}  // namespace

void add_row_counts(const RowCounts& rows, Document& d) {
  d.values.push_back(count_value("rows_total", rows.total));
  d.values.push_back(count_value("rows_eligible", rows.eligible));
  d.values.push_back(count_value("rows_predicted", rows.predicted));
  d.values.push_back(count_value("rows_left_out", rows.total - rows.predicted));
}

void add_error_values(std::span<const double> errors, Document& d) {
  if (errors.empty()) return;
  std::vector<double> absolute;
  for (double error : errors) absolute.push_back(std::abs(error));
  d.add("error_median_ratio", median(absolute), "1");
  d.add("error_mean_ratio", mean(absolute), "1");
  d.add("error_p90_ratio", quantile(absolute, 0.9), "1");
  d.add("bias_ratio", median(errors), "1");
}

Table left_out_table(const std::map<std::string, std::int64_t>& left_out) {
  Table table{.id = "left_out", .columns = {{"reason", ""}, {"rows", ""}}};
  for (const auto& [reason, rows] : left_out) table.rows.push_back({reason, Int128{rows}});
  return table;
}

}  // namespace nameplate
