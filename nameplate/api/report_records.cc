#include "nameplate/api/report_records.h"

#include <chrono>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "nameplate/analysis/mfu/goodput.h"
#include "nameplate/inputs/xid_catalogue.h"

namespace nameplate {
namespace {

constexpr std::size_t kTextRows = 12;

Cell text(std::string value) { return value.empty() ? Cell() : Cell(std::move(value)); }

// "2025-02-23 16:24:18", as the file printed it.
Cell time(Maybe seconds) {
  constexpr double kMost = 253402300799.0;  // the last second of the year 9999
  if (!seconds || !(*seconds >= 0) || *seconds > kMost) return {};
  const auto whole = static_cast<std::int64_t>(std::floor(*seconds));
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{whole / 86400}}};
  const std::int64_t rest = whole % 86400;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), rest / 3600,
                     rest / 60 % 60, rest % 60);
}

std::string list(const std::vector<std::int64_t>& numbers) { return fmt::format("{}", fmt::join(numbers, ", ")); }

void add(Table table, Document& d) {
  if (!table.rows.empty()) d.tables.push_back(std::move(table));
}

void add_files(const LoadedRun& run, Document& d) {
  Table table{.id = "records",
              .columns = {{"file", ""}, {"kind", ""}, {"entries", ""}, {"events", ""}, {"first", ""}, {"last", ""}}};
  for (const ClusterRecords& r : run.records) {
    table.rows.push_back({r.file, r.kind, Int128{r.entries}, Int128{static_cast<std::int64_t>(r.events.size())},
                          time(r.first_s), time(r.last_s)});
  }
  add(std::move(table), d);
}

void add_events(const LoadedRun& run, Document& d) {
  Table table{.id = "record_events",
              .columns = {{"begin", ""}, {"end", ""}, {"class", ""}, {"subject", ""}, {"where", ""}, {"quote", ""}},
              .text_rows = kTextRows};
  for (const ClusterRecords& r : run.records) {
    for (const Event& event : r.events) {
      table.rows.push_back({time(event.begin_s), time(event.end_s), std::string(name(event.event_class)),
                            text(event.subject), fmt::format("{}:{}", event.evidence.file, event.evidence.line),
                            text(event.evidence.quote)});
    }
  }
  add(std::move(table), d);
}

struct XidCount {
  std::int64_t count = 0;
  Maybe first, last;
  std::string where;
};

// One row a number and device; a device that was lost without a number has none.
void add_xids(const LoadedRun& run, Document& d) {
  std::map<std::pair<std::optional<std::int64_t>, std::string>, XidCount> counts;
  for (const ClusterRecords& r : run.records) {
    for (const XidReport& report : r.xids) {
      XidCount& count = counts[{report.number, report.device}];
      if (count.count++ == 0) count.where = fmt::format("{}:{}", report.evidence.file, report.evidence.line);
      if (!count.first) count.first = report.time_s;
      if (report.time_s) count.last = report.time_s;
    }
  }
  Table table{.id = "xid",
              .columns = {{"xid", ""},
                          {"device", ""},
                          {"count", ""},
                          {"first", ""},
                          {"last", ""},
                          {"class", ""},
                          {"meaning", ""},
                          {"action", ""},
                          {"where", ""}}};
  for (const auto& [key, count] : counts) {
    constexpr std::int64_t kLost = 79;
    const auto meaning = find_xid(key.first.value_or(kLost));
    table.rows.push_back({key.first ? Cell(Int128{*key.first}) : Cell(), text(key.second), Int128{count.count},
                          time(count.first), time(count.last), meaning ? Cell(meaning->kind) : Cell(),
                          meaning ? Cell(meaning->name) : Cell(), meaning ? Cell(meaning->action) : Cell(),
                          count.where});
  }
  add(std::move(table), d);
}

void add_stuck(const LoadedRun& run, Document& d) {
  Table table{.id = "stuck_collectives",
              .columns = {{"state", ""},
                          {"ranks", ""},
                          {"waiting", ""},
                          {"group", ""},
                          {"operation", ""},
                          {"sequence", ""},
                          {"shape", ""},
                          {"dtype", ""},
                          {"since", ""}}};
  for (const StuckCollective& s : run.stuck) {
    table.rows.push_back({std::string(name(s.kind)), list(s.ranks), list(s.waiting),
                          fmt::format("{} {}", s.group, s.description), text(s.operation), Int128{s.sequence},
                          text(s.input_sizes), text(s.dtype), time(s.since_s)});
    d.notes.push_back({fmt::format("records.stuck_{}", name(s.kind)),
                       {{"ranks", list(s.ranks)},
                        {"operation", s.operation},
                        {"sequence", s.sequence},
                        {"group", s.description},
                        {"waiting", list(s.waiting)}}});
  }
  add(std::move(table), d);
}

void add_fabric(const LoadedRun& run, Document& d) {
  Table table{.id = "fabric",
              .columns = {{"file", ""},
                          {"collective", ""},
                          {"ranks", ""},
                          {"bytes", "B"},
                          {"dtype", ""},
                          {"in_place", ""},
                          {"time_s", "s"},
                          {"bus_bandwidth_gb_per_s", "GB/s"},
                          {"count", ""}},
              .text_rows = 2 * kTextRows};
  for (const ClusterRecords& r : run.records) {
    if (!r.fabric) continue;
    for (const FabricPoint& p : r.fabric->points) {
      table.rows.push_back({r.file, std::string(name(p.collective)),
                            r.fabric->ranks > 0 ? Cell(Int128{r.fabric->ranks}) : Cell(), p.size.base(), text(p.dtype),
                            std::string(p.in_place ? "yes" : "no"), p.time.base(), p.bus_bandwidth.base() / 1e9,
                            Int128{p.samples}});
    }
  }
  add(std::move(table), d);
}

void add_late_workers(const LoadedRun& run, Document& d) {
  Table table{
      .id = "late_workers",
      .columns = {{"worker", ""}, {"first", ""}, {"last", ""}, {"slowdown_ratio", ""}, {"over_others_ratio", ""}}};
  for (const LateWorker& late : run.late_workers) {
    table.rows.push_back({Int128{late.worker}, late.first, late.last, late.slowdown, late.over_others});
    d.notes.push_back(
        {"records.late_worker",
         {{"worker", late.worker}, {"first", late.first}, {"last", late.last}, {"slowdown", late.slowdown}}});
  }
  add(std::move(table), d);
}

void add_incidents(const LoadedRun& run, Document& d) {
  Table table{.id = "incidents", .columns = {{"cause", ""}, {"category", ""}, {"count", ""}, {"share_ratio", "1"}}};
  std::int64_t total = 0;
  for (const ClusterRecords& r : run.records) {
    for (const IncidentCount& incident : r.incidents) total += incident.count;
  }
  for (const ClusterRecords& r : run.records) {
    for (const IncidentCount& incident : r.incidents) {
      table.rows.push_back(
          {incident.kind, text(incident.category), Int128{incident.count},
           total > 0 ? Cell(static_cast<double>(incident.count) / static_cast<double>(total)) : Cell()});
    }
  }
  add(std::move(table), d);
}

// Metrics with what their exporter says that they are.
void add_metrics(const LoadedRun& run, Document& d) {
  Table table{.id = "metrics",
              .columns = {{"name", ""}, {"subject", ""}, {"value", ""}, {"meaning", ""}, {"file", ""}},
              .text_rows = kTextRows};
  std::map<std::string, std::string> meanings;
  for (const ClusterRecords& r : run.records) {
    for (const MetricField& field : r.fields) meanings.emplace(field.name, field.meaning);
  }
  for (const ClusterRecords& r : run.records) {
    for (const Metric& metric : r.metrics) {
      table.rows.push_back({metric.name, text(metric.subject), metric.value, text(meanings[metric.name]), r.file});
    }
  }
  add(std::move(table), d);
}

void add_facts(const LoadedRun& run, Document& d) {
  Table table{.id = "record_facts", .columns = {{"key", ""}, {"value", ""}, {"file", ""}}, .text_rows = kTextRows};
  for (const ClusterRecords& r : run.records) {
    for (const LogFact& fact : r.facts) table.rows.push_back({fact.key, fact.value, r.file});
  }
  add(std::move(table), d);
}

std::string row_names(const std::vector<LedgerRow>& rows) {
  std::string names;
  for (const LedgerRow row : rows) names += (names.empty() ? "" : ", ") + std::string(name(row));
  return names;
}

}  // namespace

void add_records(const LoadedRun& run, Document& d) {
  if (run.records.empty()) return;
  add_files(run, d);
  add_stuck(run, d);
  add_xids(run, d);
  add_late_workers(run, d);
  add_fabric(run, d);
  add_incidents(run, d);
  add_events(run, d);
  add_metrics(run, d);
  add_facts(run, d);
}

void add_goodput_table(const Measurement& m, Document& d) {
  if (!m.wall) return;
  const auto result = goodput(*m.wall);
  if (!result) return;
  d.add("goodput_ratio", result->goodput, "1");
  Table table{.id = "goodput", .columns = {{"bin", ""}, {"seconds", "s"}, {"share_ratio", "1"}, {"ledger_rows", ""}}};
  for (const GoodputBin& bin : result->bins) {
    table.rows.push_back(
        {std::string(bin.name), bin.seconds, bin.seconds / result->total_s, text(row_names(bin.rows))});
  }
  table.rows.push_back({std::string("total (Google)"), result->total_s, 1.0, {}});
  table.rows.push_back(
      {std::string("queue (not in Google's total)"), result->queue_s, {}, std::string(name(LedgerRow::queue))});
  table.rows.push_back({std::string("ETTR (Meta): PRODUCTIVE over total and queue"), {}, result->ettr, {}});
  d.tables.push_back(std::move(table));
}

}  // namespace nameplate
