// trace: profiler traces of one or many ranks as a Document: where every accelerator-second of their steps went,
// kernels, collectives, findings, and how far each number can be trusted.
//
// Values unattributed_ratio, unmodelled_flops_ratio, unclassified_ratio and, where peak and FLOPs are known,
// mfu_step_ratio; ledger "step"; tables ranks, trace_steps, kernels, collectives. An accelerator is taken from the
// trace's own device name unless one is stated; a model and batch stated give model FLOPs where shapes do not.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/analysis/mfu/measure.h"
#include "nameplate/core/executor.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/fabric.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct TraceRequest {
  std::vector<std::string> paths;                             // files, folders, globs; "-": standard input
  std::vector<std::pair<std::string, std::string>> settings;  // manifest keys set by flags
  std::string data_directory;                                 // --data
  std::vector<std::string> kernel_rules;                      // files of kernel classes of the user's own
  std::vector<std::string> operator_formulas;                 // files of FLOPs of the user's own operators
  std::string timeline;                                       // file to write the attributed timeline to; empty: none
  int threads = 0;                                            // 0: the machine's
  // Called when a file is done, from any thread, one at a time: so many of so many files are.
  std::function<void(std::size_t done, std::size_t total)> progress;
  const Executor* executor = nullptr;    // what the files are spread over; null: threads alone
  std::optional<MeasuredFabric> fabric;  // to compare the bandwidth of collectives with
  std::optional<RunFacts> run;           // known of the run beside them: wins over the settings
};

Result<Document> explain_traces(const TraceRequest& request);

}  // namespace nameplate
