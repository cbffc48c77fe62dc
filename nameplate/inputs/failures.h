// The manifest's [failures]: how the cluster fails and recovers, and what a stalled hour costs.
//
//   prior = "llama-3"                          # classes of a published fleet (data/failures/); own ones override by
//   name rate = "3.79 per 1000 node-days"           # scales all of a prior's classes to this total detect, restart =
//   "…"                      # of every class that does not say its own
//   [[failures.class]] name, cause, rate, per, count, source, shape, domain, domain_share, domain_nodes, detect,
//                      restart, recurs; or reliability = 0.95 with mission = "7 d" in place of a rate
//   checkpoint = [{level, block, total, every, load, covers, outside}]
//   repair = "24 h" or [{name, duration, success, silent_failure, crews}], crews = 8
//   spares = 20 or [{kind, nodes, ready, failure_factor}]
//   wrong_unit, fleet_age, lemon_share, lemon_factor, elastic = {least, scaling_loss, rejoin}
//   horizon = "54 d", stall_multiple = 1, salvage = 0.5
//
// Probabilities lie in 0..1, rates carry their time and what fails, a reliability its mission: everything else is a
// located error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/failures.h"

namespace nameplate {

struct FailureSection {
  FailureModel model;
  std::string prior;                         // name of the fleet whose classes are taken; empty: none
  std::optional<Seconds> horizon;            // over which to look
  double stall_multiple = 1;                 // what a stalled hour costs over the idle nodes' price
  double salvage = 0;                        // share of its price that a waiting spare earns
  std::vector<std::string> without_restart;  // classes of which neither the prior nor the manifest says the restart
};

Result<FailureSection> read_failures(const Node& section, const std::string& file);

// A fleet whose failures were published.
struct FailurePrior {
  std::string name;
  std::string title;
  std::optional<Seconds> span;  // observed; absent: the counts are a mix without a rate
  double nodes = 1;             // under observation
  double devices_per_node = 8;
  ScaledDuration restart;  // of classes that do not say their own
  std::vector<FailureClass> classes;
  Source source;
  std::string notes;
};
Result<FailurePrior> read_failure_prior(std::string_view text, const std::string& file);
// The published fleets of data/failures/, by name.
const std::vector<FailurePrior>& failure_priors();

}  // namespace nameplate
