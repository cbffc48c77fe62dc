#include "nameplate/api/flops.h"

#include <algorithm>

#include <algorithm>

#include <fmt/format.h>

#include "nameplate/analysis/flops/training.h"
#include "nameplate/api/load.h"
#include "nameplate/api/memory.h"
#include "nameplate/api/report_tables.h"
#include "nameplate/api/resolve.h"
#include "nameplate/core/file_reader.h"

namespace nameplate {
namespace {

constexpr std::int64_t kDefaultSequence = 8192;

Value exact(std::string id, Int128 number, std::string unit) {
  Value value;
  value.id = std::move(id);
  value.value = number;
  value.unit = std::move(unit);
  return value;
}

// Exact where the division has no remainder (windows make fractions of a key per query).
Value per_token(std::string id, Int128 total, Int128 tokens, std::string convention) {
  Value value = exact(std::move(id), total / tokens, "FLOP");
  if (total % tokens != 0) value.value = to_double(total) / to_double(tokens);
  value.convention = std::move(convention);
  return value;
}

Table operators_table(const std::vector<OperatorCount>& counts, Int128 tokens) {
  Table table{.id = "operators", .columns = {{"block", ""}, {"operator", ""}, {"repeat", ""}, {"parameters", ""}}};
  // Active parameters are a column only where experts make them differ.
  const bool sparse = std::any_of(counts.begin(), counts.end(),
                                  [](const OperatorCount& op) { return op.parameters_active != op.parameters; });
  if (sparse) table.columns.push_back({"parameters_active", ""});
  table.columns.insert(table.columns.end(),
                       {{"flops_per_token_forward", "FLOP"}, {"flops_per_token", "FLOP"}, {"share_ratio", "1"}});
  // So is the unit, where the model has several.
  const bool mixed = std::any_of(counts.begin(), counts.end(),
                                 [&](const OperatorCount& op) { return op.unit != counts.front().unit; });
  if (mixed) table.columns.push_back({"unit", ""});
  double all = 0;
  for (const OperatorCount& op : counts) all += to_double(op.flops.total());
  for (const OperatorCount& op : counts) {
    const double total = to_double(op.flops.total());
    std::vector<Cell> row = {op.block, op.id, Int128{op.repeat}, op.parameters};
    if (sparse) row.push_back(op.parameters_active);
    row.insert(row.end(), {Cell(to_double(op.flops.forward) / to_double(tokens)), Cell(total / to_double(tokens)),
                           Cell(all > 0 ? total / all : 0.0)});
    if (mixed) row.push_back(op.unit);
    table.rows.push_back(std::move(row));
  }
  return table;
}

LoadRequest load_request(const FlopsRequest& request, const RecomputeChoice& recompute) {
  LoadRequest load;
  load.data_directory = request.data_directory;
  if (is_directory(request.model) || (file_exists(request.model) && request.model.ends_with(".toml"))) {
    load.paths = {request.model};
  } else if (file_exists(request.model)) {
    load.settings.emplace_back("model.config", request.model);
  } else {
    load.settings.emplace_back("model.name", request.model);
  }
  if (request.sequence_length)
    load.settings.emplace_back("training.seq_len", fmt::format("{}", *request.sequence_length));
  if (request.sequences) load.settings.emplace_back("training.global_batch", fmt::format("{}", *request.sequences));
  load.settings.insert(load.settings.end(), request.settings.begin(), request.settings.end());
  if (!request.recompute.empty()) load.settings.emplace_back("training.recompute", name(recompute.recompute));
  return load;
}

// Parts of a model of several: towers, encoder and decoder. Operators between them stand under "".
Table parts_table(const std::vector<OperatorCount>& counts) {
  Table table{.id = "parts",
              .columns = {{"part", ""},
                          {"parameters", ""},
                          {"flops_per_step_forward", "FLOP"},
                          {"flops_per_step", "FLOP"},
                          {"share_ratio", "1"}}};
  struct Sum {
    std::string part;
    Int128 parameters = 0;
    OperatorFlops flops;
  };
  std::vector<Sum> sums;
  double all = 0;
  for (const OperatorCount& op : counts) {
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return s.part == op.part; });
    if (sum == sums.end()) sum = sums.insert(sum, {.part = op.part});
    sum->parameters += op.parameters;
    sum->flops += op.flops;
    all += to_double(op.flops.total());
  }
  if (sums.size() < 2) return table;
  for (const Sum& sum : sums) {
    const double share = all > 0 ? to_double(sum.flops.total()) / all : 0.0;
    table.rows.push_back(
        {sum.part.empty() ? "shared" : sum.part, sum.parameters, sum.flops.forward, sum.flops.total(), share});
  }
  return table;
}

Table precisions_table(const LoadedRun& run, Workload workload) {
  Table table{.id = "precisions", .columns = {{"precision", ""}, {"share_ratio", "1"}}};
  workload.precision = run.precision;
  const std::vector<PrecisionShare> shares = precision_shares(*run.facts.architecture, workload);
  if (shares.size() < 2) return table;
  for (const PrecisionShare& share : shares) {
    table.rows.push_back({std::string(name(share.precision)), share.share_ratio});
  }
  return table;
}

void add_table(Table table, Document& d) {
  if (!table.rows.empty()) d.tables.push_back(std::move(table));
}

// What one step computes: samples of their own lengths where they are known (data.mean_length), else full sequences;
// per token that is computed, padding included.
struct Counted {
  Workload workload;
  Int128 tokens = 0;
};

Counted counted_workload(const RunFacts& facts) {
  const Workload& workload = facts.samples ? *facts.samples : *facts.workload;
  return {workload, units(workload) + workload.padded_units};
}

bool is_causal(const Architecture& model) {
  for (const Block& block : model.blocks) {
    for (const Operator& op : block.operators) {
      const auto* attention = std::get_if<AttentionShape>(&op.shape);
      if (attention == nullptr) continue;
      const MaskKind kind = attention->mask.kind;
      if (kind == MaskKind::causal || kind == MaskKind::sliding || kind == MaskKind::chunked ||
          kind == MaskKind::selected) {
        return true;
      }
    }
  }
  return false;
}

void add_values(const LoadedRun& run, const Workload& workload, Document& d) {
  const Architecture& model = *run.facts.architecture;
  const ParameterCount parameters = count_parameters(model);
  const Counted counted = counted_workload(run.facts);
  const OperatorFlops step = step_flops(model, counted.workload, AttentionCount::causal);
  const Int128 tokens = units(workload);
  d.values.push_back(exact("parameters_total", parameters.total, "1"));
  d.values.push_back(exact("parameters_active", parameters.active, "1"));
  d.values.push_back(exact("parameters_matmul", parameters.matmul_active, "1"));
  if (parameters.mtp > 0) d.values.push_back(exact("parameters_mtp", parameters.mtp, "1"));
  if (parameters.forward_only > 0) d.values.push_back(exact("parameters_forward_only", parameters.forward_only, "1"));
  if (parameters.trained != parameters.total) {
    d.values.push_back(exact("parameters_trained", parameters.trained, "1"));
  }
  const std::string per = model.unit == "token" ? "" : fmt::format("per {}; ", model.unit);
  const std::string how = per + (is_causal(model) ? "causal attention" : "full attention");
  d.values.push_back(per_token("flops_per_token_forward", step.forward, counted.tokens, how));
  d.values.push_back(per_token("flops_per_token", step.total(), counted.tokens, how + "; forward and backward"));
  d.values.push_back(exact("flops_per_step", step.total(), "FLOP"));
  if (run.facts.samples) {  // of the batch, not of the samples that stand for it
    d.values.back().value = to_double(step.total()) / to_double(counted.tokens) * to_double(tokens);
    d.assumptions.push_back({"flops.samples", {}});
  }
  d.values.push_back(exact("tokens_per_step", tokens, model.unit));
}

}  // namespace

Result<Document> flops(const FlopsRequest& request) {
  NAMEPLATE_TRY(const RecomputeChoice recompute, parse_recompute(request.recompute));
  NAMEPLATE_TRY(LoadedRun run, load(load_request(request, recompute)));
  if (!run.facts.architecture)
    return error(fmt::format("'{}' names no model", request.model),
                 "give a config.json or a name of `nameplate catalog models`");
  Document d;
  d.command = "flops";
  // Precision and accelerator play no part in a count.
  std::erase_if(run.assumptions, [](const Assumption& a) { return a.id == "precision.assumed"; });
  d.assumptions = run.assumptions;
  const Architecture& model = *run.facts.architecture;
  if (!run.facts.sequence_length) {
    // An image model has one length; a learned position table is an upper bound that rotary models do not have.
    const bool fixed = model.default_length > 0;
    const bool bounded = model.decoder && model.decoder->learned_positions > 0;
    const std::int64_t assumed =
        bounded ? std::min(kDefaultSequence, model.decoder->learned_positions) : kDefaultSequence;
    run.facts.sequence_length = fixed ? model.default_length : assumed;
    if (!fixed) d.assumptions.push_back({"flops.sequence_assumed", {{"seq", assumed}}});
  }
  const std::int64_t batch = run.facts.workload ? sequences(*run.facts.workload) : request.sequences.value_or(1);
  run.facts.workload = uniform_workload(batch, *run.facts.sequence_length);
  const Workload& workload = *run.facts.workload;
  d.title = {model.unit == "token" ? "flops.title" : "flops.title_unit",
             {{"model", run.model_name}, {"seq", *run.facts.sequence_length}, {"batch", batch}, {"unit", model.unit}}};
  add_values(run, workload, d);
  if (request.memory) {
    NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
    if (Status bad = add_memory(*request.memory, recompute, run, request.sequences, *catalogue, d)) return *bad;
  }
  const Counted counted = counted_workload(run.facts);
  const std::vector<OperatorCount> counts = count_operators(model, counted.workload, AttentionCount::causal);
  add_table(parts_table(counts), d);
  add_table(precisions_table(run, workload), d);
  d.tables.push_back(operators_table(counts, counted.tokens));
  d.tables.push_back(conventions_table(run.facts, std::nullopt));
  d.tables.back().text_columns = d.tables.back().columns.size() - 2;
  d.defects = run.defects;
  return d;
}

}  // namespace nameplate
