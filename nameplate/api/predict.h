// predict: step time, memory and ledger of a run that has not happened, and what would change them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct PredictRequest {
  std::vector<std::string> paths;  // a manifest, or a folder with one
  // Manifest keys set by flags. A value may be a factor ("x10", of the catalogue's value where the manifest has none)
  // or a range ("4..32", "100 Gbit/s..800 Gbit/s"), which makes a table instead.
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> claims;  // what somebody promises (api/predict_claims.h)
  std::string data_directory;
};

// Values step_time_s, tokens_per_s_per_gpu, mfu_step_ratio, memory_peak_bytes, …; ledger "step"; tables "stages",
// "operators", "what_if" (with settings), "range" (with ranges), "claims", and those of the memory estimate.
Result<Document> predict(const PredictRequest& request);

// The schedule's events as Chrome JSON of Kineto's spelling: file name and content. One file with every stage as a
// device, or, where `path` ends in "/", one a stage, as ranks write them.
struct TimelineFile {
  std::string path;
  std::string text;
};
Result<std::vector<TimelineFile>> predict_timeline(const PredictRequest& request, const std::string& path);

}  // namespace nameplate
