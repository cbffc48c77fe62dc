// validate: predictions against measured runs that others published, as an error table.
#pragma once

#include <string>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct ValidateRequest {
  std::string what = "step_time";  // or "memory"
  bool fit = false;                // step_time: propose calibration values from the table itself
  bool anchor = false;             // step_time: scale by a setup's own other runs
  std::string runs;                // a table of published runs (inputs/published_runs.h)
  std::string data_directory;      // --data
};

// Values rows_total, rows_eligible (a measured figure that may decide), rows_predicted (of those) and rows_left_out
// (the rest of the table, by reason in "left_out"); error_median_ratio, error_mean_ratio, error_p90_ratio (absolute)
// and bias_ratio (the median, signed) over distinct configurations; table "errors".
Result<Document> validate(const ValidateRequest& request);

}  // namespace nameplate
