// What the cluster's own records say about a run: the scheduler's, the driver's, NCCL's, the exporters'.
//
// One file is one ClusterRecords. Times are seconds since 1970 as printed, so they share a clock with a log only if
// both were written in the same time zone; whoever joins them says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/maybe.h"
#include "nameplate/facts/defect.h"
#include "nameplate/facts/fabric.h"
#include "nameplate/facts/run.h"

namespace nameplate {

// An error that the GPU driver reported. `number` is absent where the driver prints a lost device without an Xid.
struct XidReport {
  std::optional<std::int64_t> number;
  std::string device;   // "PCI:0000:9b:00"
  std::string process;  // that was running on it, where printed
  Maybe time_s;
  Evidence evidence;
  bool operator==(const XidReport&) const = default;
};

// One sample of an exporter or counter file. Names and labels as the exporter has them.
struct Metric {
  std::string name;
  std::string subject;  // "gpu 0", "mlx5_0/1"; empty: the host
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
  Maybe time_s;
  bool operator==(const Metric&) const = default;
};

// What a metric is: of an exporter's HELP and TYPE lines, or of the list of fields that it is configured with.
struct MetricField {
  std::string name;
  std::string type;  // "gauge", "counter", …
  std::string meaning;
  bool operator==(const MetricField&) const = default;
};

// A collective in a flight recorder: what one rank put on a communicator's queue and had not seen end.
struct RecordedCollective {
  std::string group;            // name of the process group
  std::int64_t sequence = 0;    // n-th collective of the group
  std::string operation;        // "all_to_all"
  std::string input_sizes;      // "4096x5120"
  std::string dtype;            // "BFloat16"
  std::string state;            // "scheduled", "started", "completed"
  std::int64_t created_ns = 0;  // since 1970
  bool operator==(const RecordedCollective&) const = default;
};

// A process group as one rank knows it, and how far the rank is in it.
struct RecordedGroup {
  std::string name;
  std::string description;
  std::vector<std::int64_t> ranks;
  std::optional<std::int64_t> last_enqueued;
  std::optional<std::int64_t> last_completed;
  bool operator==(const RecordedGroup&) const = default;
};

// The flight recorder of one rank (torch.distributed, TORCH_NCCL_DUMP_ON_TIMEOUT).
struct FlightRecord {
  std::int64_t rank = 0;
  std::string nccl_version;
  std::vector<RecordedGroup> groups;
  std::vector<RecordedCollective> collectives;
  std::int64_t point_to_point = 0;  // sends and receives, which are not kept: they have no group-wide order
  bool operator==(const FlightRecord&) const = default;
};

// How long each worker's step took: rows of (time, worker, value).
struct WorkerTime {
  std::int64_t worker = 0;
  double time = 0;   // when, in the table's own unit
  double value = 0;  // step time, in the table's own unit
  bool operator==(const WorkerTime&) const = default;
};

// A count that a table states: interruptions of one kind.
struct IncidentCount {
  std::string kind;
  std::string category;
  std::int64_t count = 0;
  bool operator==(const IncidentCount&) const = default;
};

struct ClusterRecords {
  std::string file;
  std::string kind;           // "slurm-sacct", "kernel-log", …: the id of the format
  std::int64_t entries = 0;   // lines or rows that the format is about
  bool used = true;           // false: recognised, and nothing is made of it yet
  std::vector<Event> events;  // in the order of the file; attempt 0
  std::vector<XidReport> xids;
  std::vector<Metric> metrics;
  std::vector<MetricField> fields;
  std::vector<LogFact> facts;  // "nccl.version", "slurm.nodes.idle", …
  std::vector<WorkerTime> worker_times;
  std::vector<IncidentCount> incidents;
  std::optional<MeasuredFabric> fabric;
  std::optional<FlightRecord> flight_record;
  Maybe first_s, last_s;  // of all times in the file
  Defects defects;
};

}  // namespace nameplate
