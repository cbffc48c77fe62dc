#include "nameplate/api/memory.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/analysis/memory/estimate.h"
#include "nameplate/analysis/steptime/step_schedule.h"
#include "nameplate/api/frameworks.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/memory_calibration.h"

namespace nameplate {
namespace {

// Bytes per parameter beside weights and gradients, the fp32 copy of the weights (4) included.
constexpr std::array<std::pair<std::string_view, double>, 6> kOptimizers = {{
    {"adam", 12},      // two fp32 moments
    {"adam-bf16", 8},  // two bf16 moments
    {"adam-8bit", 6},  // two 8-bit moments (arXiv 2110.02861)
    {"muon", 8},       // one fp32 momentum
    {"sgd-momentum", 8},
    {"sgd", 4},
}};

constexpr std::int64_t kMostRanks = 1'000'000'000;

template <class Range, class Name>
std::vector<std::string> names_of(const Range& range, Name name) {
  std::vector<std::string> names;
  for (const auto& item : range) names.emplace_back(name(item));
  return names;
}

Result<MemoryFacts> framework_facts(const MemoryRequest& request, Document& d) {
  if (request.framework.empty()) {
    const MemoryFacts& generic = MemoryCalibration::embedded().frameworks.front().facts;
    d.assumptions.push_back({"memory.framework_assumed", {{"framework", generic.id}}});
    return generic;
  }
  return memory_facts_of(request.framework);
}

Result<Plan> plan_of(const MemoryRequest& request, const MemoryFacts& facts, std::optional<std::int64_t> sequences,
                     Document& d) {
  Plan plan{.tp = request.tp,
            .etp = request.etp,
            .pp = request.pp,
            .virtual_pp = request.virtual_pp,
            .cp = request.cp,
            .ep = request.ep,
            .zero = request.zero.value_or(facts.sharding),
            .sp = request.sp,
            .micro_batch = request.micro_batch};
  NAMEPLATE_TRY(const std::int64_t others, ranks({plan.tp, plan.pp, plan.cp}));
  // The least data parallelism that holds the expert-parallel ranks.
  NAMEPLATE_TRY(const std::int64_t expert_ranks, ranks({plan.ep, plan.etp}));
  plan.dp = request.gpus ? std::max<std::int64_t>(1, *request.gpus / others)
                         : expert_ranks / std::gcd(expert_ranks, plan.tp * plan.cp);
  if (!request.gpus) d.assumptions.push_back({"memory.gpus_assumed", {{"gpus", others * plan.dp}}});
  plan.dp_shard = plan.zero > 0 ? request.shard.value_or(plan.dp) : 1;
  if (plan.virtual_pp > 1) plan.schedule = PipelineSchedule::interleaved;
  plan.accumulation = sequences ? std::max<std::int64_t>(1, *sequences / (plan.dp * plan.micro_batch)) : 2 * plan.pp;
  if (!sequences && plan.pp > 1)
    d.assumptions.push_back({"memory.accumulation_assumed", {{"micro_batches", plan.accumulation}}});
  if (Status bad = check(plan, request.gpus.value_or(others * plan.dp))) return *bad;
  return plan;
}

using Terms = std::vector<std::pair<std::string_view, Bytes>>;

Terms terms(const StageMemory& m) {
  return {{"weights", m.weights},   {"gradients", m.gradients}, {"optimizer", m.optimizer},
          {"gathered", m.gathered}, {"buffers", m.buffers},     {"activations", m.activations},
          {"logits", m.logits},     {"working", m.working},     {"constant", m.constant},
          {"reserve", m.reserve}};
}

void add_stage_terms(const StageMemory& m, Table& table) {
  for (const auto& [term, size] : terms(m)) {
    table.rows.push_back({Int128{m.stage}, std::string(term), size.base(), size / m.reserved()});
  }
  table.rows.push_back({Int128{m.stage}, std::string("total"), m.reserved().base(), 1.0});
}

Table memory_table(const MemoryEstimate& estimate) {
  Table table{.id = "memory", .columns = {{"stage", ""}, {"term", ""}, {"bytes", "B"}, {"share_ratio", "1"}}};
  add_stage_terms(estimate.peak(), table);
  table.text_rows = table.rows.size();
  for (std::size_t i = 0; i < estimate.stages.size(); ++i) {
    if (i != estimate.peak_stage) add_stage_terms(estimate.stages[i], table);
  }
  return table;
}

Table stages_table(const MemoryEstimate& estimate) {
  Table table{.id = "memory_stages",
              .columns = {{"stage", ""},
                          {"layers", ""},
                          {"in_flight", ""},
                          {"states", "B"},
                          {"activations", "B"},
                          {"allocated", "B"},
                          {"reserved", "B"}}};
  for (const StageMemory& m : estimate.stages) {
    table.rows.push_back({Int128{m.stage}, Int128{m.layers}, m.micro_batches_in_flight,
                          (m.weights + m.gradients + m.optimizer).base(), m.activations.base(), m.allocated().base(),
                          m.reserved().base()});
  }
  return table;
}

Table activations_table(const StageMemory& m) {
  Table table{.id = "activations", .columns = {{"tensor", ""}, {"role", ""}, {"bytes", "B"}, {"share_ratio", "1"}}};
  for (const ActivationMemory& a : m.activations_by_tensor) {
    table.rows.push_back(
        {a.id, std::string(name(a.role)), a.bytes.base(), m.activations > Bytes{} ? a.bytes / m.activations : 0});
  }
  return table;
}

Result<Bytes> capacity_of(const std::string& accelerator, const Catalogue& catalogue) {
  NAMEPLATE_TRY(const AcceleratorMatch match, catalogue.resolve_accelerator(accelerator));
  if (const std::optional<Bytes> capacity = shared_capacity(match)) return *capacity;
  const auto skus = names_of(match.candidates, [](const Accelerator* candidate) { return candidate->sku; });
  return error(fmt::format("the memory of '{}' is not clear", accelerator),
               fmt::format("name one of {}", fmt::join(skus, ", ")));
}

Status set_precision(const std::string& text, Workload& workload) {
  if (text.empty()) return std::nullopt;
  const auto precision = parse_precision(text);
  if (!precision) return Error{fmt::format("unknown precision '{}'", text), "bf16, fp16, fp8, …", {}, {}};
  using enum Precision;
  if (*precision != bf16 && *precision != fp16 && *precision != fp8) {
    return Error{fmt::format("the memory of a step in {} is not modelled", text),
                 "bf16, fp16 or fp8, whose weights are kept in 16 bits",
                 {},
                 {}};
  }
  workload.precision = *precision;
  return std::nullopt;
}

// What a plan asks of the model and the batch that no job could give.
Status check_plan_of_model(const Plan& plan, const Architecture& model, const Workload& workload,
                           const MemoryRequest& request, std::optional<std::int64_t> sequences) {
  if (plan.pp * plan.virtual_pp > stages_at_most(model)) {
    return error(fmt::format("{} pipeline stages", plan.pp * plan.virtual_pp), "the model has fewer layers");
  }
  const bool known = model.decoder.has_value();
  if (known && model.decoder->heads % plan.tp != 0) {
    return error(fmt::format("tp {} does not divide {} attention heads", plan.tp, model.decoder->heads));
  }
  const std::int64_t experts = known && model.decoder->moe ? model.decoder->moe->experts : 0;
  if (known && plan.ep > 1 && (experts == 0 || experts % plan.ep != 0)) {
    return error(experts == 0 ? std::string("ep on a model without experts")
                              : fmt::format("ep {} does not divide {} experts", plan.ep, experts));
  }
  for (const LengthCount& part : workload.batch) {
    if (part.length % plan.cp != 0)
      return error(fmt::format("cp {} does not divide a sequence of {}", plan.cp, part.length));
  }
  const std::int64_t at_once = plan.dp * plan.micro_batch;
  if (sequences && request.gpus && *sequences % at_once != 0) {
    return error(fmt::format("a batch of {} over {} data-parallel ranks with micro-batches of {}", *sequences, plan.dp,
                             plan.micro_batch),
                 "the batch is a multiple of dp x micro-batch");
  }
  return std::nullopt;
}

}  // namespace

Result<std::int64_t> ranks(std::initializer_list<std::int64_t> degrees) {
  Int128 product = 1;
  for (std::int64_t degree : degrees) {
    product *= degree;
    if (degree < 1 || product > kMostRanks) {
      return error(fmt::format("parallel degrees {}", fmt::join(degrees, " x ")), "their product is between 1 and 1e9");
    }
  }
  return static_cast<std::int64_t>(product);
}

std::int64_t stages_at_most(const Architecture& architecture) {
  std::int64_t layers = 0;
  for (const Block& block : architecture.blocks) layers += block.repeat;
  return layers;
}

Result<double> optimizer_bytes(const std::string& optimizer) {
  for (const auto& [id, size] : kOptimizers) {
    if (id == optimizer || optimizer.empty()) return size;
  }
  const std::vector<std::string> known = names_of(kOptimizers, [](const auto& o) { return o.first; });
  return Error{fmt::format("unknown optimizer '{}'", optimizer),
               fmt::format("one of {}", fmt::join(known, ", ")),
               {},
               did_you_mean(optimizer, known)};
}

std::optional<Bytes> shared_capacity(const AcceleratorMatch& match) {
  const std::optional<Bytes> stated = match.candidates.front()->memory_size;
  for (const Accelerator* candidate : match.candidates) {
    if (!stated || candidate->memory_size != stated) return std::nullopt;
  }
  return addressable_memory(*stated);
}

Result<RecomputeChoice> parse_recompute(std::string_view text) {
  for (Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    if (text == name(recompute) || text.empty()) return RecomputeChoice{recompute, {}};
  }
  RecomputeChoice choice{Recompute::selective, {}};
  for (std::string_view word : split(text, '+')) {
    const auto module = parse_recompute_module(trim(word));
    if (!module)
      return Error{fmt::format("unknown recompute policy '{}'", word),
                   "none, selective, full, or modules such as mlp+moe_act",
                   {},
                   {}};
    choice.modules.push_back(*module);
  }
  return choice;
}

void add_fit(const StageMemory& peak, const std::string& accelerator, Bytes capacity, Document& d) {
  const MemoryCalibration& calibration = MemoryCalibration::embedded();
  const double risk =
      out_of_memory_risk(peak.reserved(), capacity, {calibration.risk_sigma_ratio, calibration.outside_allocator});
  d.add("memory_capacity_bytes", capacity.base(), "B");
  d.add("out_of_memory_risk_ratio", risk, "1");
  const Bytes usable = capacity - calibration.outside_allocator;
  if (peak.reserved() <= usable) {
    d.notes.push_back({"memory.fits",
                       {{"accelerator", accelerator},
                        {"reserved", peak.reserved().base()},
                        {"capacity", capacity.base()},
                        {"risk", risk}}});
    return;
  }
  Terms largest = terms(peak);
  std::stable_sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  d.notes.push_back({"memory.does_not_fit",
                     {{"accelerator", accelerator},
                      {"short", (peak.reserved() - usable).base()},
                      {"first", std::string(largest[0].first)},
                      {"first_bytes", largest[0].second.base()},
                      {"second", std::string(largest[1].first)},
                      {"second_bytes", largest[1].second.base()},
                      {"risk", risk}}});
}

void add_estimate(const MemoryEstimate& estimate, Document& d) {
  d.add("memory_peak_bytes", estimate.peak().allocated().base(), "B");
  d.add("memory_reserved_bytes", estimate.peak().reserved().base(), "B");
  d.add("parameters_per_gpu", estimate.peak().parameters, "1");
  d.tables.push_back(memory_table(estimate));
  d.tables.push_back(stages_table(estimate));
  d.tables.push_back(activations_table(estimate.peak()));
}

Status add_memory(const MemoryRequest& request, const RecomputeChoice& recompute, const LoadedRun& run,
                  std::optional<std::int64_t> sequences, const Catalogue& catalogue, Document& d) {
  Workload workload = *run.facts.workload;
  workload.recompute = recompute.recompute;
  if (Status bad = set_precision(request.precision, workload)) return bad;
  const Result<double> optimizer = optimizer_bytes(request.optimizer);
  if (!optimizer.ok()) return optimizer.error();
  workload.optimizer_state_bytes_per_parameter = *optimizer;
  Result<MemoryFacts> facts = framework_facts(request, d);
  if (!facts.ok()) return facts.error();
  if (!recompute.modules.empty()) facts->selective = recompute.modules;
  const Result<Plan> plan = plan_of(request, *facts, sequences, d);
  if (!plan.ok()) return plan.error();
  if (Status bad = check_plan_of_model(*plan, *run.facts.architecture, workload, request, sequences)) return bad;
  d.assumptions.push_back({"memory.balanced", {}});

  const MemoryEstimate estimate =
      estimate_memory(*run.facts.architecture, workload, *plan, *facts, peak_in_flight(plan_pipeline(*plan)));
  add_estimate(estimate, d);
  if (!request.accelerator.empty()) {
    const Result<Bytes> capacity = capacity_of(request.accelerator, catalogue);
    if (!capacity.ok()) return capacity.error();
    add_fit(estimate.peak(), request.accelerator, *capacity, d);
  }
  return std::nullopt;
}

}  // namespace nameplate
