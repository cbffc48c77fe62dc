#include "nameplate/analysis/mfu/measure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/analysis/mfu/claims.h"
#include "nameplate/analysis/mfu/ledgers.h"

namespace nameplate {
namespace {

constexpr std::size_t kMostForBootstrap = 20'000;

// What is computed, padding and all: the stated batch, or one sequence of the stated length.
std::optional<Workload> computed_workload(const RunFacts& facts) {
  if (facts.workload && sequences(*facts.workload) > 0) return facts.workload;
  if (facts.sequence_length) return uniform_workload(1, *facts.sequence_length);
  return std::nullopt;
}

// The workload whose FLOPs count: the samples in it, where their lengths are known.
std::optional<Workload> token_workload(const RunFacts& facts) {
  return facts.samples ? facts.samples : computed_workload(facts);
}

double computed_units(const Workload& workload) {
  return to_double(units(workload)) + static_cast<double>(workload.padded_units);
}

StepWork step_work(const RunLog& log, const RunFacts& facts) {
  StepWork work;
  work.accelerators = facts.accelerators;
  if (facts.sequence_length) work.tokens_per_sample = static_cast<double>(*facts.sequence_length);
  if (facts.workload && sequences(*facts.workload) > 0) {
    work.samples = static_cast<double>(sequences(*facts.workload));
    work.tokens = to_double(units(*facts.workload));
    work.ignores_logged_batch = facts.batch_is_forced;
  }
  const auto per_token = flops_per_token(facts, kDefaultConvention);
  Maybe tokens = work.tokens;
  if (!tokens && !log.steps.empty()) {
    const Step& last = log.steps.back();
    if (last.tokens) tokens = last.tokens;
    if (!tokens && last.samples && work.tokens_per_sample) tokens = *last.samples * *work.tokens_per_sample;
  }
  if (per_token && facts.peak && facts.accelerators && tokens) {
    work.least_duration_s = *tokens * *per_token / (facts.peak->base() * static_cast<double>(*facts.accelerators));
  }
  return work;
}

Distribution distribution(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile_sorted(values, 0.05),
          quantile_sorted(values, 0.5),
          quantile_sorted(values, 0.95),
          mean(values),
          values.front(),
          values.back()};
}

// Values and weights reduced to at most kMostForBootstrap block means, which keep the mean and its slow variation.
struct Series {
  std::vector<double> values;
  std::vector<double> weights;
};

Series reduced(const Series& series) {
  if (series.values.size() <= kMostForBootstrap) return series;
  const std::size_t block = (series.values.size() + kMostForBootstrap - 1) / kMostForBootstrap;
  Series out;
  for (std::size_t i = 0; i < series.values.size(); i += block) {
    const std::size_t end = std::min(series.values.size(), i + block);
    double weight = 0, sum = 0;
    for (std::size_t j = i; j < end; ++j) {
      weight += series.weights[j];
      sum += series.weights[j] * series.values[j];
    }
    out.values.push_back(sum / weight);
    out.weights.push_back(weight);
  }
  return out;
}

double weighted_mean(const Series& series) {
  double weight = 0, sum = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    weight += series.weights[i];
    sum += series.weights[i] * series.values[i];
  }
  return sum / weight;
}

void measure_durations(Measurement& m) {
  if (m.times.relative || m.steady.empty()) return;
  Series series;
  for (std::size_t i : m.steady) {
    series.values.push_back(m.times.rows[i].duration_s);
    series.weights.push_back(static_cast<double>(m.times.rows[i].steps));
  }
  m.step_time_s = distribution(series.values);
  m.step_time_s->mean = weighted_mean(series);
  const Series less = reduced(series);
  if (series.values.size() > 1) m.step_time_interval = bootstrap_mean(less.values, less.weights, 0.95);
  m.change_points = change_points(series.values);
}

// Accelerator-seconds per token over the steady rows, weighted by tokens.
Series token_series(const Measurement& m) {
  Series series;
  for (std::size_t i : m.steady) {
    const TimedStep& row = m.times.rows[i];
    if (!row.seconds_per_token) continue;
    series.values.push_back(*row.seconds_per_token);
    series.weights.push_back(row.tokens.value_or(1) * static_cast<double>(row.steps));
  }
  return series;
}

void measure_rates(const RunFacts& facts, Measurement& m) {
  const Series series = token_series(m);
  if (series.values.empty()) return;
  const double seconds = weighted_mean(series);
  m.tokens_per_s_per_gpu = 1 / seconds;
  m.flops_per_token = flops_per_token(facts, kDefaultConvention);
  if (!m.flops_per_token) return;
  const double achieved = *m.flops_per_token / seconds;
  m.tflops_per_s_per_gpu = achieved / 1e12;
  if (facts.achievable) m.share_of_achievable = achieved / facts.achievable->base();
  const double fastest = quantile(series.values, 0.05);
  m.mfu_peak_over_mean = seconds / fastest;
  if (!facts.peak) return;
  const double peak = facts.peak->base();
  m.mfu_step = achieved / peak;
  m.mfu_median = *m.flops_per_token / median(series.values) / peak;
  if (series.values.size() > 1) {
    const Series less = reduced(series);
    const Interval seconds_interval = bootstrap_mean(less.values, less.weights, 0.95);
    m.mfu_step_interval =
        Interval{*m.flops_per_token / seconds_interval.high / peak, *m.flops_per_token / seconds_interval.low / peak};
  }
  if (const auto factor = hardware_over_model(facts); factor && facts.recompute_known)
    m.hfu_step = *m.mfu_step * *factor;
  measure_padding(facts, m);
  if (*m.mfu_step > 1) { add_defect(m.defects, {"mfu.faster_than_peak", {{"mfu", *m.mfu_step}}}, Severity::error); }
}

// The batch that is stated against the one that the log prints, row by row.
void check_batch(const RunFacts& facts, const RunLog& log, Measurement& m) {
  if (!facts.workload || sequences(*facts.workload) == 0) return;
  std::vector<double> logged;
  for (const Step& step : log.steps) {
    if (step.tokens) logged.push_back(*step.tokens);
    if (!step.tokens && step.samples && facts.sequence_length) {
      logged.push_back(*step.samples * static_cast<double>(*facts.sequence_length));
    }
  }
  const double stated = to_double(units(*facts.workload));
  if (logged.empty() || std::fabs(median(logged) / stated - 1) < 0.005) return;
  add_defect(m.defects,
             {"batch.disagrees",
              {{"logged", static_cast<std::int64_t>(std::llround(median(logged)))},
               {"stated", static_cast<std::int64_t>(std::llround(stated))},
               {"used", std::string(facts.batch_is_forced ? "the stated batch" : "what the log prints")}}},
             Severity::info);
}

// What a user has to add before there is an MFU.
std::vector<std::string> missing_keys(const RunLog& log, const RunFacts& facts, const Measurement& m) {
  std::vector<std::string> missing;
  if (!facts.architecture) missing.push_back("model");
  if (!facts.sequence_length && !(facts.workload && sequences(*facts.workload) > 0))
    missing.push_back("training.seq_len");
  if (!facts.peak) missing.push_back("cluster.accelerator");
  if (m.tokens_per_s_per_gpu || log.steps.empty()) return missing;
  const bool rate =
      std::any_of(log.steps.begin(), log.steps.end(), [](const Step& s) { return s.claimed_tokens_per_s.has_value(); });
  const bool batch = facts.workload || std::any_of(log.steps.begin(), log.steps.end(), [](const Step& s) {
                       return s.tokens.has_value() || s.samples.has_value();
                     });
  if (!facts.accelerators) missing.push_back("cluster.count");
  if (!batch && !rate) missing.push_back("training.global_batch");
  return missing;
}

}  // namespace

std::optional<double> flops_per_token(const RunFacts& facts, std::string_view convention) {
  const auto workload = token_workload(facts);
  if (!facts.architecture || !workload) return std::nullopt;
  const auto flops = convention_flops(convention, *facts.architecture, *workload);
  if (!flops) return std::nullopt;
  return *flops / computed_units(*workload);
}

std::optional<double> padded_over_model(const RunFacts& facts) {
  const auto computed = computed_workload(facts);
  const auto model = flops_per_token(facts, kDefaultConvention);
  if (!facts.samples || facts.samples->padded_units == 0 || !computed || !model) return std::nullopt;
  const auto all = convention_flops(kDefaultConvention, *facts.architecture, *computed);
  return *all / computed_units(*computed) / *model;
}

void measure_padding(const RunFacts& facts, Measurement& m) {
  const auto padded = padded_over_model(facts);
  if (!padded || !m.mfu_step) return;
  m.mfu_padded = *m.mfu_step * *padded;
  m.padding_ratio = static_cast<double>(facts.samples->padded_units) / computed_units(*facts.samples);
}

std::optional<double> hardware_over_model(const RunFacts& facts) {
  const auto workload = token_workload(facts);
  if (!facts.architecture || !workload) return std::nullopt;
  const double model = to_double(step_flops(*facts.architecture, *workload, AttentionCount::causal).total());
  const double repeated =
      to_double(recompute_flops(*facts.architecture, *workload, facts.recompute, AttentionCount::causal));
  return (model + repeated) / model;
}

TypedMeasurement measure_rate(double tokens_per_s_per_gpu, const RunFacts& facts) {
  TypedMeasurement typed;
  typed.flops_per_token = flops_per_token(facts, kDefaultConvention).value_or(0);
  typed.tflops_per_s_per_gpu = typed.flops_per_token * tokens_per_s_per_gpu / 1e12;
  if (facts.peak && typed.flops_per_token > 0) {
    typed.mfu = typed.tflops_per_s_per_gpu * 1e12 / facts.peak->base();
    if (const auto factor = hardware_over_model(facts); factor && facts.recompute_known)
      typed.hfu = *typed.mfu * *factor;
  }
  return typed;
}

Measurement measure(const RunLog& log, const RunFacts& facts) {
  Measurement m;
  m.times = time_steps(log, step_work(log, facts));
  for (std::size_t i = 0; i < m.times.rows.size(); ++i) {
    const TimedStep& row = m.times.rows[i];
    const bool again = row.step_class == StepClass::redone || row.step_class == StepClass::other_run;
    if (!again) m.steps_total += row.steps + row.unlogged_steps;
    if (row.step_class != StepClass::steady) continue;
    m.steady.push_back(i);
    m.steps_steady += row.steps;
  }
  m.defects = m.times.defects;
  check_batch(facts, log, m);
  measure_durations(m);
  measure_rates(facts, m);
  m.wall = account_wall_clock(log, m.times);
  if (m.wall) {
    m.ettr = m.wall->productive_s / m.wall->wall_s;
    if (m.mfu_step) m.mfu_wall = *m.mfu_step * *m.ettr;
  }
  RunFacts as_logged = facts;
  as_logged.samples.reset();  // what a log prints counts padded tokens
  m.claims = check_claims(log, as_logged, m);
  m.missing = missing_keys(log, facts, m);
  m.step_ledger = step_ledger(facts, m);
  m.run_ledger = run_ledger(facts, m);
  return m;
}

}  // namespace nameplate
