// What the run's own log says of its failures, and the failure model that follows from it where none is stated.
#include <algorithm>
#include <map>

#include "nameplate/analysis/resilience/estimate.h"
#include "nameplate/api/survive_case.h"

namespace nameplate {
namespace {

constexpr double kLevel = 0.95;

// Durations of the failures for which they are known.
std::vector<double> known(const ObservedRun& run, Maybe ObservedFailure::*part) {
  std::vector<double> times;
  for (const ObservedFailure& failure : run.failures) {
    if (const Maybe value = failure.*part; value && *value > 0) times.push_back(*value);
  }
  return times;
}

// The restart, or the whole pause where the log does not tell when the failure was noticed.
std::vector<double> restarts(const ObservedRun& run) {
  std::vector<double> times;
  for (const ObservedFailure& failure : run.failures) {
    const double time = failure.restart_s ? *failure.restart_s : failure.detect_s ? 0 : failure.pause_s;
    if (time > 0) times.push_back(time);
  }
  return times;
}

FailureClass class_of(FailureCause cause, double count, const ObservedRun& run, const JobSize& job) {
  FailureClass c;
  c.name = std::string(name(cause));
  c.cause = cause;
  c.rate.rate = PerSecond::from_base(count / run.exposure.base() / static_cast<double>(job.nodes));
  c.rate.events = count;
  c.rate.source = {"the run's own log", Confidence::medium, ""};
  if (const auto times = known(run, &ObservedFailure::detect_s); !times.empty()) {
    c.detect = posterior(DurationPrior{}, times).expected();
  }
  if (const auto times = restarts(run); !times.empty())
    c.restart.at_one_node = posterior(DurationPrior{}, times).expected();
  return c;
}

void add_duration(const char* quantity, const std::vector<double>& times, Table& table) {
  if (times.empty()) return;
  const DurationPosterior p = posterior(DurationPrior{}, times);
  const Interval i = credible_interval(p, kLevel);
  table.rows.push_back(
      {std::string(quantity), Int128{static_cast<std::int64_t>(times.size())}, p.median().base(), i.low, i.high});
}

// Nodes that failures name, each with the probability that it is one of a worse kind.
void add_nodes(const ObservedRun& run, const JobSize& job, Document& d) {
  std::map<std::string, std::int64_t> counts;
  for (const ObservedFailure& failure : run.failures) {
    if (!failure.subject.empty()) ++counts[failure.subject];
  }
  if (counts.empty()) return;
  std::vector<std::int64_t> failures;
  for (const auto& [node, count] : counts) failures.push_back(count);
  failures.resize(std::max(failures.size(), static_cast<std::size_t>(job.nodes)), 0);
  const FleetEstimate fleet = estimate_nodes(failures, run.exposure);
  Table table{.id = "failing_nodes",
              .columns = {{"node", ""}, {"failures", ""}, {"mttf_s", "s"}, {"lemon_probability_ratio", "1"}}};
  std::size_t i = 0;
  for (const auto& [node, count] : counts) {
    const NodeEstimate& estimate = fleet.nodes[i++];
    table.rows.push_back({node, Int128{count}, 1 / estimate.rate.base(), estimate.lemon_probability});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return std::get<Int128>(a[1]) > std::get<Int128>(b[1]); });
  table.text_rows = 12;
  d.tables.push_back(std::move(table));
}

}  // namespace

FailureModel model_of(const ObservedRun& run, const JobSize& job) {
  FailureModel model;
  std::map<FailureCause, double> counts;
  for (const ObservedFailure& failure : run.failures) ++counts[failure.cause];
  if (counts.empty()) counts[FailureCause::unknown] = 0.5;  // Jeffreys' prior over a time without failures
  for (const auto& [cause, count] : counts) model.classes.push_back(class_of(cause, count, run, job));
  if (run.blocking_s.empty()) return model;
  CheckpointLevel level{.name = "as logged", .block = seconds(mean(run.blocking_s))};
  level.total = level.block;
  if (run.checkpoint_interval_s) level.every = seconds(*run.checkpoint_interval_s);
  model.checkpoints.push_back(level);
  return model;
}

void add_observed(const SurviveCase& c, Document& d) {
  if (!c.observed) return;
  const ObservedRun& run = *c.observed;
  const auto failures = static_cast<std::int64_t>(run.failures.size());
  Table table{
      .id = "observed",
      .columns = {{"quantity", ""}, {"observations", ""}, {"estimate_s", "s"}, {"low_s", "s"}, {"high_s", "s"}}};
  const RatePosterior rate = posterior(RatePrior{}, failures, run.exposure);
  const Interval i = credible_interval(rate, kLevel);
  table.rows.push_back({std::string("time between failures"), Int128{failures},
                        run.exposure.base() / std::max(0.5, static_cast<double>(failures)), 1 / i.high, 1 / i.low});
  add_duration("detection", known(run, &ObservedFailure::detect_s), table);
  add_duration("restart", restarts(run), table);
  add_duration("blocking save", run.blocking_s, table);
  d.tables.push_back(std::move(table));
  const Interval exact = poisson_interval(failures, kLevel);
  d.notes.push_back(
      {"survive.observed",
       {{"failures", failures}, {"exposure", run.exposure.base()}, {"low", exact.low}, {"high", exact.high}}});
  // Where rates are stated beside the log: would they make what it holds?
  const double stated = job_rate(c.failures.model, c.job) * run.exposure;
  if (stated < exact.low || stated > exact.high) {
    d.notes.push_back({"survive.rates_disagree", {{"stated", stated}, {"failures", failures}}});
  }
  add_nodes(run, c.job, d);
}

}  // namespace nameplate
