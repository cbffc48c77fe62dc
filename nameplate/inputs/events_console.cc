// Console output that is no training log: NCCL's own lines, torch's watchdog and launchers. Asked for last, since any
// file may hold a line of NCCL's.
#include "nameplate/inputs/events_format.h"
#include "nameplate/inputs/launcher_lines.h"
#include "nameplate/inputs/nccl_lines.h"
#include "nameplate/inputs/runlog_prefix.h"

namespace nameplate {
namespace {

bool is_launcher_line(std::string_view line) {
  return line.find("Rendezvous complete for workers.") != std::string_view::npos ||
         line.find("restart_count=") != std::string_view::npos ||
         line.find(" failed (exitcode: ") != std::string_view::npos;
}

bool fits(std::string_view head) {
  return any_line(head, [](std::string_view line) { return is_nccl_line(line) || is_launcher_line(line); });
}

// What several ranks and the launcher say of one interruption, with nothing else in between, is one event.
void add_launcher_event(ClusterRecords& records, Event event, std::int64_t number, std::string_view line) {
  const bool repeated = event.event_class == EventClass::failure && !records.events.empty() &&
                        records.events.back().event_class == EventClass::failure;
  ++records.entries;
  if (repeated) return widen(records, event.begin_s);
  event.evidence = record_evidence(records, number, line);
  add_record_event(records, std::move(event));
}

Status read(const RecordInput& input, ClusterRecords& records) {
  NcclLines nccl(records);
  LauncherLines launcher;
  Status failure = read_record_lines(input, records, [&](std::string_view line, std::int64_t number) {
    const LinePrefix prefix = parse_line_prefix(line);
    if (nccl.take(line, number)) return widen(records, prefix.timestamp_s);
    auto event = launcher.read(prefix.text, prefix.timestamp_s);
    if (event) add_launcher_event(records, std::move(*event), number, line);
  });
  nccl.finish();
  return failure;
}

}  // namespace

const RecordFormat kConsoleFormat{"console", fits, read};

}  // namespace nameplate
