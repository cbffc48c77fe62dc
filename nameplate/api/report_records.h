// The tables and notes about the cluster's records, and the goodput bins. Internal to api/.
#pragma once

#include "nameplate/api/load.h"
#include "nameplate/report/document.h"

namespace nameplate {

// "records", "record_events", "xid", "stuck_collectives", "fabric", "late_workers", "incidents", "metrics" and
// "record_facts", each where there is something to show; a note for each rank or worker that is named.
void add_records(const LoadedRun& run, Document& d);
// "goodput": the run's time in Google's bins, with Meta's ETTR beside it.
void add_goodput_table(const Measurement& m, Document& d);

}  // namespace nameplate
