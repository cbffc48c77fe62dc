// What-ifs of a prediction: before and after, and over ranges. Internal to api/.
#pragma once

#include <vector>

#include "nameplate/api/predict.h"
#include "nameplate/api/predict_run.h"
#include "nameplate/api/what_if.h"

namespace nameplate {

// "what_if": without the settings and with them.
Table what_if_table(const Prediction& before, const Prediction& after);

struct SplitSettings {
  Settings plain;
  std::vector<ValueRange> ranges;
};
Result<SplitSettings> split_settings(const Settings& settings);

// `settings` on top of the request's files. Degrees that they set make plan.dp follow.
Result<LoadedRun> load_plan(const PredictRequest& request, const Settings& settings);

// The table "range": one row for each combination of the ranges' values; what cannot be says why.
Result<Document> predict_ranges(const PredictRequest& request, const SplitSettings& split, const Catalogue& catalogue);

}  // namespace nameplate
