// The files below /sys/class/infiniband of a host, one row a file: path, tab, content.
//
//   mlx5_0/ports/1/counters/symbol_error	0
//   mlx5_0/ports/1/rate	400 Gb/sec (4X NDR)
//
// Numbers become metrics of "<device>/<port>", other contents facts. Counters run since the driver was loaded: a value
// above zero says that something has happened, not when. port_*_data counts in units of four bytes.
// Source: Linux, Documentation/ABI/stable/sysfs-class-infiniband.
#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

bool fits(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    return line.find('\t') != std::string_view::npos && line.find("/ports/") < line.find('\t');
  });
}

// "mlx5_0/1" of "mlx5_0/ports/1/counters/symbol_error"; "mlx5_0" of "mlx5_0/board_id".
std::string subject_of(const std::vector<std::string_view>& path) {
  std::string subject(path[0]);
  if (path.size() > 2 && path[1] == "ports") subject += "/" + std::string(path[2]);
  return subject;
}

Status read(const RecordInput& input, ClusterRecords& records) {
  const auto take = [&](std::string_view line, std::int64_t number) {
    const std::size_t tab = line.find('\t');
    if (trim(line).empty() || line.starts_with("path\t")) return;
    const std::vector<std::string_view> path = split(line.substr(0, tab), '/');
    if (tab == std::string_view::npos || path.size() < 2) {
      return add_defect(records.defects, {"records.unreadable_row", {{"file", records.file}}}, Severity::data_loss);
    }
    ++records.entries;
    const std::string_view content = trim(line.substr(tab + 1));
    if (const auto value = parse_number(content)) {
      records.metrics.push_back({std::string(path.back()), subject_of(path), {}, *value, {}});
    } else {
      add_record_fact(records, std::string(line.substr(0, tab)), std::string(content),
                      record_evidence(records, number, line));
    }
  };
  return read_record_lines(input, records, take);
}

}  // namespace

const RecordFormat kInfinibandFormat{"infiniband-counters", fits, read};

}  // namespace nameplate
