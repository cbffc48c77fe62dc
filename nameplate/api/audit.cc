#include "nameplate/api/audit.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "nameplate/analysis/audit/audit.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/api/resolve.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/inputs/convention_notes.h"

namespace nameplate {
namespace {

// The peaks on which all devices that the name may mean agree; none, and a defect, for a device that is not known.
std::vector<Peak> peaks_of_device(const Catalogue& catalogue, const std::string& name, Defects& defects) {
  if (name.empty()) return {};
  const auto match = catalogue.resolve_accelerator(name);
  if (!match.ok()) {
    add_defect(defects, {"audit.unknown_device", {{"name", name}}}, Severity::info);
    return {};
  }
  std::vector<Peak> peaks = match->candidates.front()->peaks;
  std::erase_if(peaks, [&](const Peak& peak) {
    return !std::all_of(match->candidates.begin(), match->candidates.end(), [&](const Accelerator* device) {
      const Peak* theirs = find_peak(*device, peak.precision, peak.sparsity);
      return theirs != nullptr && theirs->rate == peak.rate;
    });
  });
  return peaks;
}

AuditRow audit_row(const PublishedRun& run, std::vector<Peak> peaks) {
  AuditRow row{.id = run.id,
               .source = run.source_id,
               .model = run.model_name,
               .frozen_weights = run.task == TrainingTask::lora,
               .recompute = run.plan.recompute,
               .seq_len = run.seq_len,
               .global_batch = run.global_batch,
               .accelerators = run.accelerators,
               .precision = run.precision,
               .peaks = std::move(peaks),
               .stated_peaks = peaks_in_notes(run.convention_notes),
               .degrees = {run.plan.tp, run.plan.pp, run.plan.virtual_pp, run.plan.dp, run.plan.cp, run.plan.ep,
                           run.plan.micro_batch},
               .step_time = run.measured.step_time,
               .tokens_per_s_per_gpu = run.measured.tokens_per_s_per_gpu,
               .flops_rate_per_gpu = run.measured.flops_rate_per_gpu,
               .mfu = run.measured.mfu,
               .hfu = run.measured.hfu};
  if (run.shape && !check(*run.shape)) row.shape = run.shape;
  return row;
}

Message sentence_of(const AuditRow& row, const Comparison& c) {
  Message message{fmt::format("audit.{}", name(c.verdict)),
                  {{"row", row.id},
                   {"figure", std::string(name(c.figure))},
                   {"stated", c.stated},
                   {"recomputed", c.recomputed},
                   {"convention", c.convention}}};
  if (c.verdict == AuditVerdict::step_time_tokens_mismatch) {
    message.args.emplace_back("batch", static_cast<double>(*row.global_batch) * c.stated / c.recomputed);
  }
  return message;
}

struct Audited {
  std::vector<AuditRow> rows;
  std::vector<RowAudit> audits;
};

Table audit_rows_table(const Audited& audited) {
  Table table{.id = "audit",
              .columns = {{"id", ""},
                          {"figure", ""},
                          {"stated", ""},
                          {"recomputed", ""},
                          {"error_ratio", "1"},
                          {"convention", ""},
                          {"verdict", ""}},
              .text_hidden = true};  // the notes say what is wrong
  for (const bool flagged : {true, false}) {
    for (std::size_t i = 0; i < audited.rows.size(); ++i) {
      for (const Comparison& c : audited.audits[i].comparisons) {
        if (is_flagged(c.verdict) != flagged) continue;
        const auto error = error_ratio(c);
        table.rows.push_back({audited.rows[i].id, std::string(name(c.figure)), c.stated, c.recomputed,
                              error ? Cell(*error) : Cell(), c.convention, std::string(name(c.verdict))});
      }
    }
  }
  return table;
}

// One a kind, in the order of AuditVerdict, with the lines of its rows as evidence.
std::vector<Finding> findings_by_kind(const PublishedRuns& table, const std::string& file, const Audited& audited) {
  std::map<AuditVerdict, std::vector<std::string>> lines;
  for (std::size_t i = 0; i < audited.rows.size(); ++i) {
    for (const Comparison& c : audited.audits[i].comparisons) {
      if (!is_flagged(c.verdict)) continue;
      lines[c.verdict].push_back(fmt::format("{}:{}: {}", file, table.runs[i].line, audited.rows[i].id));
    }
  }
  std::vector<Finding> findings;
  for (auto& [verdict, evidence] : lines) {
    findings.push_back({.message = {fmt::format("finding.audit_{}", name(verdict)),
                                    {{"count", static_cast<std::int64_t>(evidence.size())}}},
                        .evidence = std::move(evidence)});
  }
  return findings;
}

Value count_value(std::string id, std::int64_t count) {
  Value value;
  value.id = std::move(id);
  value.value = Int128{count};
  return value;
}

// `unread`: rows with cells that cannot be read.
void add_counts(const Audited& audited, std::int64_t unread, const std::string& file, Document& d) {
  std::int64_t flagged = 0, unchecked = unread;
  for (const RowAudit& row : audited.audits) {
    flagged += is_flagged(row) ? 1 : 0;
    unchecked += row.comparisons.empty() ? 1 : 0;
  }
  const std::int64_t total = std::ssize(audited.rows) + unread;
  d.title = {"audit.title", {{"file", file}, {"rows", total}, {"flagged", flagged}}};
  d.values = {count_value("rows_total", total), count_value("rows_consistent", total - flagged - unchecked),
              count_value("rows_flagged", flagged), count_value("rows_unchecked", unchecked)};
}

}  // namespace

Result<Document> audit_runs(const PublishedRuns& table, const std::string& file, const std::string& data_directory) {
  NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(data_directory));
  Document d;
  d.command = "mfu";
  d.defects = table.defects;
  Audited audited;
  for (const PublishedRun& run : table.runs) {
    audited.rows.push_back(audit_row(run, peaks_of_device(*catalogue, run.accelerator, d.defects)));
  }
  audited.audits = audit(audited.rows);
  add_counts(audited, std::ssize(table.left_out), file, d);
  for (std::size_t i = 0; i < audited.rows.size(); ++i) {
    for (const Comparison& c : audited.audits[i].comparisons) {
      if (is_flagged(c.verdict)) d.notes.push_back(sentence_of(audited.rows[i], c));
    }
  }
  d.tables.push_back(audit_rows_table(audited));
  d.findings = findings_by_kind(table, file, audited);
  return d;
}

Result<Document> audit_table(const AuditRequest& request) {
  NAMEPLATE_TRY(const std::string text, read_file(request.file));
  NAMEPLATE_TRY(const PublishedRuns table, read_published_runs(text, request.file));
  return audit_runs(table, request.file, request.data_directory);
}

}  // namespace nameplate
