// Tables about clusters, as comma-separated values, known by their header:
//
//   date,kind,lost_h,detail                          incidents of one run, with the time lost where stated
//   component,category,interruptions,…               counts of interruptions by cause
//   quantity,value,source                            facts of one run, kept as they stand
//   …,worker,…,time,…                                step times of each worker (Alibaba PAI mini-batch times)
//   DCGM_FI_DEV_SM_CLOCK, gauge, SM clock …          the fields that dcgm-exporter is configured to publish
//
// and cluster traces that nothing is made of yet (jobs, pods and nodes of a fleet): recognised, counted, said so.
#include <array>

#include "nameplate/core/csv.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

std::string_view first_line(std::string_view head) { return trim(head.substr(0, head.find('\n'))); }

Result<CsvTable> read_table(const RecordInput& input) {
  NAMEPLATE_TRY(const std::string text, input.text());
  return parse_csv(text, input.name());
}

std::string_view cell(const CsvTable& table, const CsvRow& row, std::string_view column) {
  const auto index = table.column(column);
  return index ? trim(row.cells[*index]) : std::string_view();
}

Evidence row_evidence(const ClusterRecords& records, const CsvRow& row) {
  std::string quote;
  for (const std::string& cell : row.cells) quote += (quote.empty() ? "" : ",") + cell;
  return record_evidence(records, row.line, quote);
}

// Incidents.

struct IncidentWord {
  std::string_view word;  // that the kind begins with
  EventClass event_class;
};
constexpr IncidentWord kIncidents[] = {{"start", EventClass::start},        {"gpu_crash", EventClass::failure},
                                       {"node_crash", EventClass::failure}, {"hang", EventClass::collective_stuck},
                                       {"slow", EventClass::straggler},     {"restart", EventClass::restart}};

bool fits_incidents(std::string_view head) { return first_line(head).starts_with("date,kind,lost_h"); }

Status read_incidents(const RecordInput& input, ClusterRecords& records) {
  NAMEPLATE_TRY(const CsvTable table, read_table(input));
  for (const CsvRow& row : table.rows) {
    ++records.entries;
    Event event;
    const std::string_view kind = cell(table, row, "kind");
    for (const IncidentWord& known : kIncidents) {
      if (kind.starts_with(known.word)) event.event_class = known.event_class;
    }
    event.begin_s = parse_record_time(std::string(cell(table, row, "date")) + " 00:00:00");
    if (const auto hours = parse_number(cell(table, row, "lost_h"))) event.duration_s = *hours * 3600;
    event.evidence = row_evidence(records, row);
    add_record_event(records, std::move(event));
  }
  return std::nullopt;
}

// Counts of interruptions.

bool fits_interruptions(std::string_view head) {
  return first_line(head).starts_with("component,category,interruptions");
}

Status read_interruptions(const RecordInput& input, ClusterRecords& records) {
  NAMEPLATE_TRY(const CsvTable table, read_table(input));
  for (const CsvRow& row : table.rows) {
    const auto count = parse_integer(cell(table, row, "interruptions"));
    if (!count || *count < 0) {
      add_defect(records.defects, {"records.unreadable_row", {{"file", records.file}}}, Severity::data_loss);
      continue;
    }
    ++records.entries;
    records.incidents.push_back(
        {std::string(cell(table, row, "component")), std::string(cell(table, row, "category")), *count});
  }
  return std::nullopt;
}

// Facts.

bool fits_quantities(std::string_view head) { return first_line(head) == "quantity,value,source"; }

Status read_quantities(const RecordInput& input, ClusterRecords& records) {
  NAMEPLATE_TRY(const CsvTable table, read_table(input));
  for (const CsvRow& row : table.rows) {
    ++records.entries;
    add_record_fact(records, cell(table, row, "quantity"), std::string(cell(table, row, "value")),
                    row_evidence(records, row));
  }
  return std::nullopt;
}

// Step times of workers.

bool has_column(std::string_view header, std::string_view name) {
  for (const std::string_view column : split(header, ',')) {
    if (trim(column) == name) return true;
  }
  return false;
}

bool fits_worker_times(std::string_view head) {
  const std::string_view header = first_line(head);
  return has_column(header, "worker") && has_column(header, "time") && has_column(header, "batch_time_norm");
}

Status read_worker_times(const RecordInput& input, ClusterRecords& records) {
  NAMEPLATE_TRY(const CsvTable table, read_table(input));
  for (const CsvRow& row : table.rows) {
    const auto worker = parse_integer(cell(table, row, "worker"));
    const auto time = parse_number(cell(table, row, "time"));
    const auto value = parse_number(cell(table, row, "batch_time_norm"));
    if (!worker || !time || !value || *value < 0) {
      add_defect(records.defects, {"records.unreadable_row", {{"file", records.file}}}, Severity::data_loss);
      continue;
    }
    ++records.entries;
    records.worker_times.push_back({*worker, *time, *value});
  }
  return std::nullopt;
}

// Fields of dcgm-exporter: no header, "#" comments, three cells.

bool is_field_line(std::string_view line) {
  const std::string_view text = trim(line);
  return text.starts_with("DCGM_") && split(text, ',').size() >= 3;
}

bool fits_dcgm_fields(std::string_view head) { return any_line(head, is_field_line); }

Status read_dcgm_fields(const RecordInput& input, ClusterRecords& records) {
  const auto take = [&](std::string_view line, std::int64_t) {
    if (!is_field_line(line)) return;
    ++records.entries;
    const std::string_view text = trim(line);
    const std::size_t first = text.find(',');
    const std::size_t second = text.find(',', first + 1);
    records.fields.push_back({std::string(trim(text.substr(0, first))),
                              std::string(trim(text.substr(first + 1, second - first - 1))),
                              std::string(trim(text.substr(second + 1)))});
  };
  return read_record_lines(input, records, take);
}

// Traces of fleets.

constexpr std::array<std::string_view, 5> kTraceHeaders = {
    "sn,cpu_milli,memory_mib,gpu,model",                    // Alibaba openb, nodes
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli",          // Alibaba openb, pods
    "instance_sn,role,app_name,",                           // Alibaba, disaggregated DLRM
    "id,job_num,cpu_job_num,gpu_job_num,avg_run_time_gpu",  // Acme, summary of clusters
    ",0,1,2,3,4,5,6,7,8,9,"};                               // Alibaba PAI, spread between workers by job

bool fits_trace_tables(std::string_view head) {
  for (const std::string_view header : kTraceHeaders) {
    if (first_line(head).starts_with(header)) return true;
  }
  return false;
}

Status read_trace_tables(const RecordInput& input, ClusterRecords& records) {
  records.used = false;
  const auto take = [&](std::string_view line, std::int64_t number) {
    records.entries += number > 1 && !trim(line).empty() ? 1 : 0;
  };
  return read_record_lines(input, records, take);
}

}  // namespace

const RecordFormat kIncidentsFormat{"incident-table", fits_incidents, read_incidents};
const RecordFormat kInterruptionsFormat{"interruption-counts", fits_interruptions, read_interruptions};
const RecordFormat kQuantitiesFormat{"quantity-table", fits_quantities, read_quantities};
const RecordFormat kWorkerTimesFormat{"worker-times", fits_worker_times, read_worker_times};
const RecordFormat kDcgmFieldsFormat{"dcgm-exporter-fields", fits_dcgm_fields, read_dcgm_fields};
const RecordFormat kTraceTablesFormat{"cluster-trace", fits_trace_tables, read_trace_tables};

}  // namespace nameplate
