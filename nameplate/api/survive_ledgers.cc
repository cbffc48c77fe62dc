// What failures leave, as ledgers: of the job's wall-clock, and of everything that is paid for.
#include <utility>

#include "nameplate/api/survive_case.h"

namespace nameplate {
namespace {

constexpr const char* kSimulated = "mean of simulated runs";

// `time`: accelerator-seconds by what they went on.
void book_simulated(const SurviveCase& c, const TimeAccount& time, LedgerBuilder& builder) {
  if (c.mfu_step) builder.book(LedgerRow::model_compute, time.productive * *c.mfu_step, "MFU of the steps");
  const std::pair<LedgerRow, double> rows[] = {
      {LedgerRow::checkpoint, time.checkpoint}, {LedgerRow::fault_detect, time.detect},
      {LedgerRow::fault_restart, time.restart}, {LedgerRow::fault_lost_work, time.lost_work},
      {LedgerRow::queue, time.queue},           {LedgerRow::degraded, time.degraded}};
  for (const auto& [row, spent] : rows) {
    if (spent > 0) builder.book(row, spent, kSimulated);
  }
}

// Of everything that is paid for: a borrowed spare only while it is away from its own work.
Ledger simulated_fleet(const SurviveCase& c, const FleetAccount& nodes, double spares, const char* rest) {
  const double of_node = static_cast<double>(c.job.devices_per_node) * c.horizon.base();
  const auto all = static_cast<std::int64_t>(c.accelerators() + spares);
  LedgerBuilder fleet(LedgerScope::fleet, all, all);
  book_simulated(c, scaled(nodes.job, of_node), fleet);
  fleet.book(LedgerRow::held_spare, nodes.held_spare * of_node, "ready or on their way");
  fleet.book(LedgerRow::idle, nodes.in_repair * of_node, "in repair");
  return fleet.close((c.accelerators() + spares) * c.horizon.base() - nodes.lent * of_node, rest);
}

// Accelerator-seconds of the job's nodes over the horizon, under their rows.
void book_job(const SurviveCase& c, const Survival& s, LedgerBuilder& builder) {
  const double total = c.accelerators() * c.horizon.base();
  if (s.simulated) return book_simulated(c, scaled(s.simulated->job, total), builder);
  const Availability nodes = s.nodes.value_or(Availability{});
  const TimeShares& shares = s.shares();
  // While all nodes are there the chain's shares hold, the rest of the time is spent waiting.
  const double runs = total * nodes.computes;
  if (c.mfu_step) builder.book(LedgerRow::model_compute, runs * shares.work * *c.mfu_step, "MFU of the steps");
  builder.book(LedgerRow::checkpoint, runs * shares.checkpoint);
  builder.book(LedgerRow::fault_detect, runs * shares.detect);
  builder.book(LedgerRow::fault_restart, runs * shares.restart);
  builder.book(LedgerRow::fault_lost_work, runs * shares.lost_work);
  if (s.nodes) builder.book(LedgerRow::queue, total * (1 - nodes.computes), "more nodes down than spares");
}

constexpr const char* kInside = "inside steps: a log or a trace tells";

}  // namespace

void add_survive_ledgers(const SurviveCase& c, const Survival& s, Document& d) {
  const auto ranks = static_cast<std::int64_t>(c.accelerators());
  LedgerBuilder run(LedgerScope::run, ranks, ranks);
  book_job(c, s, run);
  const double of_job = c.accelerators() * c.horizon.base();
  d.ledgers.push_back(run.close(of_job, kInside));
  const double spares = c.spare_accelerators();
  if (spares <= 0) return;
  if (s.simulated && !c.failures.model.repair.empty()) {
    d.ledgers.push_back(simulated_fleet(c, s.simulated->fleet, spares, kInside));
    return;
  }
  if (!s.nodes) return;
  const auto all = ranks + static_cast<std::int64_t>(spares);
  LedgerBuilder fleet(LedgerScope::fleet, all, all);
  book_job(c, s, fleet);
  const double of_node = static_cast<double>(c.job.devices_per_node) * c.horizon.base();
  const double held = s.nodes->spares_held * of_node;
  const bool borrowed = c.failures.model.spares.front().kind == SpareKind::borrowed;
  if (!borrowed) fleet.book(LedgerRow::held_spare, held, "ready");
  fleet.book(LedgerRow::idle, spares * c.horizon.base() - held, "in repair");
  d.ledgers.push_back(fleet.close(of_job + spares * c.horizon.base() - (borrowed ? held : 0), kInside));
}

}  // namespace nameplate
