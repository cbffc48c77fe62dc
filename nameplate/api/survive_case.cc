#include "nameplate/api/survive_case.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/api/stated.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

constexpr double kDay = 86400;
// Meta gives 5 to 20 minutes from a failure to the next step (arXiv 2410.21680).
constexpr Seconds kAssumedRestart = Seconds::from_base(600);
constexpr Seconds kAssumedBlock = Seconds::from_base(30);
// Nodes over those that a prior was counted on, either way, from which its rates are a guess.
constexpr double kFarFromPrior = 4;
constexpr Seconds kAssumedHorizon = Seconds::from_base(30 * kDay);

// "2.99 USD", of one accelerator-hour.
Result<std::optional<HourlyPrice>> read_price(const Manifest& manifest) {
  const Node* node = manifest.table("prices.accelerator_hour");
  if (node == nullptr) return std::optional<HourlyPrice>();
  const auto leading = parse_leading_number(node->string);
  const std::string currency(leading ? trim(leading->rest) : "");
  if (!leading || leading->value < 0 || currency.empty() || currency.find(' ') != std::string::npos) {
    return Error{"no price",
                 "an amount with its currency: accelerator_hour = \"2.99 USD\"",
                 {manifest.file(), node->line, node->column, "prices.accelerator_hour", {}},
                 {}};
  }
  return std::optional(HourlyPrice{leading->value, currency});
}

void fill_restart(SurviveCase& c) {
  for (const std::string& name : c.failures.without_restart) {
    for (FailureClass& failure : c.failures.model.classes) {
      if (failure.name == name) failure.restart.at_one_node = kAssumedRestart;
    }
  }
  if (!c.failures.without_restart.empty()) {
    c.assumptions.push_back({"survive.restart_assumed",
                             {{"classes", fmt::format("{}", fmt::join(c.failures.without_restart, ", "))},
                              {"restart", kAssumedRestart.base()}}});
  }
}

// A line over doublings that is below zero at this size was fitted elsewhere.
Status check_restarts(const SurviveCase& c) {
  const double doublings = std::log2(static_cast<double>(c.job.nodes));
  for (const FailureClass& failure : c.failures.model.classes) {
    const Seconds restart = failure.restart.at_one_node + failure.restart.per_doubling * doublings;
    if (!failure.restart.points.empty() || restart >= Seconds{}) continue;
    return error(
        fmt::format("the restart of class '{}' is {:.0f} s at {} nodes", failure.name, restart.base(), c.job.nodes),
        "a line that holds at this size, or points: \"454 s at 128, 545 s at 256\"");
  }
  return std::nullopt;
}

void fill_checkpoint(SurviveCase& c) {
  if (!c.failures.model.checkpoints.empty()) return;
  c.failures.model.checkpoints.push_back({.name = "assumed", .block = kAssumedBlock, .total = kAssumedBlock});
  c.assumptions.push_back({"survive.checkpoint_assumed", {{"block", kAssumedBlock.base()}}});
}

Status set_job(const LoadedRun& run, SurviveCase& c) {
  if (!run.facts.accelerators) return error("how many accelerators?", "--gpus N, or [cluster] count");
  constexpr std::int64_t kMostAccelerators = 10'000'000;
  if (*run.facts.accelerators > kMostAccelerators)
    return error("more accelerators than anybody has", "at most 10,000,000");
  const auto per_node = run.manifest.integer("cluster.per_node");
  c.job.devices_per_node = per_node ? per_node->value : 8;
  if (!per_node) c.assumptions.push_back({"survive.per_node_assumed", {{"per_node", c.job.devices_per_node}}});
  c.job.nodes = (*run.facts.accelerators + c.job.devices_per_node - 1) / c.job.devices_per_node;
  if (*run.facts.accelerators % c.job.devices_per_node != 0) {
    c.assumptions.push_back({"survive.whole_nodes",
                             {{"asked", *run.facts.accelerators},
                              {"per_node", c.job.devices_per_node},
                              {"nodes", c.job.nodes},
                              {"count", c.job.nodes * c.job.devices_per_node}}});
  }
  return std::nullopt;
}

void measure_run(const LoadedRun& run, SurviveCase& c) {
  static const RunLog kNoLog;
  Measurement m = measure(run.log ? *run.log : kNoLog, run.facts);
  if (!run.log) measure_stated(run, m);
  if (m.mfu_step && *m.mfu_step <= 1) c.mfu_step = m.mfu_step;
  if (run.log) c.observed = observe(*run.log, m.times);
  const auto tokens = run.manifest.number("training.tokens");
  if (tokens && m.tokens_per_s_per_gpu) c.work = seconds(tokens->value / *m.tokens_per_s_per_gpu / c.accelerators());
}

// Where no failures are stated, those of the log.
void take_observed(SurviveCase& c) {
  if (!c.failures.model.classes.empty() || !c.observed) return;
  c.rates_from_log = true;
  FailureModel own = model_of(*c.observed, c.job);
  c.failures.model.classes = std::move(own.classes);
  for (const FailureClass& failure : c.failures.model.classes) {
    if (failure.restart == ScaledDuration{}) c.failures.without_restart.push_back(failure.name);
  }
  if (c.failures.model.checkpoints.empty()) c.failures.model.checkpoints = std::move(own.checkpoints);
}

// Which classes of a prior grow with the job, and which do not.
void say_how_prior_scales(SurviveCase& c) {
  const auto& priors = failure_priors();
  const auto prior =
      std::find_if(priors.begin(), priors.end(), [&](const FailurePrior& p) { return p.name == c.failures.prior; });
  if (prior == priors.end()) return;
  std::vector<std::string> per_job;
  for (const FailureClass& failure : c.failures.model.classes) {
    if (failure.rate.unit == RateUnit::job) per_job.push_back(failure.name);
  }
  const auto nodes = static_cast<std::int64_t>(prior->nodes);
  if (!per_job.empty()) {
    c.assumptions.push_back(
        {"survive.prior_per_job",
         {{"prior", prior->name}, {"classes", fmt::format("{}", fmt::join(per_job, ", "))}, {"nodes", nodes}}});
  }
  const double times = static_cast<double>(c.job.nodes) / prior->nodes;
  if (prior->span && (times > kFarFromPrior || times < 1 / kFarFromPrior)) {
    c.assumptions.push_back({"survive.prior_far", {{"prior", prior->name}, {"nodes", nodes}, {"times", times}}});
  }
}

}  // namespace

Result<SurviveCase> survive_case(const LoadedRun& run) {
  SurviveCase c;
  if (const Node* section = run.manifest.table("failures")) {
    NAMEPLATE_TRY(c.failures, read_failures(*section, run.manifest.file()));
  }
  if (Status bad = set_job(run, c)) return *bad;
  say_how_prior_scales(c);
  measure_run(run, c);
  take_observed(c);
  if (c.failures.model.classes.empty()) {
    if (run.log) return error("the log has no timestamps to tell failures by, and no [failures] are described");
    return error(
        "no failures are described",
        "[failures] prior = \"llama-3\" or [[failures.class]] (docs/survive.md), or --set failures.prior=llama-3");
  }
  NAMEPLATE_TRY(c.price, read_price(run.manifest));
  fill_restart(c);
  if (Status bad = check_restarts(c)) return *bad;
  fill_checkpoint(c);
  c.horizon = c.failures.horizon.value_or(kAssumedHorizon);
  if (!c.failures.horizon && !c.work)
    c.assumptions.push_back({"survive.horizon_assumed", {{"horizon", c.horizon.base()}}});
  c.economy = {c.failures.stall_multiple, c.failures.salvage};
  return c;
}

}  // namespace nameplate
