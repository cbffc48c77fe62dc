// Simulated runs: how much one run's luck moves the figures, and what a run looks like on the way.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/analysis/resilience/event_path.h"
#include "nameplate/analysis/resilience/event_replications.h"
#include "nameplate/analysis/resilience/event_run.h"
#include "nameplate/api/survive_case.h"
#include "nameplate/core/check.h"
#include "nameplate/core/executor.h"

namespace nameplate {
namespace {

constexpr std::size_t kMostPoints = 1000;  // of the sample path
// A gap between the simulation and the closed forms that is worth a sentence.
constexpr double kWorthSaying = 0.005;

// So many failures are simulated in seconds; a job that fails oftener has fewer replications.
constexpr double kMostFailures = 2e7;
// Runs of which the mean stands for a closed form: one run's luck is a tenth of a point to a point.
constexpr std::uint32_t kFewestRuns = 100;

SimulationInput input_of(const SurviveCase& c, const FailureModel& failures, const LevelPlan& plan) {
  SimulationInput input;
  input.failures = failures;
  input.nodes = c.job.nodes;
  input.devices_per_node = c.job.devices_per_node;
  input.length = c.horizon;
  for (std::size_t l = 0; l < plan.every.size(); ++l) {
    input.failures.checkpoints[l].every = plan.interval * static_cast<double>(plan.every[l]);
  }
  return input;
}

void add_row(const char* figure, const FigureSpread& spread, double factor, Table& table) {
  table.rows.push_back(
      {std::string(figure), factor * spread.mean, factor * spread.p05, factor * spread.p50, factor * spread.p95});
}

Table spread_table(const std::vector<Replication>& runs, std::int64_t spares) {
  Table table{.id = "simulated_runs", .columns = {{"figure", ""}, {"mean", ""}, {"p5", ""}, {"p50", ""}, {"p95", ""}}};
  add_row("ETTR, %", distribution(runs, ettr, 0.95), 100, table);
  const auto count = [](const Replication& r) { return static_cast<double>(failures(r)); };
  add_row("failures", distribution(runs, count, 0.95), 1, table);
  const auto short_of = [&](const Replication& r) { return share_short_of(r, spares); };
  const FigureSpread short_time = distribution(runs, short_of, 0.95);
  if (short_time.mean > 0) add_row("time short of nodes, %", short_time, 100, table);
  return table;
}

// ETTR of each hour of one run.
void add_path(const EventModel& model, std::uint64_t seed, Document& d) {
  std::vector<PathPoint> path;
  simulate(model, seed, 0, &path);
  const SlidingEttr hours = sliding_ettr(path, seconds(3600));
  if (hours.windows.empty()) return;
  d.add("ettr_lowest_hour_ratio", hours.lowest, "1");
  Table table{.id = "sample_path", .columns = {{"at_d", "d"}, {"ettr_hour_ratio", "1"}}, .text_hidden = true};
  const std::size_t stride = hours.windows.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < hours.windows.size(); i += stride) {
    table.rows.push_back({hours.windows[i].at / 86400, hours.windows[i].productive});
  }
  d.tables.push_back(std::move(table));
  d.figures.push_back(
      {"sample_path", FigureKind::line, "sample_path", "at_d", {"ettr_hour_ratio"}, {"survive.figure.path", {}}});
}

// Runs of `failures` at `plan`; run n has the same luck whatever the model.
Result<std::vector<Replication>> replicated(const SurviveCase& c, const FailureModel& failures, const LevelPlan& plan,
                                            double count, const SimulationAsked& asked) {
  NAMEPLATE_TRY(const EventModel model, compile(input_of(c, failures, plan)));
  const Simulate one = [&](std::uint32_t number) { return simulate(model, asked.seed, number); };
  const ThreadExecutor own;
  const Executor& executor = asked.executor == nullptr ? own : *asked.executor;
  return replicate(one, 0, static_cast<std::uint32_t>(count), executor, asked.threads);
}

}  // namespace

Result<std::vector<Replication>> simulated_runs(const SurviveCase& c, const Survival& s, const SimulationAsked& asked) {
  const bool needed = !c.outside().empty();
  const std::uint32_t count = needed ? std::max(asked.replications, kFewestRuns) : asked.replications;
  const double failures = s.interruptions * c.horizon;
  const double affordable = kMostFailures / std::max(1.0, failures);
  if (needed && affordable < 1) {
    return error(
        fmt::format("no closed form holds for this model, and {:.3g} failures are too many to simulate", failures),
        "a shorter [failures] horizon");
  }
  return replicated(c, c.failures.model, s.plan(), std::min<double>(count, affordable), asked);
}

Status add_simulation(const SurviveCase& c, const Survival& s, const std::vector<Replication>& runs,
                      const SimulationAsked& asked, Document& d) {
  if (runs.empty()) {
    if (asked.replications > 0)
      d.assumptions.push_back({"survive.too_many_to_simulate", {{"failures", s.interruptions * c.horizon}}});
    return std::nullopt;
  }
  const FigureSpread spread = distribution(runs, ettr, 0.95);
  d.values.push_back({.id = "ettr_simulated_ratio",
                      .value = spread.mean,
                      .low = spread.p05,
                      .high = spread.p95,
                      .convention = "simulated; 5 to 95 % of single runs"});
  d.tables.push_back(spread_table(runs, spare_nodes(c.failures.model)));
  if (!s.simulated &&
      std::abs(spread.mean - s.ettr()) > kWorthSaying + (spread.mean_interval.high - spread.mean_interval.low)) {
    d.notes.push_back({"survive.simulation_differs",
                       {{"simulated", spread.mean}, {"expected", s.ettr()}, {"horizon", c.horizon.base()}}});
  }
  NAMEPLATE_TRY(const EventModel model, compile(input_of(c, c.failures.model, s.plan())));
  add_path(model, asked.seed, d);
  return std::nullopt;
}

void add_sensitivities(const SurviveCase& c, const SimulationAsked& asked, Document& d) {
  const BestEttr simulated = [&](const FailureModel& model) {
    const Survival s = survival_of(model, c.job);
    const double affordable = std::max(1.0, kMostFailures / std::max(1.0, s.interruptions * c.horizon));
    const auto runs = replicated(c, model, s.best, std::min<double>(kFewestRuns, affordable), asked);
    NAMEPLATE_CHECK(runs.ok());  // the model itself was simulated
    return simulated_shares(*runs).ettr;
  };
  Table table{.id = "sensitivities",
              .columns = {{"lever", ""}, {"ettr_halved_ratio", "1"}, {"ettr_doubled_ratio", "1"}, {"elasticity", ""}}};
  for (const Sensitivity& s : sensitivities(c.failures.model, c.job, c.horizon, simulated)) {
    table.rows.push_back({std::string(name(s.lever)), s.halved, s.doubled, s.elasticity});
  }
  d.tables.push_back(std::move(table));
  d.figures.push_back({"tornado",
                       FigureKind::bar,
                       "sensitivities",
                       "lever",
                       {"ettr_halved_ratio", "ettr_doubled_ratio"},
                       {"survive.figure.tornado", {}}});
}

}  // namespace nameplate
