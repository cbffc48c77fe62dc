// The rules of this folder, one a file. Internal to advice/findings.
#pragma once

#include <optional>

#include "nameplate/advice/findings/findings.h"

namespace nameplate {

using FindingRule = std::optional<Finding> (*)(const FindingInput&);

std::optional<Finding> find_evaluation(const FindingInput& input);       // evaluation.cc
std::optional<Finding> find_checkpoint(const FindingInput& input);       // checkpoint.cc
std::optional<Finding> find_restart(const FindingInput& input);          // restart.cc
std::optional<Finding> find_queue(const FindingInput& input);            // queue.cc
std::optional<Finding> find_startup(const FindingInput& input);          // startup.cc
std::optional<Finding> find_slowdown(const FindingInput& input);         // slowdown.cc
std::optional<Finding> find_jitter(const FindingInput& input);           // jitter.cc
std::optional<Finding> find_recompute(const FindingInput& input);        // recompute.cc
std::optional<Finding> find_below_matmul(const FindingInput& input);     // below_matmul.cc
std::optional<Finding> find_loss_not_finite(const FindingInput& input);  // loss_not_finite.cc
std::optional<Finding> find_profiler_gap(const FindingInput& input);     // profiler_gap.cc

// Worth of giving `row` of the run's ledger back in full; nothing when the row is absent or zero.
std::optional<Worth> worth_of_row(const FindingInput& input, LedgerRow row);
// Worth of `accelerator_s` less for the same work, in the ledger of the run, else of the steps.
Worth worth_of_time(const FindingInput& input, double accelerator_s);
// The share of `row` in the run's ledger, 0 when absent.
double run_share(const FindingInput& input, LedgerRow row);
// Worth of `seconds` of steady step time, of `steps_s` in all: in the step ledger.
std::optional<Worth> worth_of_step_time(const FindingInput& input, double share_of_step_time);
// "file:line: quote" of the first `most` events of a class.
std::vector<std::string> event_evidence(const RunLog& log, EventClass event_class, std::size_t most = 3);

}  // namespace nameplate
