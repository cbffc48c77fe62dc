#include "nameplate/api/stated.h"

namespace nameplate {
namespace {

Distribution constant(double value) {
  return {.p5 = value, .p50 = value, .p95 = value, .mean = value, .least = value, .most = value};
}

// Tokens per second and accelerator that the manifest states in one way or another.
std::optional<double> stated_rate(const LoadedRun& run, Measurement& m) {
  const RunFacts& facts = run.facts;
  const auto convention = run.manifest.text("measured.convention");
  const auto per_token = flops_per_token(facts, convention ? std::string_view(convention->value) : kDefaultConvention);
  if (const auto rate = run.manifest.number("measured.tokens_per_s_per_gpu")) return rate->value;
  if (const auto rate = run.manifest.number("measured.tokens_per_s"); rate && facts.accelerators) {
    return rate->value / static_cast<double>(*facts.accelerators);
  }
  if (const auto time = run.manifest.duration("measured.step_time"); time && facts.workload && facts.accelerators) {
    m.step_time_s = constant(time->value.base());
    return to_double(units(*facts.workload)) / time->value.base() / static_cast<double>(*facts.accelerators);
  }
  if (const auto tflops = run.manifest.number("measured.tflops_per_gpu"); tflops && per_token) {
    m.claims.push_back({.figure = "tflops",
                        .claimed = tflops->value,
                        .recomputed = tflops->value,
                        .convention = convention ? convention->value : std::string(kDefaultConvention)});
    return tflops->value * 1e12 / *per_token;
  }
  if (const auto mfu = run.manifest.number("measured.mfu"); mfu && per_token && facts.peak) {
    m.claims.push_back({.figure = "mfu",
                        .claimed = mfu->value,
                        .recomputed = mfu->value,
                        .convention = convention ? convention->value : std::string(kDefaultConvention),
                        .peak_tflops = facts.peak->base() / 1e12});
    return mfu->value * facts.peak->base() / *per_token;
  }
  return std::nullopt;
}

// What the stated figure needs, besides the model and the peak, to become a rate.
void add_missing(const LoadedRun& run, Measurement& m) {
  const Manifest& stated = run.manifest;
  const bool step_time = stated.has("measured.step_time"), job_rate = stated.has("measured.tokens_per_s");
  const bool any = step_time || job_rate || stated.has("measured.tflops_per_gpu") || stated.has("measured.mfu");
  if (!any) m.missing.push_back("measured");
  if ((step_time || job_rate) && !run.facts.accelerators) m.missing.push_back("cluster.count");
  if (step_time && !stated.has("training.global_batch")) m.missing.push_back("training.global_batch");
}

// More than the peak is a wrong input; a rate of the whole job taken for one accelerator's is the usual one.
void check_possible(const LoadedRun& run, Measurement& m) {
  if (!m.mfu_step || *m.mfu_step <= 1) return;
  add_defect(m.defects, {"mfu.faster_than_peak", {{"mfu", *m.mfu_step}}}, Severity::error);
  const std::int64_t count = run.facts.accelerators.value_or(1);
  const double of_each = *m.mfu_step / static_cast<double>(count);
  const bool of_job = run.manifest.has("measured.tokens_per_s") || run.manifest.has("measured.step_time");
  const bool of_one = run.manifest.has("measured.tokens_per_s_per_gpu") || !of_job;
  if (of_one && count > 1 && of_each <= 1) {
    add_defect(m.defects, {"mfu.rate_of_whole_job", {{"count", count}, {"mfu", of_each}}}, Severity::error);
  }
}

}  // namespace

void measure_stated(const LoadedRun& run, Measurement& m) {
  const auto rate = stated_rate(run, m);
  if (!rate) {
    add_missing(run, m);
    return;
  }
  const TypedMeasurement typed = measure_rate(*rate, run.facts);
  m.tokens_per_s_per_gpu = *rate;
  if (!m.step_time_s && run.facts.workload && run.facts.accelerators && *rate > 0) {
    m.step_time_s =
        constant(to_double(units(*run.facts.workload)) / *rate / static_cast<double>(*run.facts.accelerators));
  }
  if (typed.flops_per_token > 0) {
    m.flops_per_token = typed.flops_per_token;
    m.tflops_per_s_per_gpu = typed.tflops_per_s_per_gpu;
    if (run.facts.achievable) m.share_of_achievable = typed.tflops_per_s_per_gpu * 1e12 / run.facts.achievable->base();
  }
  m.mfu_step = typed.mfu;
  measure_padding(run.facts, m);
  check_possible(run, m);
  m.hfu_step = typed.hfu;
  if (const auto ettr = run.manifest.number("measured.ettr")) {
    m.ettr = ettr->value;
    if (m.mfu_step) m.mfu_wall = *m.mfu_step * ettr->value;
  }
}

}  // namespace nameplate
