// Whether the closed forms say what a job makes of its time, and if not, why. Outside, simulated runs do.
//
// The chain over checkpoint levels and the distribution of nodes down are exact for exponential failures of a job that
// stops, loses what its checkpoints lose and comes back with all its nodes. What they leave out by less than
// kNegligibleShare of the time does not count. They are the long run: a run begins with all nodes there, and the queue
// for repair takes about 1 / (sqrt(capacity) - sqrt(arrivals))^2 to fill (relaxation time of M/M/1, Cohen 1982; here of
// all crews together, times the mean size of the event that a node is in), without crews about one repair.
#pragma once

#include <string_view>
#include <vector>

#include "nameplate/analysis/resilience/job_failures.h"

namespace nameplate {

inline constexpr double kNegligibleShare = 5e-4;  // a twentieth of a point

enum class OutsideClosedForm {
  unstable_repair,      // more fail than are repaired: what is left depends on how long
  slow_queue,           // for repair: it fills more slowly than the run lasts
  elastic,              // survivors keep their state
  several_crews,        // crews in one of several stages of a repair, or stages and failures of several nodes
  broken_repairs,       // nodes that fail again after a repair, or a wrong one that was taken
  lemons,               // worse nodes, until they are repaired
  ages,                 // a shape other than 1
  late_corruption,      // noticed so late that further failures fall into the time
  late_saves,           // that can be restored from long after training goes on
  several_spare_pools,  // with other times until they are ready
};
std::string_view name(OutsideClosedForm why);

// Whether every stage of the repair keeps up with the failures, and no more nodes are down than there are.
bool repair_is_stable(const FailureModel& model, const JobSize& job);

// All that applies to so long a run, in the order above; empty: the closed forms hold.
std::vector<OutsideClosedForm> outside_closed_form(const FailureModel& model, const JobSize& job, Seconds horizon);

// Whether the distribution of nodes down, and with it spares and crews, follows from a closed form.
bool nodes_down_is_exact(const FailureModel& model, const JobSize& job);

}  // namespace nameplate
