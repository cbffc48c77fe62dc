// load: from the files and flags that a user gives to the facts of one run, each with where it came from.
//
// For every fact the first of these that says it wins: a flag, the manifest, the model's configuration, the log's own
// banner, what follows from other facts (accelerators from the product of parallel degrees), an assumption that is
// printed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/analysis/mfu/measure.h"
#include "nameplate/analysis/records/flight_recorder.h"
#include "nameplate/analysis/records/late_worker.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/hardware.h"
#include "nameplate/facts/provenance.h"
#include "nameplate/facts/records.h"
#include "nameplate/facts/run.h"
#include "nameplate/inputs/manifest.h"
#include "nameplate/inputs/runlog.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct LoadRequest {
  std::vector<std::string> paths;                             // files and folders; "-": standard input
  std::vector<std::pair<std::string, std::string>> settings;  // manifest keys set by flags, in order
  std::string data_directory;                                 // --data: overrides the embedded catalogue
  // Degrees or a count that a flag sets are a new plan: plan.dp of the manifest gives way and follows from them.
  bool replans = false;
  LogProgress progress;
  // While a growing log is followed ("-"): asked after each new row whether the run so far is wanted, and given it.
  std::function<bool()> wants_partial;
  std::function<void(const struct LoadedRun&)> on_partial;
};

// One line of the table "inputs": what is known, from where.
struct InputFact {
  std::string key;  // manifest key
  std::string value;
  Origin origin = Origin::assumed;
  std::string detail;
};

// A share of the FLOPs that runs in one precision, and the peak there.
struct PrecisionPeak {
  Precision precision = Precision::bf16;
  double share_ratio = 0;
  FlopsPerSecond peak;
};

struct LoadedRun {
  std::string name;
  bool from_files = true;  // false: figures typed in
  Manifest manifest;
  std::optional<RunLog> log;
  RunFacts facts;
  std::string model_name;
  std::string accelerator;  // SKU, or the names that it may be
  Precision precision = Precision::bf16;
  std::vector<PrecisionPeak> mix;  // when operators run in several; facts.peak is weighted then
  std::string peak_source;
  std::string achievable_source;
  std::vector<InputFact> inputs;
  std::vector<std::string> traces;  // files
  std::optional<Document> trace;    // what `trace` makes of them
  std::vector<ClusterRecords> records;
  std::vector<StuckCollective> stuck;  // found in the flight recorders among the records
  std::vector<LateWorker> late_workers;
  std::vector<Assumption> assumptions;
  Defects defects;
};

Result<LoadedRun> load(const LoadRequest& request);

}  // namespace nameplate
