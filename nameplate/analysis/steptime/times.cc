#include "nameplate/analysis/steptime/times.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "nameplate/analysis/steptime/step_schedule.h"

namespace nameplate {
namespace {

constexpr double kForwardPasses = 0.4;        // of the element-wise passes of a layer
constexpr double kPipelineExposed = 0.5;      // of sends between stages; assumed
constexpr double kGathersAndScatter = 3;      // of a sharded layer's weights, twice, and its gradients
constexpr double kContextExposedLeast = 0.1;  // of the ring, its first block; assumed

double value_of(const StepValues& values, StepValue v) { return values[static_cast<std::size_t>(v)]; }

// The slower of device and host counts, softly: their fourth-power mean (assumed).
Seconds soft_maximum(Seconds a, Seconds b) {
  const double x = a.base(), y = b.base(), most = std::max(x, y);
  if (most <= 0) return {};
  const double less = std::min(x, y) / most, squared = less * less;
  return seconds(most * std::sqrt(std::sqrt(1 + squared * squared)));
}

class LayerTimer {
 public:
  LayerTimer(const CompiledStep& work, const StepValues& values, const StepRates& rates)
      : work_(work), values_(values), rates_(rates) {}

  LayerTime time(const LayerWork& layer) const {
    LayerTime t;
    for (const MatmulWork& matmul : layer.matmuls) add_matmul(matmul, t);
    for (const AttentionWork& attention : layer.attention) add_attention(attention, t);
    add_memory(layer, t);
    add_communication(layer, t);
    add_host(layer, t);
    return t;
  }

 private:
  void add_matmul(const MatmulWork& w, LayerTime& t) const {
    const Product forward{w.m, w.n, w.k, w.count, w.low_precision, w.grouped};
    const Flops one = flops(2 * w.m * w.n * w.k * w.count);
    const Seconds time = product_time(forward, rates_);
    const Bytes traffic = product_traffic(forward, rates_);
    t.forward.traffic += traffic;
    t.backward.traffic += traffic * (w.repeated + (w.input_gradient ? 1 : 0) + (w.weight_gradient ? 1 : 0));
    t.forward.matmul += time;
    t.forward.matmul_model += one;
    t.backward.matmul += time * w.repeated;
    t.backward.matmul_repeated += one * w.repeated;
    if (w.input_gradient) {
      t.backward.matmul += product_time({w.m, w.k, w.n, w.count, w.low_precision, w.grouped}, rates_);
      t.backward.matmul_model += one;
    }
    if (w.weight_gradient) {
      t.backward.matmul += product_time({w.k, w.n, w.m, w.count, w.low_precision, w.grouped}, rates_);
      t.backward.matmul_model += one;
    }
  }

  void add_attention(const AttentionWork& w, LayerTime& t) const {
    const FlopsPerSecond rate = rates_.attention * w.shape;
    const Flops forward = flops(w.forward_flops), backward = flops(w.backward_flops);
    t.forward.attention += forward / rate;
    t.backward.attention += (backward + forward * w.repeated) / rate;
    t.forward.attention_model += forward;
    t.backward.attention_model += forward * 2;
    t.backward.attention_repeated += forward * w.repeated;
    t.forward.traffic += bytes(w.traffic);
    t.backward.traffic += bytes(w.traffic * (2 + w.repeated));
    if (w.kv_bytes > 0) add_ring(w, t);
  }

  // Keys and values go round while attention works on those at hand; backward their gradients too.
  void add_ring(const AttentionWork& w, LayerTime& t) const {
    const Seconds once = ring_time(w.kv_bytes * work_.cp.ranks, 1, work_.cp, rates_);
    const auto exposed = [](Seconds ring, Seconds compute) {
      return std::max(ring * kContextExposedLeast, ring - compute);
    };
    t.forward.cp += exposed(once, t.forward.attention);
    t.backward.cp += exposed(once * 2, t.backward.attention);
    const LinkUse links = ring_use(w.kv_bytes * work_.cp.ranks, work_.cp, rates_);
    t.forward.links += links;
    t.backward.links += links * 2;
  }

  void add_memory(const LayerWork& layer, LayerTime& t) const {
    const double casts = layer.cast_bytes * value_of(values_, StepValue::casts);
    const double all = layer.pass_bytes * value_of(values_, StepValue::passes) + layer.fixed_bytes + casts +
                       layer.permute_bytes * value_of(values_, StepValue::permute);
    const Seconds time = bytes(all) / rates_.memory;
    const double backward = 1 - kForwardPasses + kForwardPasses * layer.repeated_elementwise;
    t.forward.memory += time * kForwardPasses;
    t.backward.memory += time * backward;
    t.forward.traffic += bytes(all * kForwardPasses);
    t.backward.traffic += bytes(all * backward);
  }

  void add_communication(const LayerWork& layer, LayerTime& t) const {
    const Seconds pair = ring_time(layer.tp.bytes, 2, work_.tp, rates_);
    const double tp = std::min(1.0, value_of(values_, StepValue::tp_exposed));
    t.forward.tp += pair * (layer.tp.forward * tp);
    t.backward.tp += pair * (layer.tp.backward * tp);
    const LinkUse pair_links = ring_use(layer.tp.bytes, work_.tp, rates_);
    t.forward.links += pair_links * layer.tp.forward;
    t.backward.links += pair_links * layer.tp.backward;
    const double inside = layer.ep.bytes * (work_.ep.inside - 1) / work_.ep.ranks;
    const Seconds exchange = all_to_all_time(inside, layer.ep_outside_bytes, work_.ep, rates_);
    const double ep = std::min(1.0, value_of(values_, StepValue::ep_exposed));
    t.forward.ep += exchange * (layer.ep.forward * ep);
    t.backward.ep += exchange * (layer.ep.backward * ep);
    const LinkUse exchange_links = all_to_all_use(inside, layer.ep_outside_bytes, work_.ep, rates_);
    t.forward.links += exchange_links * layer.ep.forward;
    t.backward.links += exchange_links * layer.ep.backward;
  }

  // A third of the launches is forward; what is recomputed is launched again.
  void add_host(const LayerWork& layer, LayerTime& t) const {
    if (!layer.is_layer) return;
    const double experts = layer.local_experts;
    const Seconds launches = seconds(experts > 0 ? value_of(values_, StepValue::expert_host) +
                                                       experts * value_of(values_, StepValue::per_expert_host)
                                                 : value_of(values_, StepValue::host));
    t.forward.host += launches * (rates_.anchor / 3);
    t.backward.host += launches * (rates_.anchor / 3 * (2 + layer.repeated_launches));
  }

  const CompiledStep& work_;
  const StepValues& values_;
  const StepRates& rates_;
};

class StepTimer {
 public:
  StepTimer(const StepSetup& setup, const CompiledStep& work, const StepValues& values)
      : setup_(setup), work_(work), values_(values), rates_(step_rates(setup, values)) {}

  StepSeconds time() {
    const LayerTimer timer(work_, values_, rates_);
    for (const LayerWork& layer : work_.layers) t_.layers.push_back(timer.time(layer));
    for (const StageLayers& stage : work_.stages) add_stage(stage);
    add_pipeline();
    add_gradients_and_update();
    t_.fixed = seconds(value_of(values_, StepValue::fixed)) * rates_.anchor;
    const Seconds sum = t_.pipeline + t_.dp + t_.optimizer + t_.fixed;
    const double ranks = static_cast<double>(setup_.plan.tp * setup_.plan.pp * setup_.plan.cp * setup_.plan.dp);
    const double spread = setup_.rank_spread > 0 ? setup_.rank_spread : value_of(values_, StepValue::spread);
    t_.straggler = sum * (spread * expected_normal_maximum(ranks));
    t_.total = sum + t_.straggler;
    return std::move(t_);
  }

 private:
  void add_stage(const StageLayers& stage) {
    StagePass s;
    for (std::size_t i = 0; i < work_.layers.size(); ++i) {
      if (stage.count[i] == 0) continue;
      s.forward += stage.count[i] * t_.layers[i].forward;
      s.backward += stage.count[i] * t_.layers[i].backward;
      s.parameters += stage.count[i] * work_.layers[i].parameters;
      s.units += stage.count[i];
      s.expert_parameters += stage.count[i] * work_.layers[i].expert_parameters;
    }
    const Seconds device = s.forward.device() + s.backward.device();
    Seconds busy = device;
    if (work_.shards_weights && !work_.gathers_once) busy = add_sharding(s, device);
    s.micro_batch = soft_maximum(busy, s.forward.host + s.backward.host);
    t_.stages.push_back(s);
  }

  // FSDP: weights are gathered for the forward pass and again for the backward pass, gradients scattered, all beside
  // compute, which the traffic slows down.
  Seconds add_sharding(StagePass& s, Seconds device) {
    const double trained = work_.layers.empty() ? 1 : work_.layers.front().trained;
    const double moved = s.parameters * (2 * work_.element_bytes + gradient_bytes() * trained);
    const Seconds total = ring_time(moved, kGathersAndScatter * s.units, work_.shard, rates_);
    s.sharding_links = ring_use(moved, work_.shard, rates_);
    const Seconds busy =
        std::max(device, total) + std::min(device, total) * value_of(values_, StepValue::shard_slowdown);
    s.sharding = busy - device;
    return busy;
  }

  void add_pipeline() {
    const double m = work_.micro_batches, v = static_cast<double>(setup_.plan.virtual_pp);
    Seconds sum;
    for (std::size_t i = 0; i < t_.stages.size(); ++i) {
      sum += t_.stages[i].micro_batch;
      if (t_.stages[i].micro_batch > t_.stages[t_.slowest].micro_batch) t_.slowest = i;
    }
    const Seconds slowest = t_.stages[t_.slowest].micro_batch;
    // What the other stages add before the first and after the last micro-batch of the slowest.
    t_.bubble = (sum - slowest) / v;
    const double p = static_cast<double>(setup_.plan.pp);
    if (p > 1) { t_.pp = send_time(work_, rates_) * (2 * v * m * kPipelineExposed); }
    if (const std::optional<Seconds> makespan = scheduled()) t_.bubble = *makespan - slowest * m - t_.pp;
    t_.pipeline = slowest * m + t_.bubble + t_.pp;
  }

  // Zero-bubble and DualPipe have no closed form for stages that differ: their makespan is that of the schedule's
  // events. For 1F1B and interleaving the closed form is the events' own figure: within 0.2 and 0.9 % over the
  // published runs.
  std::optional<Seconds> scheduled() const {
    const PipelineSchedule schedule = setup_.plan.schedule;
    if (schedule != PipelineSchedule::dualpipe && schedule != PipelineSchedule::zero_bubble) return std::nullopt;
    constexpr std::int64_t kMostMicroBatches = 100'000;  // beyond, the ends of the schedule do not matter
    if (setup_.plan.accumulation > kMostMicroBatches) return std::nullopt;
    const PipelineInput input = step_pipeline(setup_, work_, t_);
    return check(input) ? std::nullopt : std::optional(run_pipeline(input).makespan);
  }

  // Gradients are never narrower than the weights they belong to.
  double gradient_bytes() const { return std::max(setup_.framework.gradient_bytes, work_.element_bytes); }

  // Of the step's gradients and weights over `group`, in buckets that grow with it: 40 million parameters or one
  // million a rank (Megatron Core, DistributedDataParallelConfig).
  Seconds reduce(double parameters, double bytes_each, const GroupSpan& group) {
    const double bucket = std::max(40e6, 1e6 * group.ranks);
    const double bytes = parameters * bytes_each;
    t_.dp_links += ring_use(bytes, group, rates_);
    return ring_time(bytes, 2 * std::ceil(parameters / bucket), group, rates_);
  }

  Seconds reduce_gradients(const StagePass& s, double trained) {
    const double gradient = gradient_bytes() * trained;
    if (!work_.shards_weights) {
      // Gradients are reduced (scattered) and weights, or the other half of the all-reduce, gathered.
      const double both = gradient + (setup_.plan.zero > 0 ? work_.element_bytes * trained : gradient);
      return reduce(s.parameters - s.expert_parameters, both, work_.shard) +
             reduce(s.expert_parameters, both, work_.expert_replicas);
    }
    const Seconds replicas = reduce(s.parameters / work_.shard.ranks, 2 * gradient, work_.replicas);
    return replicas +
           (work_.gathers_once ? reduce(s.parameters, work_.element_bytes + gradient, work_.shard) : Seconds());
  }

  void add_gradients_and_update() {
    const StagePass& s = t_.stages[t_.slowest];
    const double trained = work_.layers.front().trained;
    const double dense = s.parameters - s.expert_parameters;
    const Seconds total = reduce_gradients(s, trained);
    // Beside the last micro-batch's backward pass and the next step's first forward pass.
    const bool overlaps = work_.values[static_cast<std::size_t>(StepValue::dp_exposed)].has_value();
    const double exposed = overlaps ? std::min(1.0, value_of(values_, StepValue::dp_exposed)) : 1;
    t_.dp = std::max(total * exposed, total - s.micro_batch);
    const double shards = setup_.plan.zero > 0 ? work_.shard.ranks : 1;
    const double expert_shards =
        setup_.plan.zero > 0 ? (work_.shards_weights ? work_.shard.ranks : work_.expert_replicas.ranks) : 1;
    t_.optimizer_traffic = bytes(optimizer_bytes() * trained * (dense / shards + s.expert_parameters / expert_shards));
    t_.optimizer = t_.optimizer_traffic / rates_.memory;
  }

  // The framework's figure is Adam's with fp32 states, 12 bytes a parameter; each byte of state is read and written.
  double optimizer_bytes() const {
    constexpr double kAdamState = 12;
    return setup_.framework.optimizer_bytes + 2 * (setup_.workload.optimizer_state_bytes_per_parameter - kAdamState);
  }

  const StepSetup& setup_;
  const CompiledStep& work_;
  const StepValues& values_;
  StepRates rates_;
  StepSeconds t_;
};

}  // namespace

PassTime& PassTime::operator+=(const PassTime& o) {
  matmul += o.matmul;
  attention += o.attention;
  memory += o.memory;
  tp += o.tp;
  cp += o.cp;
  ep += o.ep;
  host += o.host;
  links += o.links;
  traffic += o.traffic;
  matmul_model += o.matmul_model;
  matmul_repeated += o.matmul_repeated;
  attention_model += o.attention_model;
  attention_repeated += o.attention_repeated;
  return *this;
}

PassTime operator*(double k, const PassTime& p) {
  PassTime r;
  r.matmul = p.matmul * k;
  r.attention = p.attention * k;
  r.memory = p.memory * k;
  r.tp = p.tp * k;
  r.cp = p.cp * k;
  r.ep = p.ep * k;
  r.host = p.host * k;
  r.links = p.links * k;
  r.traffic = p.traffic * k;
  r.matmul_model = p.matmul_model * k;
  r.matmul_repeated = p.matmul_repeated * k;
  r.attention_model = p.attention_model * k;
  r.attention_repeated = p.attention_repeated * k;
  return r;
}

double expected_normal_maximum(double n) {
  if (n <= 1) return 0;
  // Quantile of (n - 0.375) / (n + 0.25), by the asymptotic tail.
  const double tail = 1 - (n - 0.375) / (n + 0.25);
  const double t = std::sqrt(-2 * std::log(tail));
  return t -
         (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

StepSeconds step_seconds(const StepSetup& setup, const CompiledStep& work, const StepValues& values) {
  return StepTimer(setup, work, values).time();
}

}  // namespace nameplate
