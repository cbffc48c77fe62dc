#include "nameplate/analysis/steptime/step.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/analysis/steptime/step_schedule.h"
#include "nameplate/analysis/steptime/times.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

std::int64_t device_count(const Plan& plan) { return plan.tp * plan.pp * plan.cp * plan.dp; }

// Parts of one stage over a step, its waiting for other stages included: they sum to the step.
StepParts parts_of(const StepSetup& setup, const CompiledStep& work, const StepSeconds& t, std::size_t stage) {
  const StagePass& s = t.stages[stage];
  const double m = work.micro_batches;
  PassTime both = s.forward;
  both += s.backward;
  const Flops model = both.matmul_model + both.attention_model;
  const Flops repeated = both.matmul_repeated + both.attention_repeated;
  StepParts p;
  p.compute_at_peak = model / setup.device.peak * m;
  p.recompute_at_peak = repeated / setup.device.peak * m;
  p.matmul = (both.matmul - (both.matmul_model + both.matmul_repeated) / setup.device.peak) * m;
  p.attention = (both.attention - (both.attention_model + both.attention_repeated) / setup.device.peak) * m;
  p.memory_bound = both.memory * m;
  p.optimizer = t.optimizer;
  p.tp = both.tp * m;
  p.cp = both.cp * m;
  p.ep = both.ep * m;
  p.pp = t.pp;
  p.dp = s.sharding * m + t.dp;
  p.host = (s.micro_batch - both.device() - s.sharding) * m;
  p.bubble = t.pipeline - t.pp - s.micro_batch * m;
  p.fixed = t.fixed;
  p.straggler = t.straggler;
  return p;
}

// Times of one layer's operators of one kind, with what binds them.
class OperatorTable {
 public:
  OperatorTable(const StepSetup& setup, const CompiledStep& work, const StepRates& rates, const StepSeconds& t)
      : setup_(setup), rates_(rates), counts_(work.stages[t.slowest].count) {
    for (std::size_t i = 0; i < work.layers.size(); ++i) {
      const double times = counts_[i] * work.micro_batches;
      if (times == 0) continue;
      for (const MatmulWork& w : work.layers[i].matmuls) add(w, times);
      for (const AttentionWork& w : work.layers[i].attention) add(w, times);
    }
  }
  std::vector<OperatorTime> take() { return std::move(operators_); }

 private:
  void add(const MatmulWork& w, double times) {
    const Product forward{w.m, w.n, w.k, w.count, w.low_precision, w.grouped};
    OperatorTime& o = find(w.id, w.role);
    const Seconds once = product_time(forward, rates_);
    o.forward += once * times;
    o.backward += once * (times * w.repeated);
    if (w.input_gradient) {
      o.backward += product_time({w.m, w.k, w.n, w.count, w.low_precision, w.grouped}, rates_) * times;
    }
    if (w.weight_gradient) {
      o.backward += product_time({w.k, w.n, w.m, w.count, w.low_precision, w.grouped}, rates_) * times;
    }
    const double products = 1 + w.repeated + (w.input_gradient ? 1 : 0) + (w.weight_gradient ? 1 : 0);
    const FlopsPerSecond peak = w.low_precision ? setup_.device.peak : setup_.device.peak_16;
    o.at_peak += flops(2 * w.m * w.n * w.k * w.count * products * times) / peak;
    if (is_memory_bound(forward, rates_)) o.binding = Binding::memory;
  }

  void add(const AttentionWork& w, double times) {
    OperatorTime& o = find(w.id, OperatorRole::attention_core);
    const FlopsPerSecond rate = rates_.attention * w.shape;
    o.forward += flops(w.forward_flops) / rate * times;
    o.backward += flops(w.backward_flops + w.repeated * w.forward_flops) / rate * times;
    o.at_peak += flops(w.forward_flops * (3 + w.repeated)) / setup_.device.peak_16 * times;
  }

  OperatorTime& find(const std::string& id, OperatorRole role) {
    for (OperatorTime& known : operators_) {
      if (known.id == id) return known;
    }
    operators_.push_back({.id = id, .role = role});
    return operators_.back();
  }

  const StepSetup& setup_;
  const StepRates& rates_;
  const std::vector<double>& counts_;
  std::vector<OperatorTime> operators_;
};

StepValues with_exposure(StepValues values, double exposed) {
  for (const StepValue v :
       {StepValue::tp_exposed, StepValue::ep_exposed, StepValue::dp_exposed, StepValue::shard_slowdown}) {
    values[static_cast<std::size_t>(v)] = exposed;
  }
  return values;
}

Seconds host_floor(const StepSetup& setup, const CompiledStep& work, const StepSeconds& t) {
  Seconds most, sum;
  for (const StagePass& s : t.stages) {
    most = std::max(most, s.forward.host + s.backward.host);
    sum += s.forward.host + s.backward.host;
  }
  return most * work.micro_batches + (sum - most) / real(setup.plan.virtual_pp) + t.fixed;
}

std::vector<StageTime> stage_table(const CompiledStep& work, const StepSeconds& t) {
  std::vector<StageTime> stages;
  for (std::size_t i = 0; i < t.stages.size(); ++i) {
    const StagePass& s = t.stages[i];
    StageTime stage{
        .stage = static_cast<std::int64_t>(i), .forward = s.forward.device(), .backward = s.backward.device()};
    for (std::size_t k = 0; k < work.layers.size(); ++k) {
      stage.layers += work.layers[k].is_layer ? work.stages[i].count[k] : 0;
    }
    // Gathering and scattering of shards: weights twice, gradients once.
    stage.forward += s.sharding / 3;
    stage.backward += s.sharding * (2.0 / 3);
    stage.host_forward = s.forward.host;
    stage.host_backward = s.backward.host;
    stage.idle = t.pipeline - t.pp - s.micro_batch * work.micro_batches;
    stages.push_back(stage);
  }
  return stages;
}

Utilisation utilisation(const StepSetup& setup, const CompiledStep& work, const StepRates& rates,
                        const StepSeconds& t) {
  const StagePass& s = t.stages[t.slowest];
  const double m = work.micro_batches;
  LinkUse links = (s.forward.links + s.backward.links + s.sharding_links) * m + t.dp_links;
  // A stage passes each chunk's activations on and their gradients back.
  if (setup.plan.pp > 1) links += send_use(work, rates) * (2 * m * real(setup.plan.virtual_pp));
  const Bytes traffic = (s.forward.traffic + s.backward.traffic) * m + t.optimizer_traffic;
  return {traffic / setup.device.memory_bandwidth / t.total, links.up / t.total, links.out / t.total};
}

PhaseTimes phases_of(const CompiledStep& work, const StepSeconds& t) {
  const StagePass& s = t.stages[t.slowest];
  return {(s.forward.device() + s.sharding / 3) * work.micro_batches,
          (s.backward.device() + s.sharding * (2.0 / 3)) * work.micro_batches, t.dp + t.optimizer, t.fixed};
}

// Overlap that the plan states takes the place of the framework's habits.
StepValues with_stated_overlap(const Plan& plan, const StepValues& values) {
  return plan.overlap.fraction ? with_exposure(values, 1 - *plan.overlap.fraction) : values;
}

// The pipeline of a step and its schedule; the closed form stays where no schedule exists.
struct Scheduled {
  PipelineInput input;
  PipelineResult result;
};
Scheduled schedule_step(const StepSetup& setup, const CompiledStep& work, StepSeconds& t) {
  Scheduled s{step_pipeline(setup, work, t), {}};
  if (check(s.input)) return s;
  s.result = run_pipeline(s.input);
  use_schedule(s.result, t);
  return s;
}

// The step with another exposure, in proportion to closed forms: running the schedule's events again for both ends of a
// bracket would take most of a prediction's time.
Seconds exposed_step(const StepSetup& setup, const CompiledStep& work, const StepValues& values, double exposed,
                     double events_over_closed_form) {
  return step_seconds(setup, work, with_exposure(values, exposed)).total * events_over_closed_form;
}

}  // namespace

std::string_view name(Binding binding) {
  switch (binding) {
    case Binding::compute:
      return "compute";
    case Binding::memory:
      return "memory";
    case Binding::network:
      return "network";
    case Binding::host:
      return "host";
  }
  NAMEPLATE_CHECK(false);
}

Seconds StepParts::total() const {
  return compute_at_peak + recompute_at_peak + matmul + attention + memory_bound + optimizer + tp + cp + ep + pp + dp +
         bubble + host + fixed + straggler;
}

StepPrediction predict_step(const StepSetup& setup, const StepCalibration& calibration) {
  const CompiledStep work = step_work(setup, calibration);
  const StepValues values = with_stated_overlap(setup.plan, step_values(work, calibration));
  StepSeconds t = step_seconds(setup, work, values);
  const Seconds closed_form = t.total;
  Scheduled scheduled = schedule_step(setup, work, t);
  const double events = t.total / closed_form;
  const StepRates rates = step_rates(setup, values);
  StepPrediction p;
  p.step_time = t.total;
  p.regime = step_regime(setup, work, calibration);
  const ErrorBand band = error_band(setup, p.regime.id, calibration);
  p.low = t.total * band.low;
  p.high = t.total * band.high;
  p.host_floor = host_floor(setup, work, t);
  p.all_overlapped = setup.plan.overlap.fraction ? t.total : exposed_step(setup, work, values, 0, events);
  p.none_overlapped = setup.plan.overlap.fraction ? t.total : exposed_step(setup, work, values, 1, events);
  p.pipeline = std::move(scheduled.input);
  p.schedule = std::move(scheduled.result);
  p.parts = parts_of(setup, work, t, t.slowest);
  p.phases = phases_of(work, t);
  p.stages = stage_table(work, t);
  p.operators = OperatorTable(setup, work, rates, t).take();
  p.p2p = setup.plan.pp > 1 ? send_time(work, rates) : Seconds();
  p.utilisation = utilisation(setup, work, rates, t);
  const double ranks_per_stage = real(device_count(setup.plan)) / real(setup.plan.pp);
  for (std::size_t i = 0; i < t.stages.size(); ++i) {
    const StepParts parts = parts_of(setup, work, t, i);
    p.stage_parts.push_back(parts);
    p.model_flops += (parts.compute_at_peak * setup.device.peak).base() * ranks_per_stage;
    p.hardware_flops +=
        ((parts.compute_at_peak + parts.recompute_at_peak) * setup.device.peak).base() * ranks_per_stage;
  }
  return p;
}

Ledger step_ledger(const StepSetup& setup, const StepPrediction& prediction) {
  using enum LedgerRow;
  constexpr std::pair<LedgerRow, Seconds (*)(const StepParts&)> kRows[] = {
      {model_compute, [](const StepParts& s) { return s.compute_at_peak; }},
      {recompute, [](const StepParts& s) { return s.recompute_at_peak; }},
      {kernel_matmul, [](const StepParts& s) { return s.matmul; }},
      {kernel_attention, [](const StepParts& s) { return s.attention; }},
      {kernel_memory_bound, [](const StepParts& s) { return s.memory_bound + s.optimizer; }},
      {comm_dp, [](const StepParts& s) { return s.dp; }},
      {comm_tp, [](const StepParts& s) { return s.tp; }},
      {comm_pp, [](const StepParts& s) { return s.pp; }},
      {comm_cp, [](const StepParts& s) { return s.cp; }},
      {comm_ep, [](const StepParts& s) { return s.ep; }},
      {straggler_wait, [](const StepParts& s) { return s.straggler; }},
      {pipeline_bubble, [](const StepParts& s) { return s.bubble; }},
      {host_bound, [](const StepParts& s) { return s.host + s.fixed; }}};
  const std::int64_t devices = device_count(setup.plan);
  const double per_stage = real(devices) / real(setup.plan.pp);
  LedgerBuilder builder(LedgerScope::step, devices, devices);
  for (const auto& [row, part] : kRows) {
    for (const StepParts& stage : prediction.stage_parts) builder.book(row, part(stage).base() * per_stage);
  }
  // The parts sum to the step but for rounding, which is no row: the total is what was booked.
  return builder.close(-*builder.close(0).value(unattributed));
}

}  // namespace nameplate
