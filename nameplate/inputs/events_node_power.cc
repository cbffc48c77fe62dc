// The power log of an MLPerf training node: MLLOG lines with a reading each second.
//
//   :::MLLOG {"time_ms": 1728513974000, "key": "power_reading", "value": 2822.0, "metadata": {"host": "0", …}}
//
// Readings are watts of the whole node as the meter shows them (AC side where measurement_type says so); conversion_eff
// is the share that reaches the components.
// Source: MLCommons, training_policies, power measurement; mlperf-logging, mllog.
#include "nameplate/core/node.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

constexpr std::string_view kMark = ":::MLLOG ";

bool fits(std::string_view head) {
  return head.find(kMark) != std::string_view::npos &&
         head.find("\"power_measurement_start\"") != std::string_view::npos;
}

std::string host_of(const Node& root) {
  const Node* host = root.find_path("metadata.host");
  return host == nullptr ? "" : std::string(host->as_string().value_or(""));
}

Status read(const RecordInput& input, ClusterRecords& records) {
  const auto take = [&](std::string_view line, std::int64_t number) {
    const std::size_t at = line.find(kMark);
    if (at == std::string_view::npos) return;
    ++records.entries;
    const Result<ParsedJson> json = parse_json(line.substr(at + kMark.size()), records.file);
    if (!json.ok()) {
      return add_defect(records.defects, {"records.unreadable_row", {{"file", records.file}}}, Severity::data_loss);
    }
    const Node& root = json->root;
    const Node* key = root.find("key");
    const Node* value = root.find("value");
    const Node* time = root.find("time_ms");
    Maybe time_s;
    if (time != nullptr && time->as_number()) time_s = *time->as_number() / 1e3;
    widen(records, time_s);
    const auto number_value = value == nullptr ? std::nullopt : value->as_number();
    if (key == nullptr || !number_value) return;
    if (key->string == "power_reading") {
      const std::string host = host_of(root);
      records.metrics.push_back({"node_power_w", host.empty() ? "" : "host " + host, {}, *number_value, time_s});
    } else {
      add_record_fact(records, "power." + key->string, std::to_string(*number_value),
                      record_evidence(records, number, line));
    }
  };
  return read_record_lines(input, records, take);
}

}  // namespace

const RecordFormat kNodePowerFormat{"mlperf-node-power", fits, read};

}  // namespace nameplate
