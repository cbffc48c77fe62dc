// The cluster's records on the clock of a run: their events become events of the log, so that the run's ledger can
// quote them.
//
// A file takes part when its times overlap the log's, give or take ten minutes (what killed a run is often written
// after the log's last line). Both clocks are taken to be in one time zone, and that is said: a log prints no zone. Of
// several jobs in a scheduler's accounting the one that shares the most time with the log is the run's. Each event is
// put behind the last step that ended before it. What does not overlap stays in the records and is listed only.
#pragma once

#include <vector>

#include "nameplate/analysis/records/flight_recorder.h"
#include "nameplate/facts/records.h"
#include "nameplate/facts/run.h"

namespace nameplate {

struct JoinedLog {
  RunLog log;
  std::int64_t events_joined = 0;
  std::vector<Assumption> assumptions;
};

JoinedLog join_records(const RunLog& log, const std::vector<ClusterRecords>& records);
// What the flight recorders found, as events at the moment at which the others began to wait.
std::vector<Event> stuck_events(const std::vector<StuckCollective>& stuck, const std::string& file);

}  // namespace nameplate
