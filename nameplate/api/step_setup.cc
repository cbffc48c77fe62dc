#include "nameplate/api/step_setup.h"

#include <algorithm>

#include <fmt/format.h>

#include "nameplate/analysis/memory/estimate.h"
#include "nameplate/api/frameworks.h"
#include "nameplate/api/memory.h"
#include "nameplate/api/published_step_notes.h"
#include "nameplate/api/resolve.h"
#include "nameplate/api/step_anchor.h"
#include "nameplate/api/step_assumption.h"
#include "nameplate/api/step_device.h"
#include "nameplate/api/step_plan.h"
#include "nameplate/core/text.h"
#include "nameplate/core/units.h"
#include "nameplate/inputs/memory_calibration.h"
#include "nameplate/inputs/step_calibration.h"

namespace nameplate {
namespace {

// What no prediction does without, as one error.
Status check_known(const LoadedRun& run) {
  std::vector<std::string> missing;
  if (!run.facts.architecture) missing.push_back("the model (model.name, model.config)");
  if (!run.facts.sequence_length) missing.push_back("training.seq_len");
  if (!run.facts.workload) missing.push_back("training.global_batch");
  if (!run.facts.accelerators) missing.push_back("cluster.count");
  if (run.accelerator.empty()) missing.push_back("cluster.accelerator");
  if (missing.empty()) return std::nullopt;
  return error(fmt::format("too little to predict a step: {} is not stated", fmt::join(missing, ", ")),
               "in the manifest, or by --set KEY=VALUE");
}

// Stated, else as the log's format is called.
Known<std::string> framework_name(const LoadedRun& run) {
  if (const auto stated = run.manifest.text("training.framework")) return *stated;
  return {run.log ? run.log->format : std::string(), Origin::log, {}};
}

// A log's format need not be a framework's name; a name that is stated is.
Result<StepFramework> step_framework(const Known<std::string>& framework, std::vector<Assumption>& assumptions) {
  if (framework.origin != Origin::log) return step_framework_of(framework.value);
  const StepFramework& generic = StepFrameworks::embedded().entries().front().facts;
  const Result<StepFramework> named = step_framework_of(framework.value);
  if (named.ok() && named->id != generic.id) return *named;
  assumptions.push_back(step_assumption("training.framework", generic.id));
  return generic;
}

// [cluster] topology, innermost domain first.
Status read_topology(const Manifest& manifest, StepFabric& fabric) {
  const Node* domains = manifest.table("cluster.topology");
  if (domains == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < domains->items.size(); ++i) {
    const Node& domain = domains->items[i];
    if (const Node* bandwidth = domain.find("bandwidth"); bandwidth != nullptr) {
      NAMEPLATE_TRY(const BytesPerSecond rate, parse_bandwidth(bandwidth->as_string().value_or("")));
      (i == 0 ? fabric.scale_up : fabric.scale_out) = rate;
    }
    const Node* size = domain.find("size");
    if (i == 0 && size != nullptr) fabric.domain = std::max<std::int64_t>(1, size->as_integer().value_or(1));
    const Node* over = domain.find("oversubscription");
    if (over != nullptr) fabric.oversubscription = std::max(fabric.oversubscription, over->as_number().value_or(1));
  }
  return std::nullopt;
}

Result<StepFabric> fabric_of(const LoadedRun& run, const Accelerator& part, std::vector<Assumption>& assumptions) {
  const Manifest& manifest = run.manifest;
  FabricFacts facts;
  if (const auto per_node = manifest.integer("cluster.per_node")) facts.per_node = per_node->value;
  if (const auto domain = manifest.integer("cluster.scale_up_domain")) facts.domain = domain->value;
  if (const auto network = manifest.bandwidth("cluster.network")) facts.network = network->value;
  std::vector<Assumption> of_fabric;
  StepFabric fabric = step_fabric(part, facts, of_fabric);
  if (Status bad = read_topology(manifest, fabric)) return *bad;
  if (const auto links = manifest.bandwidth("cluster.scale_up")) fabric.scale_up = links->value;
  if (const auto latency = manifest.duration("cluster.scale_up_latency")) fabric.scale_up_latency = latency->value;
  if (const auto latency = manifest.duration("cluster.network_latency")) fabric.scale_out_latency = latency->value;
  // One domain needs no network, one accelerator no links either.
  if (*run.facts.accelerators > fabric.domain)
    assumptions.insert(assumptions.end(), of_fabric.begin(), of_fabric.end());
  // What the manifest states about the network (a what-if, perhaps) goes before a measurement of another one.
  const bool stated =
      manifest.has("cluster.network") || manifest.has("cluster.scale_up") || manifest.has("cluster.topology");
  for (const ClusterRecords& records : run.records) {
    if (records.fabric && !stated) use_measured_fabric(*records.fabric, fabric);
  }
  return fabric;
}

// Peaks and bandwidth that the manifest states in place of the catalogue's. The best matmul keeps its share of the
// peak.
void override_device(const LoadedRun& run, StepDevice& device) {
  if (const auto peak = run.manifest.flops_rate("cluster.peak")) {
    const double factor = peak->value / device.peak;
    device.peak = peak->value;
    device.matmul = device.matmul * factor;
    if (!is_narrow(run.precision)) {
      device.peak_16 = device.peak_16 * factor;
      device.matmul_16 = device.matmul_16 * factor;
    }
  }
  if (const auto bandwidth = run.manifest.bandwidth("cluster.hbm_bandwidth"))
    device.memory_bandwidth = bandwidth->value;
}

// What the catalogue does not say of the part ("cpu" has nothing) is what the manifest states.
Accelerator with_stated(const LoadedRun& run, Accelerator part) {
  const auto peak = run.manifest.flops_rate("cluster.peak");
  const auto bandwidth = run.manifest.bandwidth("cluster.hbm_bandwidth");
  if (!part.memory_bandwidth && bandwidth) part.memory_bandwidth = bandwidth->value;
  for (const Precision precision : {run.precision, Precision::bf16}) {
    if (peak && dense_peak(part, precision) == nullptr) {
      part.peaks.push_back({.precision = precision, .rate = peak->value, .source = {}});
    }
  }
  return part;
}

// What neither the catalogue nor the manifest says of the part.
Error missing_rates(const LoadedRun& run, const Accelerator& part) {
  std::vector<std::string> missing;
  if (!part.memory_bandwidth) missing.push_back("memory bandwidth (cluster.hbm_bandwidth)");
  const bool has_peak = dense_peak(part, run.precision) != nullptr;
  if (missing.empty() || !has_peak) missing.push_back(fmt::format("{} peak (cluster.peak)", name(run.precision)));
  return error(fmt::format("the {} of {} is not known", fmt::join(missing, " and the "), part.sku),
               "in the manifest, by --set KEY=VALUE, or a catalogue entry of your own (docs/catalogue.md)");
}

Result<StepDevice> device_of(const LoadedRun& run, const Catalogue& catalogue, const Accelerator& part,
                             const StepCalibration& calibration, std::vector<Assumption>& assumptions) {
  const Accelerator known = with_stated(run, part);
  auto device = step_device(catalogue, known, run.precision, calibration, assumptions);
  if (!device) return missing_rates(run, known);
  override_device(run, *device);
  return *device;
}

// The batch with the precision, recomputation and optimizer of the manifest.
Result<Workload> workload_of(const LoadedRun& run, StepSetup& step) {
  Workload workload = *run.facts.workload;
  workload.precision = run.precision;
  workload.recompute = run.facts.recompute;
  if (!run.facts.recompute_known) step.assumptions.push_back(step_assumption("training.recompute", "none"));
  if (const auto optimizer = run.manifest.text("training.optimizer")) {
    NAMEPLATE_TRY(workload.optimizer_state_bytes_per_parameter, optimizer_bytes(optimizer->value));
    if (optimizer->value == "muon") step.assumptions.push_back({"step.muon", {}});
  }
  return workload;
}

// "mlp+moe_act": modules in place of what the framework's "selective" means.
Status read_recompute_modules(const LoadedRun& run, RunSetup& setup) {
  const auto text = run.manifest.text("training.recompute");
  if (!text) return std::nullopt;
  NAMEPLATE_TRY(const RecomputeChoice choice, parse_recompute(text->value));
  if (choice.modules.empty()) return std::nullopt;
  setup.memory.selective = choice.modules;
  setup.step.recompute = recompute_shares(choice.modules);
  return std::nullopt;
}

// [data]; nothing where it does not say what a sample costs.
std::optional<DataSupply> data_of(const LoadedRun& run, const Plan& plan) {
  const Manifest& m = run.manifest;
  const auto host_time = m.duration("data.cpu_time_per_sample");
  const auto bytes = m.bytes("data.bytes_per_sample");
  if (!host_time && !bytes) return std::nullopt;
  DataSupply d{.samples_per_step = static_cast<double>(sequences(*run.facts.workload)), .loaders = plan.dp};
  if (host_time) d.cpu_time_per_sample = host_time->value;
  if (bytes) d.bytes_per_sample = bytes->value;
  if (const auto workers = m.integer("data.workers")) d.workers = workers->value;
  if (const auto prefetch = m.integer("data.prefetch")) d.prefetch = prefetch->value;
  if (const auto hit = m.number("data.cache_hit")) d.cache_hit = hit->value;
  if (const auto burstiness = m.number("data.burstiness")) d.burstiness = burstiness->value;
  const auto servers_stated = m.integer("data.store.servers");
  const double servers = static_cast<double>(servers_stated ? std::max<std::int64_t>(1, servers_stated->value) : 1);
  if (const auto rate = m.bandwidth("data.store.bandwidth")) d.store_bandwidth = rate->value * servers;
  if (const auto reads = m.number("data.store.iops"); reads && reads->value > 0)
    d.store_reads = PerSecond::from_base(reads->value * servers);
  return d;
}

// Each assumption once, though several figures rest on it.
void say_once(std::vector<Assumption>& assumptions) {
  std::vector<Assumption> once;
  for (Assumption& each : assumptions) {
    if (std::find(once.begin(), once.end(), each) == once.end()) once.push_back(std::move(each));
  }
  assumptions = std::move(once);
}

std::optional<Bytes> capacity_of(const LoadedRun& run, const Accelerator& part) {
  if (const auto size = run.manifest.bytes("cluster.hbm_size")) return addressable_memory(size->value);
  return part.memory_size ? std::optional(addressable_memory(*part.memory_size)) : std::nullopt;
}

}  // namespace

Result<RunSetup> run_setup(const LoadedRun& run, const Catalogue& catalogue, const StepCalibration& calibration) {
  if (Status bad = check_known(run)) return *bad;
  RunSetup setup;
  StepSetup& step = setup.step;
  const Known<std::string> framework = framework_name(run);
  NAMEPLATE_TRY(step.framework, step_framework(framework, step.assumptions));
  const Result<MemoryFacts> memory = memory_facts_of(framework.value);
  setup.memory = memory.ok() ? *memory : MemoryCalibration::embedded().frameworks.front().facts;
  const Accelerator* part = step_accelerator(catalogue, run.accelerator, step.assumptions);
  if (part == nullptr) {
    return error(fmt::format("unknown accelerator '{}'", run.accelerator), "nameplate catalog accelerators");
  }
  NAMEPLATE_TRY(step.device, device_of(run, catalogue, *part, calibration, step.assumptions));
  NAMEPLATE_TRY(step.fabric, fabric_of(run, *part, step.assumptions));
  step.architecture = *run.facts.architecture;
  if (run.manifest.has("model.lora_rank")) step.task = StepTask::lora;
  NAMEPLATE_TRY(step.workload, workload_of(run, step));
  if (Status bad = read_recompute_modules(run, setup)) return *bad;
  NAMEPLATE_TRY(step.plan, manifest_plan(run, step.framework, step.assumptions));
  if (const auto runs = run.manifest.text("measured.runs")) {
    const std::string folder = run.manifest.folder();
    const std::string path = folder.empty() || runs->value.starts_with('/') ? runs->value : folder + "/" + runs->value;
    NAMEPLATE_TRY(step.anchor, anchor_from_table(path, anchor_kind(step), catalogue));
  }
  say_once(step.assumptions);
  setup.capacity = capacity_of(run, *part);
  setup.data = data_of(run, step.plan);
  return setup;
}

}  // namespace nameplate
