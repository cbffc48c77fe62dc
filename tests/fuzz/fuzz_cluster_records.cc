// The readers of the cluster's records over the whole driver: detection and every format. The first byte picks the
// name, since a flight recorder's rank stands there only.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "nameplate/analysis/records/flight_recorder.h"
#include "nameplate/analysis/records/late_worker.h"
#include "nameplate/core/check.h"
#include "nameplate/inputs/events.h"

using namespace nameplate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto records = read_cluster_records(text, data[0] % 4 == 0 ? "notes" : "rank3.json");
  if (!records.ok()) {
    NAMEPLATE_CHECK(!render(records.error()).empty());
    return 0;
  }
  NAMEPLATE_CHECK(records->entries >= 0);
  NAMEPLATE_CHECK(!records->first_s || *records->first_s <= *records->last_s);
  for (const Metric& metric : records->metrics) NAMEPLATE_CHECK(std::isfinite(metric.value));
  for (const Event& event : records->events) NAMEPLATE_CHECK(event.evidence.quote.size() <= 200);
  if (records->fabric) {
    for (const FabricPoint& point : records->fabric->points) NAMEPLATE_CHECK(point.bus_bandwidth.base() >= 0);
  }
  find_late_workers(records->worker_times);
  if (records->flight_record) {
    // The dump and one of another rank that lacks its last entry: groups then have members that lag.
    FlightRecord other = *records->flight_record;
    other.rank = 1;
    if (!other.collectives.empty()) other.collectives.pop_back();
    for (const StuckCollective& stuck : find_stuck({*records->flight_record, other}))
      NAMEPLATE_CHECK(!stuck.ranks.empty());
  }
  return 0;
}
