// The facts that survive works on, gathered from manifest and log. Internal to api/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/resilience/event_replications.h"
#include "nameplate/analysis/resilience/observed.h"
#include "nameplate/analysis/resilience/spare_plan.h"
#include "nameplate/analysis/resilience/survival.h"
#include "nameplate/api/load.h"
#include "nameplate/core/executor.h"
#include "nameplate/inputs/failures.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct HourlyPrice {
  double per_accelerator = 0;
  std::string currency;
};

struct SurviveCase {
  FailureSection failures;
  JobSize job;
  Seconds horizon;
  SpareEconomy economy;
  std::optional<double> mfu_step;
  std::optional<Seconds> work;  // time at full speed that the run's tokens take, where they are stated
  std::optional<HourlyPrice> price;
  std::optional<ObservedRun> observed;  // from the run's log
  bool rates_from_log = false;          // none are stated
  std::vector<Assumption> assumptions;

  std::vector<OutsideClosedForm> outside() const { return outside_closed_form(failures.model, job, horizon); }
  double accelerators() const { return static_cast<double>(job.nodes * job.devices_per_node); }
  double spare_accelerators() const { return static_cast<double>(spare_nodes(failures.model) * job.devices_per_node); }
};

Result<SurviveCase> survive_case(const LoadedRun& run);

// The failure model that a log's own interruptions make, by cause; restart and blocking as far as they are known.
FailureModel model_of(const ObservedRun& run, const JobSize& job);
void add_observed(const SurviveCase& c, Document& d);

// Internal pieces of the document, each a table or a group of values.
void add_intervals(const SurviveCase& c, const Survival& s, Document& d);
void add_failure_classes(const SurviveCase& c, Document& d);
void add_repair(const SurviveCase& c, Document& d);
void add_spares(const SurviveCase& c, const Survival& s, Document& d);
// Intervals and spares that cost more than the best, ranked by what they are worth over the horizon.
void add_survive_findings(const SurviveCase& c, const Survival& s, Document& d);
void add_survive_ledgers(const SurviveCase& c, const Survival& s, Document& d);
struct SimulationAsked {
  std::uint32_t replications = 0;
  std::uint64_t seed = 1;
  int threads = 0;
  const Executor* executor = nullptr;  // what the runs are spread over; null: threads alone
};
// Runs of the horizon: as many as asked for, some at least where no closed form holds; none where they are not needed
// and too many failures to simulate. An Error for a model that is not simulated, or that is needed and too large.
Result<std::vector<Replication>> simulated_runs(const SurviveCase& c, const Survival& s, const SimulationAsked& asked);
// Value ettr_simulated_ratio, tables "simulated_runs" and "sample_path".
Status add_simulation(const SurviveCase& c, const Survival& s, const std::vector<Replication>& runs,
                      const SimulationAsked& asked, Document& d);
// Half and twice of each number, each by the closed forms where they hold and by simulated runs where not.
void add_sensitivities(const SurviveCase& c, const SimulationAsked& asked, Document& d);
// Tables "utilisation_caps", "buffers" and "pools" of the manifest's [headroom].
Status add_headroom(const LoadedRun& run, std::uint64_t seed, Document& d);
// Table "claims" and what each claim needs. An Error for a claim that cannot be read.
Status add_claims(const std::vector<std::string>& claims, Document& d);

}  // namespace nameplate
