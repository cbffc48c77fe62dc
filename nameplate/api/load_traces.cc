#include "nameplate/api/load_traces.h"

#include <fmt/format.h>

#include "nameplate/api/trace.h"

namespace nameplate {

void load_traces(const LoadRequest& request, LoadedRun& run) {
  if (run.traces.empty()) return;
  TraceRequest traces{
      .paths = run.traces, .settings = {}, .data_directory = request.data_directory, .kernel_rules = {}};
  if (!run.accelerator.empty()) traces.settings.emplace_back("cluster.accelerator", run.accelerator);
  if (run.facts.peak) traces.settings.emplace_back("cluster.peak", fmt::format("{} FLOP/s", run.facts.peak->base()));
  traces.run = run.facts;
  for (const ClusterRecords& records : run.records) {
    if (records.fabric) traces.fabric = records.fabric;
  }
  Result<Document> read = explain_traces(traces);
  if (read.ok()) {
    run.trace = std::move(read).value();
  } else {
    add_defect(run.defects, {"trace.unreadable_file", {{"reason", render(read.error())}}}, Severity::error);
  }
}

}  // namespace nameplate
