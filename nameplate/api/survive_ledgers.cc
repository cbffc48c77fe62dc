// What failures leave, as ledgers: of the job's wall-clock, and of everything that is paid for.
#include "nameplate/api/survive_case.h"

namespace nameplate {
namespace {

// Accelerator-seconds of the job's nodes over the horizon, under their rows.
void book_job(const SurviveCase& c, const Survival& s, LedgerBuilder& builder) {
  const double total = c.accelerators() * c.horizon.base();
  const Availability nodes = s.nodes.value_or(Availability{});
  const TimeShares& shares = s.shares();
  // While all nodes are there the chain's shares hold; an elastic job that lacks some computes on, the rest waits.
  const double runs = total * nodes.computes;
  if (c.mfu_step) builder.book(LedgerRow::model_compute, runs * shares.work * *c.mfu_step, "MFU of the steps");
  builder.book(LedgerRow::checkpoint, runs * shares.checkpoint);
  builder.book(LedgerRow::fault_detect, runs * shares.detect);
  builder.book(LedgerRow::fault_restart, runs * shares.restart);
  builder.book(LedgerRow::fault_lost_work, runs * shares.lost_work);
  if (!s.nodes) return;
  const double without_all = total * (1 - nodes.computes);
  const bool elastic = c.failures.model.elastic.has_value();
  builder.book(elastic ? LedgerRow::degraded : LedgerRow::queue, without_all, "more nodes down than spares");
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
  if (!s.nodes || spares <= 0) return;
  const auto all = ranks + static_cast<std::int64_t>(spares);
  LedgerBuilder fleet(LedgerScope::fleet, all, all);
  book_job(c, s, fleet);
  const double of_node = static_cast<double>(c.job.devices_per_node) * c.horizon.base();
  fleet.book(LedgerRow::held_spare, s.nodes->spares_held * of_node, "ready");
  fleet.book(LedgerRow::idle, spares * c.horizon.base() - s.nodes->spares_held * of_node, "in repair");
  d.ledgers.push_back(fleet.close(of_job + spares * c.horizon.base(), kInside));
}

}  // namespace nameplate
