#include "nameplate/inputs/trace_cut.h"

#include <algorithm>
#include <vector>

namespace nameplate {
namespace {

std::int64_t begin_of(const EventColumns& columns) {
  return columns.size() == 0 ? INT64_MAX : *std::min_element(columns.begin_ns.begin(), columns.begin_ns.end());
}

std::int64_t end_of(const EventColumns& columns) {
  std::int64_t end_ns = INT64_MIN;
  for (std::size_t i = 0; i < columns.size(); ++i) end_ns = std::max(end_ns, columns.end_ns(i));
  return end_ns;
}

}  // namespace

void keep_recorded_part(TraceEvents& events, const std::string& file, Defects& defects) {
  if (events.device.size() == 0) {
    return add_defect(defects, {"trace.device_lost", {{"file", file}}}, Severity::data_loss);
  }
  const std::int64_t end_ns = end_of(events.device), whole_end_ns = end_of(events.host);
  if (whole_end_ns <= end_ns) return;
  const std::int64_t begin_ns = std::min(begin_of(events.device), begin_of(events.host));
  std::vector<bool> kept;
  for (std::size_t i = 0; i < events.host.size(); ++i) kept.push_back(events.host.end_ns(i) <= end_ns);
  events.host.keep(kept);
  add_defect(defects,
             {"trace.window_cut",
              {{"file", file},
               {"kept", static_cast<double>(end_ns - begin_ns) / 1e9},
               {"whole", static_cast<double>(whole_end_ns - begin_ns) / 1e9}}},
             Severity::data_loss);
}

}  // namespace nameplate
