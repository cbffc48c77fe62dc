#include "nameplate/api/flops.h"

#include <algorithm>

#include <fmt/format.h>

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
  double all = 0;
  for (const OperatorCount& op : counts) all += to_double(op.flops.total());
  for (const OperatorCount& op : counts) {
    const double total = to_double(op.flops.total());
    std::vector<Cell> row = {op.block, op.id, Int128{op.repeat}, op.parameters};
    if (sparse) row.push_back(op.parameters_active);
    row.insert(row.end(), {Cell(to_double(op.flops.forward) / to_double(tokens)), Cell(total / to_double(tokens)),
                           Cell(all > 0 ? total / all : 0.0)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

LoadRequest load_request(const FlopsRequest& request, const RecomputeChoice& recompute) {
  LoadRequest load;
  load.data_directory = request.data_directory;
  if (file_exists(request.model) || is_directory(request.model)) {
    load.paths = {request.model};
  } else {
    load.settings.emplace_back("model.name", request.model);
  }
  if (request.sequence_length)
    load.settings.emplace_back("training.seq_len", fmt::format("{}", *request.sequence_length));
  if (request.sequences) load.settings.emplace_back("training.global_batch", fmt::format("{}", *request.sequences));
  if (!request.recompute.empty()) load.settings.emplace_back("training.recompute", name(recompute.recompute));
  return load;
}

void add_values(const LoadedRun& run, const Workload& workload, Document& d) {
  const Architecture& model = *run.facts.architecture;
  const ParameterCount parameters = count_parameters(model);
  const OperatorFlops step = step_flops(model, workload, AttentionCount::causal);
  const Int128 tokens = units(workload);
  d.values.push_back(exact("parameters_total", parameters.total, "1"));
  d.values.push_back(exact("parameters_active", parameters.active, "1"));
  d.values.push_back(exact("parameters_matmul", parameters.matmul_active, "1"));
  if (parameters.mtp > 0) d.values.push_back(exact("parameters_mtp", parameters.mtp, "1"));
  d.values.push_back(per_token("flops_per_token_forward", step.forward, tokens, "causal attention"));
  d.values.push_back(per_token("flops_per_token", step.total(), tokens, "causal attention; forward and backward"));
  d.values.push_back(exact("flops_per_step", step.total(), "FLOP"));
  d.values.push_back(exact("tokens_per_step", tokens, "token"));
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
  if (!run.facts.sequence_length) {
    run.facts.sequence_length = kDefaultSequence;
    d.assumptions.push_back({"flops.sequence_assumed", {{"seq", kDefaultSequence}}});
  }
  const std::int64_t batch = run.facts.workload ? sequences(*run.facts.workload) : request.sequences.value_or(1);
  run.facts.workload = uniform_workload(batch, *run.facts.sequence_length);
  d.title = {"flops.title", {{"model", run.model_name}, {"seq", *run.facts.sequence_length}, {"batch", batch}}};
  add_values(run, *run.facts.workload, d);
  if (request.memory) {
    NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
    if (Status bad = add_memory(*request.memory, recompute, run, request.sequences, *catalogue, d)) return *bad;
  }
  d.tables.push_back(
      operators_table(count_operators(*run.facts.architecture, *run.facts.workload, AttentionCount::causal),
                      units(*run.facts.workload)));
  d.tables.push_back(conventions_table(run.facts, std::nullopt));
  d.defects = run.defects;
  return d;
}

}  // namespace nameplate
