#include "nameplate/api/survive.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "nameplate/analysis/resilience/estimate.h"
#include "nameplate/api/survive_case.h"

namespace nameplate {
namespace {

constexpr std::int64_t kMostNodes = 1 << 22;  // up to which reliability is asked to overtake MFU

void add_headline(const LoadedRun& run, const SurviveCase& c, const Survival& s, Document& d) {
  d.title = {"survive.title",
             {{"name", run.name},
              {"ettr", s.ettr()},
              {"mttf", 1 / s.interruptions.base()},
              {"count", static_cast<std::int64_t>(c.accelerators())}}};
  if (c.rates_from_log && c.observed->failures.empty()) {
    // The share rests on a rate that nothing was seen of: all that is known is a bound.
    const Seconds seen = c.observed->exposure;
    d.title = {"survive.title_none_seen",
               {{"name", run.name},
                {"exposure", seen.base()},
                {"mttf", seen.base() / poisson_interval(0, 0.95).high},
                {"count", static_cast<std::int64_t>(c.accelerators())}}};
  }
  if (!s.at_today) return;
  const double gained = s.best_ettr() - s.ettr();
  d.notes.push_back({gained < 0.0005 ? "survive.interval_good" : "survive.interval_costs",
                     {{"gained", gained}, {"hours", gained * c.accelerators() * c.horizon.base() / 3600}}});
}

void add_values(const SurviveCase& c, const Survival& s, std::uint64_t seed, Document& d) {
  Value ettr{.id = "ettr_ratio", .value = s.ettr(), .convention = "expected, over the counts behind the rates"};
  if (s.simulated) {
    ettr.low = s.simulated->interval.low;
    ettr.high = s.simulated->interval.high;
    ettr.convention = fmt::format("mean of {} simulated runs, 95 %; rates taken as exact", s.simulated->runs);
  } else if (const auto interval = ettr_interval(c.failures.model, c.job, seed)) {
    ettr.low = interval->low;
    ettr.high = interval->high;
  } else {
    ettr.convention = "expected, rates taken as exact";
  }
  d.values.push_back(ettr);
  if (s.at_today) d.add("ettr_optimal_ratio", s.best_ettr(), "1");
  if (c.mfu_step) {
    d.add("mfu_step_ratio", *c.mfu_step, "1");
    d.values.push_back(
        {.id = "mfu_wall_ratio", .value = *c.mfu_step * s.ettr(), .convention = "MFU of the steps x ETTR"});
  }
  d.add("run_time_s", c.horizon.base(), "s");
  d.add("gpu_hours_total", c.accelerators() * c.horizon.base() / 3600, "1");
  d.add("job_mttf_s", 1 / s.interruptions.base(), "s");
  d.add("failures_total", s.interruptions * c.horizon, "1");
  if (s.today) d.add("checkpoint_interval_s", s.today->interval.base(), "s");
  d.add("checkpoint_interval_optimal_s", s.best.interval.base(), "s");
}

// Of a job whose spares are always at hand: the sentence says nothing of the spares and crews that more nodes need.
void add_overtaking(const SurviveCase& c, Document& d) {
  if (!c.failures.model.repair.empty() || !c.outside().empty()) return;
  const auto nodes = reliability_overtakes(c.failures.model, c.job, kMostNodes);
  if (!nodes) return;
  const std::int64_t accelerators = *nodes * c.job.devices_per_node;
  d.values.push_back({.id = "reliability_overtakes_gpus", .value = Int128{accelerators}});
  d.notes.push_back({"survive.overtakes", {{"count", accelerators}}});
}

// Where the closed forms do not hold, and what that means for the figures.
void add_limits(const SurviveCase& c, const Survival& s, Document& d) {
  const FailureModel& model = c.failures.model;
  if (model.repair.empty()) d.assumptions.push_back({"survive.spare_at_hand", {}});
  if (!s.simulated) return;
  d.assumptions.push_back({"survive.simulated_figures",
                           {{"runs", static_cast<std::int64_t>(s.simulated->runs)}, {"horizon", c.horizon.base()}}});
  for (const OutsideClosedForm why : c.outside()) {
    d.assumptions.push_back({"survive.outside." + std::string(name(why)), {}});
  }
}

// Claims alone, without a run.
Result<Document> claims_only(const std::vector<std::string>& claims) {
  Document d;
  d.command = "survive";
  d.title = {"survive.claims_title", {{"count", static_cast<std::int64_t>(claims.size())}}};
  if (Status bad = add_claims(claims, d)) return *bad;
  return d;
}

}  // namespace

Result<Document> survive(const SurviveRequest& request) {
  if (!request.claims.empty() && request.load.paths.empty() && request.load.settings.empty()) {
    return claims_only(request.claims);
  }
  NAMEPLATE_TRY(const LoadedRun run, load(request.load));
  NAMEPLATE_TRY(SurviveCase c, survive_case(run));
  Survival s = survival_of(c.failures.model, c.job);
  const auto until_done = [&] {
    if (c.work && !c.failures.horizon && s.ettr() > 0) c.horizon = *c.work / s.ettr();
  };
  until_done();
  const SimulationAsked asked{request.replications, request.seed, request.threads, request.executor};
  NAMEPLATE_TRY(const std::vector<Replication> runs, simulated_runs(c, s, asked));
  if (!c.outside().empty()) s.simulated = simulated_shares(runs);
  until_done();
  Document d;
  d.command = "survive";
  d.assumptions = run.assumptions;
  d.assumptions.insert(d.assumptions.end(), c.assumptions.begin(), c.assumptions.end());
  d.defects = run.defects;
  add_headline(run, c, s, d);
  add_survive_findings(c, s, d);
  add_values(c, s, request.seed, d);
  if (Status bad = add_simulation(c, s, runs, asked, d)) return *bad;
  add_observed(c, d);
  add_intervals(c, s, d);
  add_repair(c, d);
  add_spares(c, s, d);
  add_sensitivities(c, asked, d);
  add_overtaking(c, d);
  add_failure_classes(c, d);
  add_survive_ledgers(c, s, d);
  add_limits(c, s, d);
  if (Status bad = add_headroom(run, request.seed, d)) return *bad;
  if (Status bad = add_claims(request.claims, d)) return *bad;
  return d;
}

}  // namespace nameplate
