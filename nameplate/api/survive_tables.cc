// The tables and figures of survive.
#include <algorithm>
#include <cmath>

#include "nameplate/analysis/resilience/closed_form_checkpoint.h"
#include "nameplate/api/survive_case.h"

namespace nameplate {
namespace {

constexpr double kYear = 365.25 * 86400;

Cell cell(std::optional<double> value) { return value ? Cell(*value) : Cell(); }

// A level's interval in a plan: work between two saves to it.
Seconds interval_of(const LevelPlan& plan, std::size_t level) {
  return plan.interval * static_cast<double>(plan.every[level]);
}

Table interval_table(const SurviveCase& c, const Survival& s) {
  Table table{.id = "intervals",
              .columns = {{"level", ""}, {"block_s", "s"}, {"interval_s", "s"}, {"optimal_interval_s", "s"}}};
  const auto& levels = c.failures.model.checkpoints;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    table.rows.push_back({levels[l].name, levels[l].block.base(),
                          cell(s.today ? std::optional(interval_of(*s.today, l).base()) : std::nullopt),
                          interval_of(s.best, l).base()});
  }
  return table;
}

// The published rules know one level and one restart: the mean over the classes.
std::optional<CheckpointRegime> one_level(const SurviveCase& c, const Survival& s) {
  if (c.failures.model.checkpoints.size() != 1) return std::nullopt;
  Seconds restart;
  for (const RecoveryPath& path : recovery_paths(c.failures.model, c.job)) {
    restart += (path.detect + path.restart.front()) * (path.rate / s.interruptions);
  }
  return CheckpointRegime{seconds(1 / s.interruptions.base()), c.failures.model.checkpoints.front().block, restart};
}

Table formula_table(const SurviveCase& c, const Survival& s, const CheckpointRegime& regime) {
  Table table{.id = "interval_formulas", .columns = {{"formula", ""}, {"interval_s", "s"}, {"ettr_ratio", "1"}}};
  const std::vector<RecoveryPath> paths = recovery_paths(c.failures.model, c.job);
  const auto add = [&](const char* formula, Seconds interval) {
    LevelPlan plan = s.best;
    plan.interval = std::max(interval, kLeastInterval);
    table.rows.push_back({std::string(formula), plan.interval.base(), time_shares(paths, plan).work});
  };
  add("exact optimum", s.best.interval);
  add("Daly 2006", daly_interval(regime));
  add("Young 1974", young_interval(regime));
  add("Saxena 2024, without the save", saxena_period(regime) - regime.block);
  return table;
}

// What Meta's first order makes of the same interval, and by how much it misses the exact form.
void add_first_order(const Survival& s, const CheckpointRegime& regime, Document& d) {
  const double first_order = first_order_ettr(regime, s.plan().interval);
  d.add("ettr_first_order_ratio", first_order, "1");
  const double missed = s.shares().work - first_order;
  if (missed > 0.005) d.notes.push_back({"survive.first_order", {{"missed", missed}}});
}

// ETTR over the shortest interval, the multiples of the other levels as they are.
Table curve_table(const SurviveCase& c, const Survival& s) {
  Table table{.id = "interval_curve", .columns = {{"interval_s", "s"}, {"ettr_ratio", "1"}}, .text_hidden = true};
  const std::vector<RecoveryPath> paths = recovery_paths(c.failures.model, c.job);
  LevelPlan plan = s.best;
  for (int i = -20; i <= 20; ++i) {
    plan.interval = s.best.interval * std::exp2(i / 5.0);
    table.rows.push_back({plan.interval.base(), time_shares(paths, plan).work});
  }
  return table;
}

Table spare_table(const SurviveCase& c, const std::vector<SpareChoice>& choices, std::int64_t today) {
  Table table{.id = "spares",
              .columns = {{"spares", ""}, {"availability_ratio", "1"}, {"nines", ""}, {"cost_nodes", ""}}};
  const bool priced = c.price.has_value();
  if (priced) table.columns.push_back({"cost_per_year", "million " + c.price->currency});
  const std::int64_t best = cheapest(choices).spares;
  for (const SpareChoice& choice : choices) {
    if (choice.spares > std::max(best, today) + 5) break;
    const double down = 1 - choice.nodes.ratio;
    std::vector<Cell> row = {Int128{choice.spares}, choice.nodes.ratio, down > 1e-15 ? Cell(-std::log10(down)) : Cell(),
                             choice.cost_nodes};
    if (priced) {
      row.emplace_back(choice.cost_nodes * static_cast<double>(c.job.devices_per_node) * kYear / 3600 *
                       c.price->per_accelerator / 1e6);
    }
    table.rows.push_back(std::move(row));
  }
  // As text the neighbourhood of the best is enough.
  table.text_hidden = table.rows.size() > 24;
  return table;
}

Table near_best(const Table& all, std::int64_t best, std::int64_t today) {
  Table table = all;
  table.id = "spares_near";
  table.text_hidden = false;
  table.rows.clear();
  for (const std::vector<Cell>& row : all.rows) {
    const auto spares = static_cast<std::int64_t>(std::get<Int128>(row.front()));
    if (spares == 0 || std::abs(spares - best) <= 3 || spares == today) table.rows.push_back(row);
  }
  return table;
}

Table exchange_table(const SurviveCase& c) {
  Table table{.id = "repair_exchange",
              .columns = {{"repair_s", "s"}, {"spares_optimal", ""}, {"availability_ratio", "1"}}};
  for (const RepairExchange& e : repair_exchange(c.failures.model, c.job, c.economy)) {
    table.rows.push_back({e.repair.base(), Int128{e.best.spares}, e.best.nodes.ratio});
  }
  return table;
}

Table crew_table(const SurviveCase& c) {
  Table table{
      .id = "crews",
      .columns = {{"crews", ""}, {"stability_margin", ""}, {"spares_optimal", ""}, {"availability_ratio", "1"}}};
  if (!nodes_down_is_exact(c.failures.model, c.job) && repair_is_stable(c.failures.model, c.job)) return table;
  for (const CrewChoice& choice : crew_choices(c.failures.model, c.job, c.economy)) {
    table.rows.push_back({Int128{choice.crews}, choice.margin, Int128{choice.best.spares}, choice.availability});
  }
  return table;
}

Message unstable(const RepairLoad& load) {
  return {"survive.unstable",
          {{"stage", load.name},
           {"crews", load.crews},
           {"margin", load.margin},
           {"least", static_cast<std::int64_t>(std::floor(load.work)) + 1}}};
}

// How many checkpoints of the last level to keep where corruption is noticed late.
void add_generations(const SurviveCase& c, const Survival& s, Document& d) {
  Seconds latest;
  for (const FailureClass& failure : c.failures.model.classes) {
    if (failure.cause == FailureCause::silent_corruption) latest = std::max(latest, failure.detect);
  }
  if (latest <= Seconds{}) return;
  const std::int64_t keep = generations_to_keep(latest, interval_of(s.plan(), s.plan().every.size() - 1));
  d.values.push_back({.id = "checkpoint_generations", .value = Int128{keep}});
}

}  // namespace

void add_intervals(const SurviveCase& c, const Survival& s, Document& d) {
  add_generations(c, s, d);
  d.tables.push_back(interval_table(c, s));
  if (const auto regime = one_level(c, s)) {
    d.tables.push_back(formula_table(c, s, *regime));
    add_first_order(s, *regime, d);
  }
  d.tables.push_back(curve_table(c, s));
  d.figures.push_back({"goodput_over_interval",
                       FigureKind::line,
                       "interval_curve",
                       "interval_s",
                       {"ettr_ratio"},
                       {"survive.figure.interval", {}}});
}

void add_failure_classes(const SurviveCase& c, Document& d) {
  Table table{.id = "failure_classes",
              .columns = {{"failure_class", ""}, {"cause", ""}, {"mttf_s", "s"}, {"failures", ""}, {"source", ""}},
              .text_columns = 4};
  for (const FailureClass& failure : c.failures.model.classes) {
    const double rate = job_rate(c.failures.model, failure, c.job).base();
    table.rows.push_back(
        {failure.name, std::string(name(failure.cause)), 1 / rate, rate * c.horizon.base(), failure.rate.source.text});
  }
  d.tables.push_back(std::move(table));
}

void add_repair(const SurviveCase& c, Document& d) {
  if (c.failures.model.repair.empty()) return;
  Table table{
      .id = "repair",
      .columns = {{"repair_stage", ""}, {"crews", ""}, {"crews_busy", ""}, {"stability_margin", ""}, {"verdict", ""}}};
  bool crews_lack = false;
  for (const RepairLoad& load : repair_loads(c.failures.model, c.job)) {
    const bool limited = load.crews > 0, lacks = limited && load.margin <= 1;
    table.rows.push_back({load.name, limited ? Cell(Int128{load.crews}) : Cell(), load.work,
                          limited ? Cell(load.margin) : Cell(),
                          std::string(!limited ? "unlimited"
                                      : lacks  ? "unstable"
                                               : "stable")});
    crews_lack = crews_lack || lacks;
    if (lacks) d.notes.push_back(unstable(load));
  }
  const bool keeps_up = repair_is_stable(c.failures.model, c.job);
  if (!keeps_up && !crews_lack) d.notes.push_back({"survive.more_down", {}});
  d.tables.push_back(std::move(table));
  if (Table crews = crew_table(c); !crews.rows.empty()) d.tables.push_back(std::move(crews));
}

void add_spares(const SurviveCase& c, const Survival& s, Document& d) {
  if (!s.nodes) return;
  const std::vector<SpareChoice> choices = spare_choices(c.failures.model, c.job, c.economy);
  const SpareChoice& best = cheapest(choices);
  const std::int64_t today = spare_nodes(c.failures.model);
  d.values.push_back({.id = "spares_optimal", .value = Int128{best.spares}});
  d.add("availability_ratio", s.nodes->ratio, "1");
  d.add("availability_optimal_ratio", best.nodes.ratio, "1");
  d.add("repair_minute_worth_nodes", minute_worth_nodes(c.failures.model, c.job, c.economy), "1");
  d.notes.push_back(
      {"survive.spares",
       {{"today", today}, {"available", s.nodes->ratio}, {"best", best.spares}, {"best_available", best.nodes.ratio}}});
  Table table = spare_table(c, choices, today);
  if (table.text_hidden) d.tables.push_back(near_best(table, best.spares, today));
  d.tables.push_back(std::move(table));
  d.figures.push_back(
      {"spares_against_nines", FigureKind::line, "spares", "spares", {"nines"}, {"survive.figure.nines", {}}});
  d.figures.push_back({"spares_against_cost",
                       FigureKind::line,
                       "spares",
                       "spares",
                       {c.price ? "cost_per_year" : "cost_nodes"},
                       {"survive.figure.cost", {}}});
  d.tables.push_back(exchange_table(c));
}

}  // namespace nameplate
