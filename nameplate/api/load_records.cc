#include "nameplate/api/load_records.h"

#include "nameplate/analysis/records/join.h"
#include "nameplate/inputs/events.h"

namespace nameplate {
namespace {

void read_all(const std::vector<std::string>& paths, LoadedRun& run) {
  for (const std::string& path : paths) {
    Result<ClusterRecords> records = read_cluster_records(path);
    if (!records.ok()) {
      const std::string reason =
          records.error().found + (records.error().hint.empty() ? "" : "; ") + records.error().hint;
      add_defect(run.defects, {"records.refused", {{"file", path}, {"reason", reason}}}, Severity::error);
      continue;
    }
    for (const Defect& defect : records->defects)
      add_defect(run.defects, defect.message, defect.severity, defect.count);
    if (!records->used) {
      add_defect(run.defects, {"records.not_used", {{"file", path}, {"kind", records->kind}}}, Severity::info);
    }
    run.records.push_back(std::move(records).value());
  }
}

// The flight recorders tell together what none tells alone; the first dump's records carry the events.
void find_causes(LoadedRun& run) {
  std::vector<FlightRecord> dumps;
  ClusterRecords* first = nullptr;
  for (ClusterRecords& records : run.records) {
    const std::vector<LateWorker> late = find_late_workers(records.worker_times);
    run.late_workers.insert(run.late_workers.end(), late.begin(), late.end());
    if (!records.flight_record) continue;
    if (first == nullptr) first = &records;
    dumps.push_back(*records.flight_record);
  }
  run.stuck = find_stuck(dumps);
  if (first == nullptr) return;
  for (Event& event : stuck_events(run.stuck, first->file)) {
    if (event.begin_s && (!first->first_s || *event.begin_s < *first->first_s)) first->first_s = event.begin_s;
    if (event.begin_s && (!first->last_s || *event.begin_s > *first->last_s)) first->last_s = event.begin_s;
    first->events.push_back(std::move(event));
  }
}

}  // namespace

void load_records(const std::vector<std::string>& paths, LoadedRun& run) {
  read_all(paths, run);
  find_causes(run);
  if (!run.log || run.records.empty()) return;
  JoinedLog joined = join_records(*run.log, run.records);
  run.log = std::move(joined.log);
  run.assumptions.insert(run.assumptions.end(), joined.assumptions.begin(), joined.assumptions.end());
}

}  // namespace nameplate
