#include "nameplate/api/report_tables.h"

#include <cmath>

#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

Cell cell(std::optional<double> value) { return value ? Cell(*value) : Cell(); }
Cell cell(Maybe value) { return value ? Cell(*value) : Cell(); }

}  // namespace

Table conventions_table(const RunFacts& facts, std::optional<double> tokens_per_s_per_gpu) {
  Table table{.id = "conventions",
              .columns = {{"convention", ""}, {"kind", ""}, {"attention", ""}, {"flops_per_token", "FLOP"}}};
  const bool rated = tokens_per_s_per_gpu.has_value();
  if (rated) table.columns.push_back({"tflops_per_s_per_gpu", "TFLOP/s"});
  if (rated && facts.peak) table.columns.push_back({"utilization_ratio", "1"});
  table.columns.insert(table.columns.end(), {{"formula", ""}, {"source", ""}});
  const bool recomputes_nothing = rated && facts.recompute_known && facts.recompute == Recompute::none;
  for (const Convention& convention : conventions()) {
    const auto flops = flops_per_token(facts, convention.id);
    if (!flops || (recomputes_nothing && convention.kind == FlopsKind::hardware)) continue;
    std::vector<Cell> row = {std::string(convention.id), std::string(name(convention.kind)),
                             std::string(convention.attention), *flops};
    if (rated) row.push_back(*flops * *tokens_per_s_per_gpu / 1e12);
    if (rated && facts.peak) row.push_back(*flops * *tokens_per_s_per_gpu / facts.peak->base());
    row.insert(row.end(), {Cell(std::string(convention.formula)), Cell(std::string(convention.source))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_conventions_table(const LoadedRun& run, const Measurement& m, Document& d) {
  Table table = conventions_table(run.facts, m.tokens_per_s_per_gpu);
  table.text_rows = 8;
  table.text_columns =
      table.columns.size() - 2;  // formulas and sources are long: on the page, and in catalog conventions
  if (!table.rows.empty()) d.tables.push_back(std::move(table));
}

void add_precisions_table(const LoadedRun& run, Document& d) {
  if (run.mix.empty()) return;
  Table table{.id = "precisions", .columns = {{"precision", ""}, {"share_ratio", "1"}, {"peak_tflops", "TFLOP/s"}}};
  for (const PrecisionPeak& part : run.mix) {
    table.rows.push_back({std::string(name(part.precision)), part.share_ratio, part.peak.base() / 1e12});
  }
  d.tables.push_back(std::move(table));
}

void add_claims_table(const Measurement& m, Document& d) {
  if (m.claims.empty()) return;
  // The notes say it in words; rows mix units, so the table is for machines.
  Table table{.id = "log_claims",
              .columns = {{"figure", ""},
                          {"claimed", ""},
                          {"recomputed", ""},
                          {"error_ratio", "1"},
                          {"convention", ""},
                          {"peak_tflops", ""}},
              .text_hidden = true};
  for (const ClaimCheck& c : m.claims) {
    const bool known = c.recomputed > 0;
    table.rows.push_back({c.figure, c.claimed, known ? Cell(c.recomputed) : Cell(),
                          known ? Cell(c.error_ratio) : Cell(), c.convention.empty() ? Cell() : Cell(c.convention),
                          c.peak_tflops > 0 ? Cell(c.peak_tflops) : Cell()});
  }
  d.tables.push_back(std::move(table));
}

void add_levels_table(const RunLog& log, const Measurement& m, Document& d) {
  if (m.change_points.empty()) return;
  Table table{.id = "levels",
              .columns = {{"first_step", ""}, {"last_step", ""}, {"rows", ""}, {"step_time_p50_s", "s"}},
              .text_rows = 12};
  std::vector<std::size_t> ends = m.change_points;
  ends.push_back(m.steady.size());
  std::size_t begin = 0;
  for (std::size_t end : ends) {
    std::vector<double> durations;
    for (std::size_t i = begin; i < end; ++i) durations.push_back(m.times.rows[m.steady[i]].duration_s);
    const auto step = [&](std::size_t i) { return Cell(Int128{log.steps[m.times.rows[m.steady[i]].row].index}); };
    table.rows.push_back(
        {step(begin), step(end - 1), Int128{static_cast<std::int64_t>(end - begin)}, median(durations)});
    begin = end;
  }
  d.tables.push_back(std::move(table));
}

void add_inputs_table(const LoadedRun& run, Document& d) {
  if (run.inputs.empty()) return;
  Table table{.id = "inputs", .columns = {{"key", ""}, {"value", ""}, {"origin", ""}, {"where", ""}}};
  for (const InputFact& fact : run.inputs)
    table.rows.push_back({fact.key, fact.value, std::string(name(fact.origin)), fact.detail});
  d.tables.push_back(std::move(table));
}

void add_steps_table(const RunLog& log, const RunFacts& facts, const Measurement& m, Document& d) {
  if (m.times.rows.empty()) return;
  Table table{.id = "steps",
              .columns = {{"attempt", ""},
                          {"step", ""},
                          {"line", ""},
                          {"class", ""},
                          {"step_time_s", "s"},
                          {"tokens_per_s_per_gpu", "token/s"},
                          {"mfu_ratio", "1"},
                          {"loss", ""}},
              .text_hidden = true};
  table.rows.reserve(m.times.rows.size());
  for (const TimedStep& row : m.times.rows) {
    const Step& step = log.steps[row.row];
    const bool timed = row.step_class != StepClass::invalid;
    const bool rated = timed && row.seconds_per_token.has_value();
    const std::optional<double> mfu =
        rated && m.flops_per_token && facts.peak
            ? std::optional(*m.flops_per_token / *row.seconds_per_token / facts.peak->base())
            : std::nullopt;
    table.rows.push_back({Int128{step.attempt + 1}, Int128{step.index}, Int128{step.line},
                          std::string(name(row.step_class)),
                          timed && !m.times.relative ? Cell(step.duration_s.value_or(row.duration_s)) : Cell(),
                          rated ? Cell(1 / *row.seconds_per_token) : Cell(), cell(mfu), cell(step.loss)});
  }
  d.tables.push_back(std::move(table));
  if (m.mfu_step)
    d.figures.push_back(
        {"mfu_over_steps", FigureKind::line, "steps", "step", {"mfu_ratio"}, {"figure.mfu_over_steps", {}}});
  if (m.step_time_s) {
    d.figures.push_back(
        {"step_time_over_steps", FigureKind::line, "steps", "step", {"step_time_s"}, {"figure.step_time", {}}});
    d.figures.push_back(
        {"step_time_histogram", FigureKind::histogram, "steps", "step_time_s", {}, {"figure.step_time_histogram", {}}});
  }
  if (m.run_ledger) {
    d.figures.push_back({"run_waterfall", FigureKind::waterfall, "ledger:run", "", {}, {"figure.run_waterfall", {}}});
  } else if (m.step_ledger) {
    d.figures.push_back(
        {"step_waterfall", FigureKind::waterfall, "ledger:step", "", {}, {"figure.step_waterfall", {}}});
  }
}

}  // namespace nameplate
