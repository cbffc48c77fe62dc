#include "nameplate/api/predict.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/api/memory.h"
#include "nameplate/api/predict_claims.h"
#include "nameplate/api/predict_range.h"
#include "nameplate/api/predict_run.h"
#include "nameplate/api/predict_tables.h"
#include "nameplate/api/predict_timeline.h"
#include "nameplate/api/resolve.h"
#include "nameplate/api/stated.h"
#include "nameplate/report/format.h"

namespace nameplate {
namespace {

constexpr std::int64_t kMostDrawnPasses = 200'000;  // of a micro-batch through a chunk; about 1 kB each

Value value(std::string id, double number, std::string unit, std::string convention = {}) {
  Value v;
  v.id = std::move(id);
  v.value = number;
  v.unit = std::move(unit);
  v.convention = std::move(convention);
  v.level = "predicted";
  return v;
}

// A figure that falls as the step takes longer: its band is the step's, the other way round.
Value inverse(const Prediction& p, std::string id, double number, std::string unit, std::string convention = {}) {
  Value v = value(std::move(id), number, std::move(unit), std::move(convention));
  v.low = number * (p.step_time / p.high);
  v.high = number * (p.step_time / p.low);
  return v;
}

void add_step_values(const LoadedRun& run, const Prediction& p, Document& d) {
  const std::string peak = fmt::format("causal attention, dense {} peak of {}", name(run.precision),
                                       human("", p.setup.step.device.peak.base(), "FLOP/s"));
  Value time = value("step_time_s", p.step_time.base(), "s");
  time.low = p.low.base();
  time.high = p.high.base();
  time.source = "85 % band of the regime " + p.step.regime.id;
  d.values.push_back(std::move(time));
  d.values.push_back(inverse(p, "tokens_per_s_per_gpu", p.tokens_per_s_per_gpu(), "token/s"));
  d.values.push_back(inverse(p, "mfu_step_ratio", p.mfu(), "1", peak));
  // Published figures of runs in a narrow format are mostly over the 16-bit peak.
  const StepDevice& device = p.setup.step.device;
  if (device.peak != device.peak_16) {
    d.values.push_back(
        inverse(p, "mfu_16_bit_peak_ratio", p.mfu() * (device.peak / device.peak_16), "1",
                fmt::format("causal attention, dense 16-bit peak of {}", human("", device.peak_16.base(), "FLOP/s"))));
  }
  d.values.push_back(
      inverse(p, "hfu_step_ratio", p.hfu(), "1", fmt::format("recompute: {}", name(run.facts.recompute))));
  d.values.push_back(inverse(p, "tflops_per_s_per_gpu", p.mfu() * p.setup.step.device.peak.base() / 1e12, "TFLOP/s"));
}

void add_resources(const Prediction& p, Document& d) {
  d.values.push_back(
      value("memory_busy_ratio", p.step.utilisation.memory, "1", "bytes of matmuls, attention, passes and optimizer"));
  d.values.push_back(value("scale_up_busy_ratio", p.step.utilisation.scale_up, "1", "bytes, hidden and exposed"));
  d.values.push_back(value("scale_out_busy_ratio", p.step.utilisation.scale_out, "1", "bytes, hidden and exposed"));
  d.values.push_back(value("exposed_communication_ratio", p.exposed_communication() / p.step_time, "1"));
  d.values.push_back(value("host_floor_s", p.step.host_floor.base(), "s", "if devices took no time"));
  if (p.data) d.values.push_back(value("data_wait_s", p.data->data_wait.base(), "s"));
}

// What lies behind figures that a reader could take for more: a band of runs unlike this one, a row that is mostly the
// framework's fixed cost.
void add_reservations(const Prediction& p, Document& d) {
  constexpr double kWorthSaying = 0.05;  // of the step
  if (!p.step.regime.unseen.empty()) {
    d.notes.push_back({"predict.unseen", {{"what", fmt::format("{}", fmt::join(p.step.regime.unseen, ", "))}}});
  }
  const Seconds fixed = p.step.phases.fixed;
  if (fixed > p.step_time * kWorthSaying) {
    d.notes.push_back(
        {"predict.fixed",
         {{"time", fixed.base()}, {"share", fixed / p.step_time}, {"framework", p.setup.step.framework.id}}});
  }
}

// What hides under compute is a framework's habit: where the plan does not say, both ends are printed.
void add_overlap_bracket(const Prediction& p, Document& d) {
  if (p.setup.step.plan.overlap.fraction || p.step.none_overlapped <= p.step.all_overlapped) return;
  const Seconds wait = p.step_time - p.step.step_time;
  const Seconds least = p.step.all_overlapped + wait;
  const Seconds most = p.step.none_overlapped + wait;
  d.values.push_back(value("step_time_all_overlapped_s", least.base(), "s"));
  d.values.push_back(value("step_time_none_overlapped_s", most.base(), "s"));
  d.notes.push_back({"predict.overlap_bracket", {{"least", least.base()}, {"most", most.base()}}});
}

void add_data_supply(const Prediction& p, Document& d) {
  if (!p.data || p.data->data_wait <= Seconds()) return;
  const DataSupplyResult& data = *p.data;
  d.notes.push_back(
      {"predict.data_wait",
       {{"wait", data.data_wait.base()}, {"server", std::string(name(data.binding))}, {"pace", data.pace.base()}}});
  if (data.workers_needed) d.notes.push_back({"predict.data_workers", {{"workers", *data.workers_needed}}});
  if (data.cache_hit_needed) d.notes.push_back({"predict.data_cache", {{"hit", *data.cache_hit_needed}}});
  if (data.store_bandwidth_needed)
    d.notes.push_back({"predict.data_store", {{"rate", human("", data.store_bandwidth_needed->base(), "B/s")}}});
}

void add_memory(const LoadedRun& run, const Prediction& p, Document& d) {
  if (!p.memory) {
    d.notes.push_back({"predict.no_memory", {{"precision", std::string(name(run.precision))}}});
    return;
  }
  if (p.setup.capacity) add_fit(p.memory->peak(), run.accelerator, *p.setup.capacity, d);
  const std::size_t before = d.tables.size();
  add_estimate(*p.memory, d);
  for (std::size_t i = before + 1; i < d.tables.size(); ++i) d.tables[i].text_hidden = true;  // "stages" has the sums
}

void add_memory_assumptions(const Prediction& p, Document& d) {
  if (!p.memory) return;
  d.assumptions.push_back({"memory.facts_of", {{"framework", p.setup.memory.id}}});
  const std::vector<Block>& blocks = p.setup.step.architecture.blocks;
  const auto is_expert = [](const Operator& op) { return op.role == OperatorRole::expert; };
  const auto has_experts = [&](const Block& b) {
    return std::any_of(b.operators.begin(), b.operators.end(), is_expert);
  };
  if (std::any_of(blocks.begin(), blocks.end(), has_experts)) d.assumptions.push_back({"memory.balanced", {}});
}

// "What binds": the largest row of the ledger beyond model FLOPs.
void add_binding_note(const Prediction& p, Document& d) {
  LedgerRow largest = LedgerRow::recompute;
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (row != LedgerRow::model_compute && p.ledger.value(row).value_or(0) > p.ledger.value(largest).value_or(0))
      largest = row;
  }
  d.notes.push_back(
      {"predict.binds", {{"row", std::string(name(largest))}, {"share", p.ledger.share(largest).value_or(0)}}});
}

// The mean step of the run's own log, else what its manifest states.
std::optional<Seconds> measured_step(const LoadedRun& run, const Prediction& p) {
  if (run.log && !run.log->steps.empty()) {
    const Measurement m = measure(*run.log, run.facts);
    return m.step_time_s ? std::optional(seconds(m.step_time_s->mean)) : std::nullopt;
  }
  Measurement m;
  measure_stated(run, m);
  if (!m.tokens_per_s_per_gpu || *m.tokens_per_s_per_gpu <= 0) return std::nullopt;
  return seconds(p.tokens / p.devices / *m.tokens_per_s_per_gpu);
}

// The prediction beside what was measured of this very run.
void add_measured(const LoadedRun& run, const Prediction& p, Document& d) {
  const std::optional<Seconds> measured = measured_step(run, p);
  if (!measured) return;
  const bool inside = *measured >= p.low && *measured <= p.high;
  d.notes.push_back({inside ? "predict.measured_inside" : "predict.measured_outside",
                     {{"measured", measured->base()}, {"error", p.step_time / *measured - 1}}});
  d.values.push_back(value("measured_step_time_s", measured->base(), "s"));
}

// A step repeats what its framework does, or the stated modules.
Assumption selective_assumption(const StepSetup& step) {
  const RecomputeShares& again = step.recompute ? *step.recompute : step.framework.selective;
  return {"step.selective",
          {{"projections", again.projections},
           {"core", again.core},
           {"feed_forward", again.feed_forward},
           {"elementwise", again.elementwise}}};
}

Document document_of(const LoadedRun& run, const Prediction& p) {
  Document d;
  d.command = "predict";
  d.title = {"predict.title",
             {{"name", run.name},
              {"time", p.step_time.base()},
              {"mfu", p.mfu()},
              {"count", *run.facts.accelerators},
              {"accelerator", run.accelerator}}};
  add_step_values(run, p, d);
  add_binding_note(p, d);
  add_reservations(p, d);
  add_overlap_bracket(p, d);
  add_data_supply(p, d);
  add_resources(p, d);
  d.ledgers.push_back(p.ledger);
  d.figures.push_back({"step_waterfall", FigureKind::waterfall, "ledger:step", "", {}, {"figure.step_waterfall", {}}});
  d.tables.push_back(predicted_phases(p));
  d.tables.push_back(predicted_stages(p));
  d.tables.push_back(predicted_operators(p));
  add_memory(run, p, d);
  for (const Assumption& each : run.assumptions) {
    d.assumptions.push_back(each.id == "recompute.selective" ? selective_assumption(p.setup.step) : each);
  }
  d.assumptions.insert(d.assumptions.end(), p.setup.step.assumptions.begin(), p.setup.step.assumptions.end());
  add_memory_assumptions(p, d);
  d.defects = run.defects;
  return d;
}

// The same run without the settings, where that can be predicted.
void add_comparison(const PredictRequest& request, const Catalogue& catalogue, const Prediction& after, Document& d) {
  const Result<LoadedRun> run = load_plan(request, {});
  if (!run.ok()) return;
  const Result<Prediction> before = predict_run(*run, catalogue);
  if (!before.ok()) return;
  d.tables.insert(d.tables.begin(), what_if_table(*before, after));
  const double change = after.step_time / before->step_time - 1;
  constexpr double kTooSmallToShow = 0.005;  // of three digits
  if (std::abs(change) < kTooSmallToShow) {
    d.notes.insert(d.notes.begin(), {"predict.what_if_same", {{"time", after.step_time.base()}, {"change", change}}});
    return;
  }
  d.notes.insert(d.notes.begin(), {"predict.what_if",
                                   {{"after", after.step_time.base()},
                                    {"before", before->step_time.base()},
                                    {"times", after.tokens_per_s_per_gpu() / before->tokens_per_s_per_gpu()}}});
}

Result<Document> predict_settings(const PredictRequest& request, const Catalogue& catalogue) {
  NAMEPLATE_TRY(const LoadedRun run, load_plan(request, request.settings));
  NAMEPLATE_TRY(const Prediction prediction, predict_run(run, catalogue));
  Document d = document_of(run, prediction);
  if (request.settings.empty()) add_measured(run, prediction, d);  // else it is another run
  if (!request.paths.empty() && !request.settings.empty()) add_comparison(request, catalogue, prediction, d);
  return d;
}

}  // namespace

Result<Document> predict(const PredictRequest& request) {
  NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
  NAMEPLATE_TRY(const SplitSettings split, split_settings(request.settings));
  const bool has_run = !request.paths.empty() || !request.settings.empty();
  if (!has_run && request.claims.empty()) {
    return error("nothing to predict", "name a manifest: nameplate predict run.toml");
  }
  Document d;
  d.command = "predict";
  d.title = {"predict.claims_title", {}};
  if (has_run && split.ranges.empty()) { NAMEPLATE_TRY(d, predict_settings(request, *catalogue)); }
  if (!split.ranges.empty()) { NAMEPLATE_TRY(d, predict_ranges(request, split, *catalogue)); }
  for (const std::string& claim : request.claims) {
    if (Status bad = add_claim(claim, d)) return *bad;
  }
  return d;
}

Result<std::vector<TimelineFile>> predict_timeline(const PredictRequest& request, const std::string& path) {
  NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
  NAMEPLATE_TRY(const LoadedRun run, load_plan(request, request.settings));
  NAMEPLATE_TRY(const Prediction prediction, predict_run(run, *catalogue));
  const PipelineInput& p = prediction.step.pipeline;
  if (const std::int64_t passes = p.stages * p.chunks * p.micro_batches; passes > kMostDrawnPasses) {
    return error(fmt::format("a timeline of {} passes", passes), "at most 200,000: fewer micro-batches or chunks");
  }
  return timeline_files(prediction, path);
}

}  // namespace nameplate
