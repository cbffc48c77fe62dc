#include "nameplate/api/step_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace nameplate {
namespace {

// Reasons that say what a row lacks; with any other, the row is eligible and the model falls short.
constexpr std::array<std::string_view, 10> kNotEligible = {
    "not_gated", "out_of_memory", "no_step_time",       "no_dimensions",       "hybrid_layers",
    "no_layout", "no_batch",      "no_sequence_length", "unknown_accelerator", "no_latent_dimensions"};

bool lacks_facts(const std::string& reason) {
  for (const std::string_view each : kNotEligible) {
    if (reason == each) return true;
  }
  return false;
}

std::string fold_of(const PublishedRun& run, const std::vector<StepFold>& folds) {
  for (const StepFold& fold : folds) {
    for (const std::string& source : fold.sources) {
      if (source == run.source_id) return fold.id;
    }
  }
  return run.source_id;
}

std::string release_of(const std::string& notes) {
  const std::size_t at = notes.find("release ");
  return at == std::string::npos ? "" : notes.substr(at, notes.find(';', at) - at);
}

std::string job_of(const PublishedRun& run, const StepSetup& setup) {
  return fmt::format("{}|{}|s{} B{}|{} x {}|{}|{}", run.source_id, run.model_name, run.seq_len.value_or(0),
                     run.global_batch.value_or(0), setup.device.sku, run.accelerators.value_or(0),
                     name(setup.workload.precision), release_of(run.overlap_notes));
}

std::string plan_of(const PublishedRun& run, const StepSetup& setup) {
  const Plan& p = setup.plan;
  return fmt::format("tp{} pp{} v{} cp{} ep{} dp{} zero{}/{} sp{} b{}|{}|{}", p.tp, p.pp, p.virtual_pp, p.cp, p.ep,
                     p.dp, p.zero, p.dp_shard, p.sp, p.micro_batch, name(setup.workload.recompute), run.overlap_notes);
}

}  // namespace

StepRows step_rows(const PublishedRuns& runs, const StepKnowledge& knowledge, const std::vector<StepFold>& folds) {
  StepRows result;
  for (const PublishedRun& run : runs.runs) {
    std::variant<StepCase, std::string> made =
        run.gate ? step_case(run, knowledge) : std::variant<StepCase, std::string>(std::string("not_gated"));
    if (const auto* reason = std::get_if<std::string>(&made)) {
      result.eligible += lacks_facts(*reason) ? 0 : 1;
      result.left_out.emplace_back(&run, *reason);
      continue;
    }
    ++result.eligible;
    StepRow row{.run = &run, .step = std::get<StepCase>(std::move(made)), .fold = fold_of(run, folds)};
    row.job = job_of(run, row.step.setup);
    row.configuration = row.job + "|" + plan_of(run, row.step.setup);
    result.rows.push_back(std::move(row));
  }
  return result;
}

void fold_by_model_if_one_setup(StepRows& rows) {
  const auto elsewhere = [&](const StepRow& row) { return row.fold != rows.rows.front().fold; };
  if (rows.rows.empty() || std::any_of(rows.rows.begin(), rows.rows.end(), elsewhere)) return;
  for (StepRow& row : rows.rows) row.fold += ": " + row.run->model_name;
}

std::vector<MeasuredStep> StepRows::measured(const StepCalibration& calibration) const {
  const auto group = [](const StepRow& row) {
    return fmt::format("{}|{}|{}|{}", row.run->source_id, row.run->model_name, row.run->accelerator,
                       name(row.step.setup.workload.precision));
  };
  std::map<std::string, double> sizes;
  for (const StepRow& row : rows) ++sizes[group(row)];
  // A row whose plan or measurement rests on an assumption says less.
  const auto certainty = [](const StepRow& row) {
    constexpr double kAssumed = 0.4;
    const auto decides = [](const Assumption& each) {
      const auto& fact = std::get<std::string>(each.args.front().second);
      return fact.starts_with("plan.") || fact == "convention";
    };
    const std::vector<Assumption>& made = row.step.setup.assumptions;
    return std::any_of(made.begin(), made.end(), decides) ? kAssumed : 1.0;
  };
  std::vector<MeasuredStep> all;
  for (const StepRow& row : rows) {
    all.push_back({.setup = &row.step.setup,
                   .work = step_work(row.step.setup, calibration),
                   .measured = row.step.measured,
                   .weight = certainty(row) / std::sqrt(sizes[group(row)])});
  }
  return all;
}

}  // namespace nameplate
