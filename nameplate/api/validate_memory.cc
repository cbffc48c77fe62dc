#include "nameplate/api/validate_memory.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "nameplate/analysis/memory/estimate.h"
#include "nameplate/analysis/steptime/step_schedule.h"
#include "nameplate/api/published_memory.h"
#include "nameplate/api/validate_errors.h"
#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

// Rows of one configuration.
struct Configuration {
  const PublishedRun* first = nullptr;
  MemoryCase memory;
  std::vector<double> measured;  // bytes
  std::int64_t rows = 0;
  bool out_of_memory = false;

  Bytes predicted;
  std::optional<double> risk;
};

class MemoryValidation {
 public:
  MemoryValidation(const PublishedRuns& runs, const Catalogue& catalogue, const MemoryCalibration& calibration)
      : risk_facts_{calibration.risk_sigma_ratio, calibration.outside_allocator} {
    if (!runs.left_out.empty()) left_out["unreadable"] = std::ssize(runs.left_out);
    for (const PublishedRun& run : runs.runs) add(run, memory_case_if_due(run, catalogue, calibration));
  }

  std::vector<Configuration> configurations;
  std::map<std::string, std::int64_t> left_out;
  std::int64_t eligible = 0;
  std::int64_t predicted = 0;
  std::vector<std::pair<const PublishedRun*, std::string>> unpredicted;  // eligible or out of memory, with the reason

 private:
  using CaseOrReason = std::variant<MemoryCase, std::string>;

  static CaseOrReason memory_case_if_due(const PublishedRun& run, const Catalogue& catalogue,
                                         const MemoryCalibration& calibration) {
    const bool failed = run.outcome == RunOutcome::out_of_memory;
    if (!failed && !run.measured.memory_per_gpu) return std::string("no_measurement");
    if (!failed && !run.gate) return std::string("not_gated");
    return memory_case(run, catalogue, calibration);
  }

  void add(const PublishedRun& run, CaseOrReason case_or_reason) {
    const bool failed = run.outcome == RunOutcome::out_of_memory;
    const bool counts = !failed && run.gate && run.measured.memory_per_gpu;
    eligible += counts ? 1 : 0;
    if (const auto* reason = std::get_if<std::string>(&case_or_reason)) {
      ++left_out[failed ? "out_of_memory" : *reason];
      if (failed || counts) unpredicted.emplace_back(&run, *reason);
      return;
    }
    if (failed) ++left_out["out_of_memory"];
    predicted += counts ? 1 : 0;
    Configuration& c = find(run, std::get<MemoryCase>(std::move(case_or_reason)), failed);
    ++c.rows;
    if (run.measured.memory_per_gpu) c.measured.push_back(run.measured.memory_per_gpu->base());
  }

  Configuration& find(const PublishedRun& run, MemoryCase memory, bool failed) {
    for (Configuration& known : configurations) {
      if (known.memory.configuration == memory.configuration && known.out_of_memory == failed) return known;
    }
    Configuration c{.first = &run, .memory = std::move(memory), .out_of_memory = failed};
    const MemoryEstimate estimate = estimate_memory(c.memory.architecture, c.memory.workload, c.memory.plan,
                                                    c.memory.facts, peak_in_flight(plan_pipeline(c.memory.plan)));
    const StageMemory& peak = estimate.peak();
    c.predicted = c.memory.facts.prints_reserved ? peak.reserved() : peak.allocated();
    if (c.memory.capacity) c.risk = out_of_memory_risk(peak.reserved(), *c.memory.capacity, risk_facts_);
    configurations.push_back(std::move(c));
    return configurations.back();
  }

  MemoryRiskFacts risk_facts_;
};

Cell text_cell(std::string text) { return text.empty() ? Cell() : Cell(std::move(text)); }

Cell optional_cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

std::string outcome(bool out_of_memory) { return out_of_memory ? "oom" : "ok"; }

Table errors_table(const MemoryValidation& v) {
  Table table{.id = "errors",
              .columns = {{"id", ""},
                          {"source_id", ""},
                          {"fold", ""},
                          {"rows", ""},
                          {"measured", "B"},
                          {"predicted", "B"},
                          {"error_ratio", "1"},
                          {"outcome", ""},
                          {"risk_ratio", "1"},
                          {"reason", ""}}};
  for (const Configuration& c : v.configurations) {
    const std::optional<double> measured = c.measured.empty() ? std::nullopt : std::optional(median(c.measured));
    const bool scored = measured && !c.out_of_memory;
    table.rows.push_back({c.first->id, c.first->source_id, text_cell(scored ? "in-sample" : ""), Int128{c.rows},
                          optional_cell(measured), c.predicted.base(),
                          scored ? Cell(c.predicted.base() / *measured - 1) : Cell(), outcome(c.out_of_memory),
                          optional_cell(c.risk), text_cell(scored ? "" : "out_of_memory")});
  }
  for (const auto& [run, reason] : v.unpredicted) {
    const auto& measured = run->measured.memory_per_gpu;
    table.rows.push_back({run->id, run->source_id, Cell(), Int128{1}, measured ? Cell(measured->base()) : Cell(),
                          Cell(), Cell(), outcome(run->outcome == RunOutcome::out_of_memory), Cell(), reason});
  }
  return table;
}

void add_risk_values(const MemoryValidation& v, Document& d) {
  std::vector<double> all;
  std::optional<double> least_of_failed;
  for (const Configuration& c : v.configurations) {
    if (!c.risk) continue;
    all.push_back(*c.risk);
    if (c.out_of_memory) least_of_failed = std::min(least_of_failed.value_or(1), *c.risk);
  }
  if (all.empty()) return;
  d.add("risk_median_ratio", median(all), "1");
  d.add("risk_oom_least_ratio", least_of_failed, "1");
}

}  // namespace

Document validate_memory(const PublishedRuns& runs, const Catalogue& catalogue, const MemoryCalibration& calibration) {
  const MemoryValidation v(runs, catalogue, calibration);
  std::vector<double> errors;
  for (const Configuration& c : v.configurations) {
    if (!c.out_of_memory) errors.push_back(c.predicted.base() / median(c.measured) - 1);
  }
  Document d;
  d.command = "validate";
  d.title = {"validate.title",
             {{"what", std::string("memory")}, {"configurations", static_cast<std::int64_t>(errors.size())}}};
  add_row_counts({std::ssize(runs.runs) + std::ssize(runs.left_out), v.eligible, v.predicted}, d);
  Value configurations;
  configurations.id = "configurations_total";
  configurations.value = Int128{static_cast<std::int64_t>(errors.size())};
  d.values.push_back(std::move(configurations));
  add_error_values(errors, d);
  add_risk_values(v, d);
  d.tables.push_back(errors_table(v));
  d.tables.push_back(left_out_table(v.left_out));
  d.figures.push_back({.id = "errors",
                       .kind = FigureKind::scatter,
                       .table = "errors",
                       .x = "measured",
                       .y = {"predicted"},
                       .text = {"validate.figure.memory", {}}});
  d.defects = runs.defects;
  return d;
}

}  // namespace nameplate
