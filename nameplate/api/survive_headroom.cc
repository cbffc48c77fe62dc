// Headroom besides spares: caps of shared resources, buffers and their price in MFU, separate pools against one bound.
#include <algorithm>

#include "nameplate/analysis/resilience/closed_form_queue.h"
#include "nameplate/analysis/resilience/closed_form_repair.h"
#include "nameplate/analysis/resilience/event_pools.h"
#include "nameplate/api/survive_case.h"
#include "nameplate/inputs/headroom.h"

namespace nameplate {
namespace {

constexpr double kGib = 1073741824.0;

void add_caps(const Headroom& headroom, Document& d) {
  if (headroom.resources.empty()) return;
  Table table{.id = "utilisation_caps",
              .columns = {{"resource", ""},
                          {"servers", ""},
                          {"burstiness", ""},
                          {"mean_wait", ""},
                          {"cap_ratio", "1"},
                          {"load_ratio", "1"},
                          {"wait_now", ""},
                          {"any_waits_ratio", "1"}}};
  for (const SharedResource& r : headroom.resources) {
    double cap = utilisation_cap(r.servers, r.burstiness, r.mean_wait);
    if (r.p99_wait) cap = std::min(cap, utilisation_cap_quantile(r.servers, 0.99, *r.p99_wait));
    std::vector<Cell> row = {r.name, Int128{r.servers}, r.burstiness, r.mean_wait, cap};
    if (r.load && *r.load < 1) {
      row.insert(row.end(), {*r.load, mean_wait(r.servers, *r.load, r.burstiness),
                             any_beyond(r.requests, erlang_c(r.servers, *r.load))});
    }
    if (r.load && *r.load > cap) {
      d.notes.push_back({"survive.over_cap", {{"resource", r.name}, {"load", *r.load}, {"cap", cap}}});
    }
    table.rows.push_back(std::move(row));
  }
  d.tables.push_back(std::move(table));
}

FluidBuffer fluid(const BurstBuffer& b) {
  return {b.peak.base(), b.drain.base(), PerSecond::from_base(1 / b.gap.base()),
          PerSecond::from_base(1 / b.burst.base())};
}

void add_buffers(const Headroom& headroom, Document& d) {
  if (headroom.buffers.empty()) return;
  Table table{.id = "buffers",
              .columns = {{"buffer", ""},
                          {"needed_bytes", "B"},
                          {"size_bytes", "B"},
                          {"overflow_ratio", "1"},
                          {"smoothing_ratio", "1"},
                          {"mfu_cost_ratio", "1"}}};
  for (const BurstBuffer& b : headroom.buffers) {
    const Bytes needed = bytes(content_for_overflow(fluid(b), b.overflow));
    const Bytes size = b.size.value_or(needed);
    // A reservoir of this size empties in size / drain; the load is correlated over about a burst and a gap.
    const Seconds correlation = seconds(1 / (1 / b.burst.base() + 1 / b.gap.base()));
    table.rows.push_back({b.name, needed.base(), size.base(), overflow_probability(fluid(b), size.base()),
                          smoothing_ratio(correlation, size / b.drain),
                          b.mfu_per_gib > 0 ? Cell(b.mfu_per_gib * size.base() / kGib) : Cell()});
  }
  d.tables.push_back(std::move(table));
}

void add_groups(const Headroom& headroom, Document& d) {
  if (headroom.groups.empty()) return;
  Table table{.id = "redundant_groups",
              .columns = {{"group", ""},
                          {"needed", ""},
                          {"units", ""},
                          {"unit_availability_ratio", "1"},
                          {"group_availability_ratio", "1"},
                          {"groups", ""},
                          {"all_groups_ratio", "1"}}};
  for (const RedundantGroup& g : headroom.groups) {
    const double available = group_availability(g.needed, g.units, g.availability);
    table.rows.push_back({g.name, Int128{g.needed}, Int128{g.units}, g.availability, available, Int128{g.groups},
                          all_groups(available, g.groups)});
  }
  d.tables.push_back(std::move(table));
}

// Long enough to see outages, short enough to answer at once.
PoolsInput pools_input(const std::vector<PooledResource>& resources, double arrivals) {
  constexpr double kMostRequests = 1e6;
  Seconds cycle;
  for (const PooledResource& r : resources) cycle = std::max(cycle, r.between_outages + r.outage);
  const Seconds length = std::min(cycle * 200.0, seconds(kMostRequests / arrivals));
  return {arrivals, length * 0.02, std::max(length, seconds(1000 / arrivals))};
}

void add_pools(const Headroom& headroom, std::uint64_t seed, Document& d) {
  if (headroom.parts.empty()) return;
  std::vector<PooledResource> resources;
  for (const PooledPart& p : headroom.parts) {
    resources.push_back({p.servers, p.service, p.between_outages, p.outage, p.lost_share});
  }
  const double arrivals = headroom.load * load_limit(resources, Pooling::bound);
  Table table{.id = "pools",
              .columns = {{"arrangement", ""},
                          {"load_limit_per_s", ""},
                          {"arrivals_per_s", ""},
                          {"throughput_per_s", ""},
                          {"response_s", "s"},
                          {"recovery_s", "s"}}};
  const PoolsInput input = pools_input(resources, arrivals);
  for (const auto& [name, pooling] :
       {std::pair("bound nodes", Pooling::bound), {"separate pools", Pooling::separate}}) {
    const PoolsRun run = simulate_pools(resources, pooling, input, seed);
    table.rows.push_back({std::string(name), load_limit(resources, pooling), arrivals, run.throughput,
                          run.response.base(), run.outages > 0 ? Cell(run.recovery.base()) : Cell()});
  }
  d.tables.push_back(std::move(table));
  d.notes.push_back({"survive.pools", {{"gain", separation_gain(resources)}}});
}

}  // namespace

Status add_headroom(const LoadedRun& run, std::uint64_t seed, Document& d) {
  const Node* section = run.manifest.table("headroom");
  if (section == nullptr) return std::nullopt;
  const Result<Headroom> headroom = read_headroom(*section, run.manifest.file());
  if (!headroom.ok()) return headroom.error();
  add_caps(*headroom, d);
  add_buffers(*headroom, d);
  add_groups(*headroom, d);
  add_pools(*headroom, seed, d);
  return std::nullopt;
}

}  // namespace nameplate
