// How many spares and crews pay, and what faster repair is worth in spares.
//
// Cost of S spares, in nodes: S (1 - salvage), or of borrowed ones those that are away, + m N (1 - what the job gets
// done of what it would with all nodes), m what a stalled hour costs over the idle nodes' price. Its minimum is the
// newsvendor rule of closed_form_spares.h, here with crews, spares that fail themselves, events that take several
// nodes, and elastic jobs (job_failures.h, survival.h).
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/resilience/survival.h"

namespace nameplate {

struct SpareChoice {
  std::int64_t spares = 0;
  Availability nodes;
  double cost_nodes = 0;
};

struct SpareEconomy {
  double stall_multiple = 1;  // m
  double salvage = 0;         // share of a waiting spare's price that it earns
};

// What a spare that waits costs, in nodes: a borrowed one works for others.
double waiting_cost(const FailureModel& model, const SpareEconomy& economy);

// From none to well past the best, ascending: every number, in a large fleet every one near the best and a grid of the
// others. The repair must keep up.
std::vector<SpareChoice> spare_choices(const FailureModel& model, const JobSize& job, const SpareEconomy& economy);
// The cheapest, of equals the one with the fewest spares.
const SpareChoice& cheapest(const std::vector<SpareChoice>& choices);

// What a minute less repair saves, in nodes, at the cheapest number of spares.
double minute_worth_nodes(const FailureModel& model, const JobSize& job, const SpareEconomy& economy);

// The cheapest spares for other repair times (of all stages, times `factor`).
struct RepairExchange {
  double factor = 1;
  Seconds repair;
  SpareChoice best;
};
std::vector<RepairExchange> repair_exchange(const FailureModel& model, const JobSize& job, const SpareEconomy& economy);

// For a repair of one stage: what more crews give, from the fewest that keep up to where more give nothing.
struct CrewChoice {
  std::int64_t crews = 0;
  double margin = 0;
  SpareChoice best;         // cheapest spares with so many crews
  double availability = 0;  // with the model's own spares
};
std::vector<CrewChoice> crew_choices(const FailureModel& model, const JobSize& job, const SpareEconomy& economy);

}  // namespace nameplate
