// survive: what failures leave of a run's MFU, which headroom is worth its price, and how sure that is.
//
// Facts come from the manifest's [failures] (inputs/failures.h) and, where the run has a log, from its own
// interruptions. The figures are those of the exact closed forms (analysis/resilience/survival.h); the spread of single
// runs comes from the event simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nameplate/api/load.h"
#include "nameplate/core/executor.h"
#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct SurviveRequest {
  LoadRequest load;
  std::vector<std::string> claims;  // each looked at as inputs/claim.h says
  std::uint32_t replications = 200;
  std::uint64_t seed = 1;
  int threads = 0;
  const Executor* executor = nullptr;  // what simulated runs are spread over; null: threads alone
};

// Values ettr_ratio, failures_total, checkpoint_interval_s, checkpoint_interval_optimal_s, spares_optimal,
// availability_ratio …; tables "intervals", "spares", "claims" …; ledgers of the run and, with spares, of the fleet. An
// Error when neither a [failures] section nor a claim is given.
Result<Document> survive(const SurviveRequest& request);

}  // namespace nameplate
