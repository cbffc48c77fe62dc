// Simulated runs: how much one run's luck moves the figures, and what a run looks like on the way.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/analysis/resilience/event_cost.h"
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

// ETTR of each hour of one run, or of its beginning where all of it is too long to keep.
void add_path(EventModel model, std::uint64_t seed, Document& d) {
  constexpr double kMostKept = 1e5;  // failures
  double failures = 0;
  for (const SimulatedClass& failure : model.classes) failures += failure.job_rate * model.length;
  if (failures > kMostKept) model.length *= kMostKept / failures;
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

// What runs may cost together, in events (event_cost.h): seconds for those asked for, less for each of many tables'
// rows.
constexpr double kMostEvents = 1e7;
constexpr double kMostEventsOfRow = 1e6;

double affordable(const EventModel& model, double most_events) {
  return std::floor(most_events / expected_events(model));
}

// `count` runs of `model`; run n has the same luck whatever the model.
std::vector<Replication> replicated(const EventModel& model, double count, const SimulationAsked& asked) {
  const Simulate one = [&](std::uint32_t number) { return simulate(model, asked.seed, number); };
  const ThreadExecutor own;
  const Executor& executor = asked.executor == nullptr ? own : *asked.executor;
  return replicate(one, 0, static_cast<std::uint32_t>(count), executor, asked.threads);
}

}  // namespace

Result<std::vector<Replication>> simulated_runs(const SurviveCase& c, const Survival& s, const SimulationAsked& asked) {
  const bool needed = !c.outside().empty();
  const std::uint32_t count = needed ? std::max(asked.replications, kFewestRuns) : asked.replications;
  if (count == 0) return std::vector<Replication>{};
  NAMEPLATE_TRY(const EventModel model, compile(input_of(c, c.failures.model, s.plan())));
  const double most = affordable(model, kMostEvents);
  if (needed && most < 1) {
    return error(fmt::format("no closed form holds for this model, and one run is about {:.3g} simulated events, more "
                             "than the {:g} of a command",
                             expected_events(model), kMostEvents),
                 "a shorter [failures] horizon");
  }
  return replicated(model, std::min<double>(count, most), asked);
}

Status add_simulation(const SurviveCase& c, const Survival& s, const std::vector<Replication>& runs,
                      const SimulationAsked& asked, Document& d) {
  if (runs.empty() && asked.replications == 0) return std::nullopt;
  NAMEPLATE_TRY(const EventModel model, compile(input_of(c, c.failures.model, s.plan())));
  if (runs.empty()) {
    d.assumptions.push_back({"survive.too_many_to_simulate", {{"events", expected_events(model)}}});
    return std::nullopt;
  }
  if (runs.size() < asked.replications) {
    d.assumptions.push_back({"survive.fewer_simulated",
                             {{"runs", static_cast<std::int64_t>(runs.size())},
                              {"asked", static_cast<std::int64_t>(asked.replications)},
                              {"events", expected_events(model)}}});
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
  add_path(model, asked.seed, d);
  return std::nullopt;
}

void add_sensitivities(const SurviveCase& c, const SimulationAsked& asked, Document& d) {
  const BestEttr simulated = [&](const FailureModel& failures) {
    const Result<EventModel> model = compile(input_of(c, failures, survival_of(failures, c.job).best));
    NAMEPLATE_CHECK(model.ok());  // the model itself was simulated
    const double count = std::clamp<double>(affordable(*model, kMostEventsOfRow), 1, kFewestRuns);
    return simulated_shares(replicated(*model, count, asked)).ettr;
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
