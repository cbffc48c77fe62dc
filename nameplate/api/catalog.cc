#include "nameplate/api/catalog.h"

#include <algorithm>

#include <fmt/format.h>

#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/api/resolve.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

Cell tera(const Peak* peak) { return peak == nullptr ? Cell() : Cell(peak->rate.base() / 1e12); }

Table accelerators_table(const Catalogue& catalogue) {
  Table table{.id = "accelerators",
              .columns = {{"sku", ""},
                          {"vendor", ""},
                          {"bf16_tflops", "TFLOP/s"},
                          {"fp8_tflops", "TFLOP/s"},
                          {"memory_gb", "GB"},
                          {"memory_gb_per_s", "GB/s"},
                          {"power_w", "W"},
                          {"confidence", ""}}};
  for (const Accelerator& a : catalogue.accelerators()) {
    const Peak* sixteen = dense_peak(a, Precision::bf16);
    table.rows.push_back({a.sku, a.vendor, tera(sixteen != nullptr ? sixteen : dense_peak(a, Precision::fp16)),
                          tera(dense_peak(a, Precision::fp8)),
                          a.memory_size ? Cell(a.memory_size->base() / 1e9) : Cell(),
                          a.memory_bandwidth ? Cell(a.memory_bandwidth->base() / 1e9) : Cell(),
                          a.power_max ? Cell(a.power_max->base()) : Cell(), std::string(name(a.source.confidence))});
  }
  return table;
}

Table models_table(const Catalogue& catalogue) {
  Table table{.id = "models",
              .columns = {{"model", ""},
                          {"layers", ""},
                          {"hidden", ""},
                          {"parameters_total", ""},
                          {"parameters_active", ""},
                          {"source", ""}}};
  for (const CatalogueModel& model : catalogue.models()) {
    const ParameterCount count = count_parameters(build_decoder(model.shape));
    table.rows.push_back({model.shape.name, Int128{model.shape.layers}, Int128{model.shape.hidden}, count.total,
                          count.active, model.source.text});
  }
  return table;
}

Table conventions_table() {
  Table table{.id = "convention_list",
              .columns = {{"convention", ""}, {"formula", ""}, {"source", ""}, {"kind", ""}, {"attention", ""}},
              .text_columns = 3};
  for (const Convention& c : conventions()) {
    table.rows.push_back({std::string(c.id), std::string(c.formula), std::string(c.source), std::string(name(c.kind)),
                          std::string(c.attention)});
  }
  return table;
}

void add_fact(Table& table, std::string fact, std::string value, const Source& source) {
  if (value.empty()) return;
  table.rows.push_back(
      {std::move(fact), std::move(value), std::string(name(source.confidence)), source.date, source.text});
}

Table accelerator_facts(const Accelerator& a) {
  Table table{.id = "facts",
              .columns = {{"fact", ""}, {"value", ""}, {"confidence", ""}, {"date", ""}, {"source", ""}}};
  add_fact(table, "kind", std::string(name(a.kind)), a.source);
  add_fact(table, "form factor", a.form_factor, a.source);
  for (const Peak& peak : a.peaks) {
    const char* sparsity = peak.sparsity == Sparsity::dense ? "dense" : "sparse";
    add_fact(table, fmt::format("peak {} {}", name(peak.precision), sparsity),
             fmt::format("{:.6g} TFLOP/s", peak.rate.base() / 1e12), peak.source);
  }
  for (const AchievableMatmul& best : a.achievable) {
    add_fact(table, fmt::format("best matmul {}", name(best.precision)),
             fmt::format("{:.6g} TFLOP/s", best.rate.base() / 1e12), best.source);
  }
  if (a.memory_size)
    add_fact(table, "memory", fmt::format("{:.6g} GB {}", a.memory_size->base() / 1e9, a.memory_kind), a.source);
  if (a.memory_bandwidth)
    add_fact(table, "memory bandwidth", fmt::format("{:.6g} GB/s", a.memory_bandwidth->base() / 1e9), a.source);
  for (const Link& link : a.links) {
    add_fact(table, link.kind, fmt::format("{:.6g} GB/s per direction", link.bandwidth_per_direction.base() / 1e9),
             a.source);
  }
  if (a.power_max) add_fact(table, "board power", fmt::format("{:.6g} W", a.power_max->base()), a.source);
  if (a.compute_units) add_fact(table, "compute units", fmt::format("{}", *a.compute_units), a.source);
  if (a.software_devices != 1)
    add_fact(table, "devices that software sees", fmt::format("{}", a.software_devices), a.source);
  add_fact(table, "notes", a.notes, a.source);
  add_fact(table, "also called", fmt::format("{}", fmt::join(a.aliases, ", ")), a.source);
  return table;
}

Table model_facts(const CatalogueModel& model) {
  Table table{.id = "facts",
              .columns = {{"fact", ""}, {"value", ""}, {"confidence", ""}, {"date", ""}, {"source", ""}}};
  const DecoderShape& s = model.shape;
  const auto number = [&](std::string fact, std::int64_t value) {
    if (value > 0) add_fact(table, std::move(fact), fmt::format("{}", value), model.source);
  };
  number("layers", s.layers);
  number("hidden", s.hidden);
  number("heads", s.heads);
  if (!s.mla) number("kv_heads", s.kv_heads);
  if (!s.mla) number("head_dim", s.head_dim);
  number("ffn", s.ffn);
  number("vocab", s.vocab);
  if (s.moe) {
    number("experts", s.moe->experts);
    number("experts_per_token", s.moe->experts_per_token);
    number("expert_ffn", s.moe->expert_ffn);
    number("shared_ffn", s.moe->shared_ffn);
    number("first_dense_layers", s.moe->first_dense_layers);
  }
  if (s.mla) {
    number("q_rank", s.mla->q_rank);
    number("kv_rank", s.mla->kv_rank);
  }
  if (model.published_parameters)
    add_fact(table, "parameters, as published", fmt::format("{:.6g}", *model.published_parameters), model.source);
  add_fact(table, "notes", model.notes, model.source);
  add_fact(table, "also called", fmt::format("{}", fmt::join(model.aliases, ", ")), model.source);
  return table;
}

Result<Document> one_accelerator(const Catalogue& catalogue, const std::string& name, Document d) {
  const Result<AcceleratorMatch> match = catalogue.resolve_accelerator(name);
  if (!match.ok()) return match.error();
  if (!match->exact) {
    d.title = {"catalog.ambiguous", {{"name", name}, {"count", static_cast<std::int64_t>(match->candidates.size())}}};
    Table table{.id = "candidates", .columns = {{"sku", ""}, {"bf16_tflops", "TFLOP/s"}, {"notes", ""}}};
    for (const Accelerator* a : match->candidates)
      table.rows.push_back({a->sku, tera(dense_peak(*a, Precision::bf16)), a->notes});
    d.tables.push_back(std::move(table));
    return d;
  }
  d.title = {"catalog.entry", {{"name", match->candidates.front()->sku}}};
  d.tables.push_back(accelerator_facts(*match->candidates.front()));
  return d;
}

Result<Document> one_model(const Catalogue& catalogue, const std::string& name, Document d) {
  const Result<const CatalogueModel*> model = catalogue.find_model(name);
  if (!model.ok()) return model.error();
  const ParameterCount count = count_parameters(build_decoder((*model)->shape));
  d.title = {"catalog.entry", {{"name", (*model)->shape.name}}};
  Value total;
  total.id = "parameters_total";
  total.value = count.total;
  total.unit = "1";
  d.values.push_back(total);
  total.id = "parameters_active";
  total.value = count.active;
  d.values.push_back(total);
  d.tables.push_back(model_facts(**model));
  return d;
}

}  // namespace

Result<Document> catalog(const CatalogRequest& request) {
  NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
  Document d;
  d.command = "catalog";
  const std::vector<std::string> kinds = {"accelerators", "models", "conventions"};
  const bool known_kind = request.kind.empty() || std::find(kinds.begin(), kinds.end(), request.kind) != kinds.end();
  if (!known_kind) return error(fmt::format("unknown kind '{}'", request.kind), did_you_mean(request.kind, kinds));
  if (!request.name.empty() && request.kind == "conventions") {
    return error("one convention has no page of its own", "nameplate catalog conventions lists them all");
  }
  if (!request.name.empty()) {
    return request.kind == "models" ? one_model(*catalogue, request.name, std::move(d))
                                    : one_accelerator(*catalogue, request.name, std::move(d));
  }
  d.title = {"catalog.title",
             {{"accelerators", static_cast<std::int64_t>(catalogue->accelerators().size())},
              {"models", static_cast<std::int64_t>(catalogue->models().size())}}};
  const auto shows = [&](std::string_view kind) { return request.kind.empty() || request.kind == kind; };
  if (shows("accelerators")) d.tables.push_back(accelerators_table(*catalogue));
  if (shows("models")) d.tables.push_back(models_table(*catalogue));
  if (shows("conventions")) d.tables.push_back(conventions_table());
  for (Table& table : d.tables) table.text_rows = table.rows.size();  // a list is asked for: all of it
  return d;
}

}  // namespace nameplate
