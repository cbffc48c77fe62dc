// Jobs that share a cluster, as a scheduler sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/plan.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

// On how many accelerators a job can run; a rigid one has least = most.
struct Elasticity {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t multiple = 1;  // sizes between them are multiples of it
  bool operator==(const Elasticity&) const = default;
};

struct Job {
  std::string name;
  Architecture architecture;
  Workload workload;
  Plan plan;
  std::int64_t steps = 0;
  Seconds arrival;            // since the beginning of the scenario
  std::int64_t priority = 0;  // higher goes first
  Elasticity elasticity;
  std::optional<Seconds> deadline;  // since the beginning of the scenario
  bool preemptible = false;
  bool operator==(const Job&) const = default;
};

}  // namespace nameplate
