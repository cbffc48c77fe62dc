// What the NVLink fabric's own tools say: the log of NVIDIA's fabric manager, and `nvidia-smi nvlink --status`.
//
//   [Feb 25 2025 13:59:45] [INFO] [tid 1803] …       levels INFO, WARNING, ERROR, CRITICAL
//   GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-…)        then a line a link: "Link 0: 25 GB/s" or "Link 3: <inactive>"
//
// A fabric manager's ERROR or CRITICAL line is a device_error event of the node. The links of each GPU become metrics
// (GB/s per link and direction, summed), so that a GPU with fewer active links than its neighbours shows.
// Source: NVIDIA Fabric Manager User Guide (log levels, SXid reports), nvidia-smi(1), nvlink.
#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_manager_line(std::string_view line) { return line.starts_with("[") && line.find("] [tid ") != kNone; }

bool fits_manager(std::string_view head) { return any_line(head, is_manager_line); }

Status read_manager(const RecordInput& input, ClusterRecords& records) {
  const auto take = [&](std::string_view line, std::int64_t number) {
    if (!is_manager_line(line)) return;  // the continuation of a message
    ++records.entries;
    const Maybe time = parse_record_time(line.substr(1));
    widen(records, time);
    if (line.find("] [ERROR] [") == kNone && line.find("] [CRITICAL] [") == kNone) return;
    Event event;
    event.event_class = EventClass::device_error;
    event.scope = EventScope::node;
    event.subject = "NVLink fabric";
    event.begin_s = time;
    event.evidence = record_evidence(records, number, line);
    add_record_event(records, std::move(event));
  };
  return read_record_lines(input, records, take);
}

bool is_gpu_line(std::string_view line) { return line.starts_with("GPU ") && line.find("(UUID: GPU-") != kNone; }

bool fits_links(std::string_view head) { return any_line(head, is_gpu_line); }

// One GPU's links, summed as they are read.
struct GpuLinks {
  std::string gpu;
  std::string device;
  std::int64_t active = 0;
  std::int64_t inactive = 0;
  double bandwidth = 0;  // GB/s, one direction
};

void keep(const GpuLinks& links, ClusterRecords& records) {
  if (links.gpu.empty()) return;
  const std::string subject = "gpu " + links.gpu;
  const std::vector<std::pair<std::string, std::string>> labels = {{"device", links.device}};
  records.metrics.push_back({"nvlink_active_links", subject, labels, static_cast<double>(links.active), {}});
  records.metrics.push_back({"nvlink_inactive_links", subject, labels, static_cast<double>(links.inactive), {}});
  records.metrics.push_back({"nvlink_bandwidth_gb_per_s", subject, labels, links.bandwidth, {}});
}

Status read_links(const RecordInput& input, ClusterRecords& records) {
  GpuLinks links;
  const auto take = [&](std::string_view line, std::int64_t) {
    if (is_gpu_line(line)) {
      keep(links, records);
      const std::size_t colon = line.find(':');
      const std::size_t close = line.find(" (UUID");
      links = {std::string(line.substr(4, colon - 4)),
               colon < close ? std::string(trim(line.substr(colon + 1, close - colon - 1))) : ""};
      return;
    }
    const std::string_view text = trim(line);
    if (!text.starts_with("Link ") || text.find(": ") == kNone) return;
    ++records.entries;
    const auto speed = parse_leading_number(text.substr(text.find(": ") + 2));
    if (speed && speed->rest.starts_with(" GB/s")) {
      ++links.active;
      links.bandwidth += speed->value;
    } else {
      ++links.inactive;
    }
  };
  Status failure = read_record_lines(input, records, take);
  keep(links, records);
  return failure;
}

}  // namespace

const RecordFormat kFabricManagerFormat{"nvidia-fabricmanager", fits_manager, read_manager};
const RecordFormat kNvlinkFormat{"nvidia-smi-nvlink", fits_links, read_links};

}  // namespace nameplate
