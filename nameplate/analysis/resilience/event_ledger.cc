#include "nameplate/analysis/resilience/event_ledger.h"

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

// The mean over the replications of a field that `read` gives.
template <class Read>
double mean_of(std::span<const Replication> replications, Read read) {
  NAMEPLATE_CHECK(!replications.empty());
  double total = 0;
  for (const Replication& replication : replications) total += read(replication);
  return total / static_cast<double>(replications.size());
}

TimeAccount mean_time(std::span<const Replication> replications, TimeAccount (*read)(const Replication&)) {
  TimeAccount total;
  for (const Replication& replication : replications) total += read(replication);
  const auto count = static_cast<double>(replications.size());
  return {total.productive / count, total.lost_work / count, total.checkpoint / count, total.detect / count,
          total.restart / count,    total.startup / count,   total.queue / count,      total.degraded / count};
}

void book_productive(LedgerBuilder& builder, double accelerator_s, const std::optional<Ledger>& step) {
  if (!step) return;
  for (std::size_t i = 0; i + 1 < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (step->share(row)) builder.book(row, *step->share(row) * accelerator_s, step->evidence(row));
  }
}

void book_job(LedgerBuilder& builder, const TimeAccount& time, double accelerators, const std::optional<Ledger>& step) {
  book_productive(builder, time.productive * accelerators, step);
  builder.book(LedgerRow::fault_lost_work, time.lost_work * accelerators);
  builder.book(LedgerRow::checkpoint, time.checkpoint * accelerators);
  builder.book(LedgerRow::fault_detect, time.detect * accelerators);
  builder.book(LedgerRow::fault_restart, time.restart * accelerators);
  builder.book(LedgerRow::startup, time.startup * accelerators);
  builder.book(LedgerRow::queue, time.queue * accelerators);
  builder.book(LedgerRow::degraded, time.degraded * accelerators);
}

const char* remainder_is(const std::optional<Ledger>& step) {
  return step ? "" : "computing; no ledger of a step given";
}

}  // namespace

Ledger run_ledger(const EventModel& model, std::span<const Replication> replications,
                  const std::optional<Ledger>& step) {
  const std::int64_t accelerators = model.nodes * model.devices_per_node;
  const TimeAccount time = mean_time(replications, [](const Replication& r) { return r.time; });
  LedgerBuilder builder(LedgerScope::run, accelerators, accelerators);
  book_job(builder, time, static_cast<double>(accelerators), step);
  const double wall = mean_of(replications, [](const Replication& r) { return r.wall; });
  return builder.close(wall * static_cast<double>(accelerators), remainder_is(step));
}

Ledger fleet_ledger(const EventModel& model, std::span<const Replication> replications,
                    const std::optional<Ledger>& step) {
  std::int64_t nodes = model.nodes;
  for (const SparePool& pool : model.spares) nodes += pool.nodes;
  const std::int64_t accelerators = nodes * model.devices_per_node;
  const auto per_node = static_cast<double>(model.devices_per_node);
  const TimeAccount time = mean_time(replications, [](const Replication& r) { return r.fleet.job; });
  LedgerBuilder builder(LedgerScope::fleet, accelerators, accelerators);
  book_job(builder, time, per_node, step);
  builder.book(LedgerRow::held_spare,
               mean_of(replications, [](const Replication& r) { return r.fleet.held_spare; }) * per_node);
  builder.book(LedgerRow::idle,
               mean_of(replications, [](const Replication& r) { return r.fleet.in_repair; }) * per_node,
               "in repair or waiting for it");
  const double bought =
      mean_of(replications, [&](const Replication& r) { return r.wall * static_cast<double>(nodes) - r.fleet.lent; });
  return builder.close(bought * per_node, remainder_is(step));
}

double accelerator_hours(const EventModel& model, std::span<const Replication> replications) {
  const double wall = mean_of(replications, [](const Replication& r) { return r.wall; });
  return wall * static_cast<double>(model.nodes * model.devices_per_node) / 3600;
}

}  // namespace nameplate
