#include "nameplate/analysis/steptime/work.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "nameplate/analysis/steptime/layer_work.h"

namespace nameplate {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

// Which layers a stage has. Even where the layers divide; with embedding and head as layers of their own where that
// divides (126 layers on 8 or 16 stages); else balanced by hand, so that every stage has its share of everything.
std::vector<StageLayers> stage_layers(const CompiledStep& work, const StepSetup& setup) {
  const Plan& plan = setup.plan;
  const auto stages = static_cast<std::size_t>(plan.pp);
  double layers = 0;
  for (const LayerWork& each : work.layers) layers += each.is_layer ? each.repeat : 0;
  const double parts = real(plan.pp * plan.virtual_pp);
  const bool even = std::fmod(layers, parts) == 0;
  const bool ends_count = !even && std::fmod(layers + 2, parts) == 0;
  std::vector<StageLayers> result(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    double share = 1.0 / real(plan.pp);
    if (ends_count) {
      const double less = (i == 0 ? 1 : 0) + (i + 1 == stages ? 1 : 0);
      share = ((layers + 2) / real(plan.pp) - less) / layers;
    }
    if (!plan.stage_layers.empty()) share = real(plan.stage_layers[i]) / layers;
    bool behind_layers = false;
    for (const LayerWork& each : work.layers) {
      behind_layers = behind_layers || each.is_layer;
      const bool own_place = even || ends_count || !plan.stage_layers.empty();
      const bool here = behind_layers ? i + 1 == stages : i == 0;
      const double of_ends = own_place ? (here ? each.repeat : 0) : each.repeat / real(plan.pp);
      result[i].count.push_back(each.is_layer ? each.repeat * share : of_ends);
    }
  }
  return result;
}

// `ranks` that are `stride` apart in the order of the devices.
GroupSpan span_of(double ranks, double stride, double domain) {
  return {ranks, std::clamp(std::floor(domain / stride), 1.0, ranks)};
}

void add_groups(const StepSetup& setup, CompiledStep& work) {
  const Plan& p = setup.plan;
  const double domain = real(setup.fabric.domain);
  const double tp = real(p.tp), cp = real(p.cp), dp = real(p.dp);
  const double shard = p.zero >= 3 ? real(p.dp_shard) * cp : dp * cp;
  work.tp = span_of(tp, 1, domain);
  work.cp = span_of(cp, tp, domain);
  work.ep = span_of(real(p.ep), real(p.etp), domain);
  work.shard = span_of(shard, tp, domain);
  work.replicas = span_of(std::max(1.0, dp * cp / shard), tp * shard, domain);
  work.expert_replicas = span_of(std::max(1.0, tp * cp * dp / (real(p.ep) * real(p.etp))), real(p.ep * p.etp), domain);
}

// Of `k` domains a token's `e` experts lie in k (1 - (1 - 1 / k)^e), if chosen alike; all but its own are outside.
void add_outside_bytes(const StepSetup& setup, const GroupSpan& ep, LayerWork& layer) {
  if (layer.local_experts == 0 || ep.ranks <= ep.inside) return;
  layer.ep_outside_bytes = layer.ep.bytes * (ep.ranks - ep.inside) / ep.ranks;
  if (!setup.framework.sends_once_per_node || layer.experts_per_token <= 1) return;
  const double domains = ep.ranks / ep.inside;
  const double reached = (domains - 1) * (1 - std::pow(1 - 1 / domains, layer.experts_per_token));
  layer.ep_outside_bytes = std::min(layer.ep_outside_bytes, layer.ep.bytes / layer.experts_per_token * reached);
}

std::string_view class_of(Precision precision) {
  return precision == Precision::fp4 ? "4" : precision == Precision::fp8 || precision == Precision::int8 ? "8" : "16";
}

void look_up_values(const StepSetup& setup, const StepCalibration& calibration, CompiledStep& work) {
  const StepFramework& f = setup.framework;
  const std::string& family = setup.device.family;
  const std::string_view low = class_of(setup.workload.precision);
  const bool is_narrow = low != "16";
  const std::pair<StepValue, std::string> ids[] = {
      {StepValue::matmul_16, "matmul.16"},
      {StepValue::matmul_16_family, fmt::format("matmul.{}.16", family)},
      {StepValue::matmul_16_sku, fmt::format("matmul.{}.16", setup.device.sku)},
      {StepValue::matmul_low, fmt::format("matmul.{}", low)},
      {StepValue::matmul_low_family, fmt::format("matmul.{}.{}", family, low)},
      {StepValue::matmul_low_sku, fmt::format("matmul.{}.{}", setup.device.sku, low)},
      {StepValue::matmul_recipe, f.casts.empty() ? "" : fmt::format("matmul.{}", f.casts)},
      {StepValue::half_length_16, "half_length.16"},
      {StepValue::half_length_low, "half_length.8"},
      {StepValue::grouped, is_narrow ? "grouped.8" : "grouped.16"},
      {StepValue::attention, f.attention},
      {StepValue::attention_family, fmt::format("attention.{}", family)},
      {StepValue::attention_sku, fmt::format("attention.{}", setup.device.sku)},
      {StepValue::attention_pair, fmt::format("{}.{}", f.attention, family)},
      {StepValue::passes, f.passes},
      {StepValue::casts, f.casts},
      {StepValue::permute, f.permute},
      {StepValue::scale_up, "bus.scale_up"},
      {StepValue::scale_out, "bus.scale_out"},
      {StepValue::tp_exposed, f.tp_exposed},
      {StepValue::ep_exposed, f.experts_overlap ? "exposed.ep.overlapped" : "exposed.ep"},
      {StepValue::dp_exposed, setup.plan.overlap.dp ? "exposed.dp" : ""},
      {StepValue::shard_slowdown, f.shard_slowdown},
      {StepValue::host, f.host},
      {StepValue::expert_host, f.expert_host},
      {StepValue::per_expert_host, f.per_expert_host},
      {StepValue::fixed, f.fixed},
      {StepValue::spread, "spread"},
  };
  for (const auto& [value, id] : ids) {
    if (!id.empty()) work.values[static_cast<std::size_t>(value)] = calibration.find(id);
  }
}

}  // namespace

CompiledStep step_work(const StepSetup& setup, const StepCalibration& calibration) {
  const Plan& plan = setup.plan;
  CompiledStep work;
  const double length = real(longest_sequence(setup.workload));
  work.tokens = real(plan.micro_batch) * length / real(plan.cp);
  work.element_bytes = element_bytes(setup.workload.precision);
  work.micro_batches = real(plan.accumulation);
  for (const Block& block : setup.architecture.blocks) {
    work.layers.push_back(layer_work(setup, block, work.tokens));
    for (const Operator& op : block.operators) {
      const auto* norm = std::get_if<ElementwiseShape>(&op.shape);
      if (work.hidden == 0 && norm != nullptr && op.role == OperatorRole::norm) work.hidden = real(norm->width);
    }
  }
  add_groups(setup, work);
  for (LayerWork& layer : work.layers) add_outside_bytes(setup, work.ep, layer);
  work.stages = stage_layers(work, setup);
  work.p2p_bytes = plan.pp > 1 ? work.element_bytes * work.tokens * work.hidden / real(plan.tp) : 0;
  // Stages are the outermost order of ranks: neighbours are tp x cp x dp apart.
  work.p2p_inside = 2 * plan.tp * plan.cp * plan.dp <= setup.fabric.domain;
  work.shards_weights = plan.zero >= 3;
  work.keeps_gathered = plan.zero == 2;
  work.gathers_once = setup.framework.pipeline_gathers_once && plan.pp > 1;
  look_up_values(setup, calibration, work);
  return work;
}

}  // namespace nameplate
