// What to act on in a profiler's trace: one rule a file, as findings.h, going by the step ledger and the launches.
//
// Worth is what the finding's rows would give back in full, an upper bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/attribution/merge_ranks.h"
#include "nameplate/analysis/attribution/waits.h"
#include "nameplate/facts/finding.h"

namespace nameplate {

// A rank that the others wait for inside collectives.
struct LateRank {
  std::int64_t rank = 0;
  double part = 0;  // of the row straggler_wait
  LateCause cause = LateCause::unknown;
  double cause_part = 0;  // of the waiting for this rank
  std::int64_t times_last = 0;
  std::int64_t collectives = 0;
};

// A matrix operator of one shape, on the roofline.
struct RoofPoint {
  std::string name;
  std::string shapes;
  std::string site;       // of its call; may be empty
  double device_s = 0;    // its kernels, all ranks
  double roof_ratio = 0;  // the time that peak and memory bandwidth allow, over the time taken
};

struct TraceFindingInput {
  const Ledger& ledger;  // of the steps, all ranks present
  const TraceShares& shares;
  bool host_only = false;        // nothing is known of a device, so nothing of what it waits for
  std::vector<LateRank> late{};  // the one waited for most first
  std::vector<RoofPoint> roof{};
  double blocking_copies_s = 0;      // of host_bound: the host was inside a call that copies, all ranks
  std::int64_t allocator_calls = 0;  // of the host to the device's allocator, all ranks
};

// Every finding that applies, the largest worth first.
std::vector<Finding> find_in_trace(const TraceFindingInput& input);

// The rules.
std::optional<Finding> find_host_bound(const TraceFindingInput& input);             // host_bound.cc
std::optional<Finding> find_data_wait(const TraceFindingInput& input);              // data_wait.cc
std::optional<Finding> find_exposed_communication(const TraceFindingInput& input);  // exposed_communication.cc
std::optional<Finding> find_straggler(const TraceFindingInput& input);              // straggler.cc
std::optional<Finding> find_slow_operator(const TraceFindingInput& input);          // slow_operator.cc
std::optional<Finding> find_synchronisation(const TraceFindingInput& input);        // synchronisation.cc
std::optional<Finding> find_memory_stall(const TraceFindingInput& input);           // memory_stall.cc
std::optional<Finding> find_blocking_copies(const TraceFindingInput& input);        // blocking_copies.cc
std::optional<Finding> find_memory_bound(const TraceFindingInput& input);           // memory_bound.cc

// From this share of the steps on a row is worth a sentence.
inline constexpr double kLeastTraceShare = 0.03;

// Of giving `accelerator_s` of the ledger back: the same model FLOPs in less time.
Worth worth_in_trace(const TraceFindingInput& input, double accelerator_s);

}  // namespace nameplate
