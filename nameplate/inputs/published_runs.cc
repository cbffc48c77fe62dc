#include "nameplate/inputs/published_runs.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "nameplate/core/csv.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/published_notes.h"

namespace nameplate {
namespace {

// The columns, in the order of the header's list.
constexpr std::string_view kColumns =
    "id source_id source year task model_name params_b layers hidden ffn_hidden heads kv_heads head_dim vocab "
    "gated_mlp "
    "experts experts_per_token moe_ffn_hidden other_arch_notes seq_len global_batch_sequences micro_batch accelerator "
    "num_gpus gpus_per_node interconnect_notes dtype tp pp virtual_pp dp cp ep sequence_parallel zero_stage_or_fsdp "
    "recompute overlap_notes framework outcome measured_step_time_s measured_tokens_per_s_per_gpu "
    "measured_tflops_per_gpu measured_mfu_pct measured_hfu_pct measured_mem_gb flops_convention_notes confidence "
    "derived_step_time_s derived_tokens_per_s_per_gpu derived_basis derived_params_b derived_tflops_noncausal "
    "derived_tflops_causal derived_mfu_bf16_noncausal_pct check_note gate gate_note";

// No count in such a table is larger; products of a few of them stay within 64 bits.
constexpr std::int64_t kMostCount = 1'000'000'000'000;

template <class T>
struct Word {
  std::string_view text;
  T value;
};
constexpr Word<TrainingTask> kTasks[] = {
    {"pretrain", TrainingTask::pretrain}, {"sft", TrainingTask::sft}, {"lora", TrainingTask::lora}};
constexpr Word<RunOutcome> kOutcomes[] = {{"ok", RunOutcome::ok}, {"oom", RunOutcome::out_of_memory}};
constexpr Word<Recompute> kRecomputes[] = {
    {"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}};
constexpr Word<Confidence> kConfidences[] = {
    {"high", Confidence::high}, {"medium", Confidence::medium}, {"low", Confidence::low}};
constexpr Word<DerivedBasis> kBases[] = {{"step_time", DerivedBasis::step_time},
                                         {"tokens", DerivedBasis::tokens},
                                         {"tflops_noncausal", DerivedBasis::flops_full},
                                         {"tflops_causal", DerivedBasis::flops_causal}};
constexpr Word<bool> kFlags[] = {{"0", false}, {"1", true}};

// The cells of one row as typed values; those that cannot be read are kept as errors and go on as absent.
class Cells {
 public:
  Cells(const CsvTable& table, const CsvRow& row) : table_(table), row_(row) {}

  std::string_view text(std::string_view column) const {
    const auto index = table_.column(column);
    return index ? trim(row_.cells[*index]) : std::string_view();
  }

  std::optional<std::int64_t> count(std::string_view column) {
    const std::string_view cell = text(column);
    if (cell.empty()) return std::nullopt;
    const auto value = parse_integer(cell);
    if (value && *value > 0 && *value <= kMostCount) return value;
    fail(column, "a positive integer");
    return std::nullopt;
  }

  std::optional<double> number(std::string_view column, double scale = 1) {
    const std::string_view cell = text(column);
    if (cell.empty()) return std::nullopt;
    const auto value = parse_number(cell);
    if (value && *value > 0) return *value * scale;
    fail(column, "a positive number");
    return std::nullopt;
  }

  // A number in base units of a quantity, times `scale`.
  template <class Q>
  std::optional<Q> quantity(std::string_view column, double scale = 1) {
    const auto value = number(column, scale);
    return value ? std::optional(Q::from_base(*value)) : std::nullopt;
  }

  template <class T, std::size_t kCount>
  std::optional<T> word(std::string_view column, const Word<T> (&words)[kCount]) {
    const std::string_view cell = text(column);
    if (cell.empty()) return std::nullopt;
    std::vector<std::string> known;
    for (const Word<T>& w : words) {
      if (w.text == cell) return w.value;
      known.emplace_back(w.text);
    }
    fail(column, fmt::format("one of {}", fmt::join(known, ", ")), did_you_mean(cell, known));
    return std::nullopt;
  }

  std::optional<Precision> precision(std::string_view column) {
    const std::string_view cell = text(column);
    if (cell.empty()) return std::nullopt;
    const auto value = parse_precision(cell);
    if (!value) fail(column, "a number format such as bf16");
    return value;
  }

  void fail(std::string_view column, std::string expected, std::string hint = {}) {
    if (!bad_columns_.insert(std::string(column)).second) return;  // a cell may be read more than once
    add_defect(defects,
               {"published_runs.bad_cell",
                {{"line", static_cast<std::int64_t>(row_.line)},
                 {"column", std::string(column)},
                 {"cell", fmt::format("{:.80}", text(column))},
                 {"expected", hint.empty() ? std::move(expected) : std::move(hint)}}},
               Severity::data_loss);
  }
  bool all_read() const { return bad_columns_.empty(); }
  Defects defects;

 private:
  const CsvTable& table_;
  const CsvRow& row_;
  std::set<std::string> bad_columns_;
};

PublishedFigures read_measured(Cells& cells) {
  return {.step_time = cells.quantity<Seconds>("measured_step_time_s"),
          .tokens_per_s_per_gpu = cells.quantity<TokensPerSecond>("measured_tokens_per_s_per_gpu"),
          .flops_rate_per_gpu = cells.quantity<FlopsPerSecond>("measured_tflops_per_gpu", 1e12),
          .mfu = cells.number("measured_mfu_pct", 0.01),
          .hfu = cells.number("measured_hfu_pct", 0.01),
          .memory_per_gpu = cells.quantity<Bytes>("measured_mem_gb", 1e9)};
}

DerivedFigures read_derived(Cells& cells) {
  return {.step_time = cells.quantity<Seconds>("derived_step_time_s"),
          .tokens_per_s_per_gpu = cells.quantity<TokensPerSecond>("derived_tokens_per_s_per_gpu"),
          .basis = cells.word("derived_basis", kBases),
          .parameters_total = cells.number("derived_params_b", 1e9),
          .flops_rate_full_per_gpu = cells.quantity<FlopsPerSecond>("derived_tflops_noncausal", 1e12),
          .flops_rate_causal_per_gpu = cells.quantity<FlopsPerSecond>("derived_tflops_causal", 1e12),
          .mfu_bf16_full = cells.number("derived_mfu_bf16_noncausal_pct", 0.01)};
}

PublishedPlan read_plan(Cells& cells) {
  return {.tp = cells.count("tp"),
          .pp = cells.count("pp"),
          .virtual_pp = cells.count("virtual_pp"),
          .dp = cells.count("dp"),
          .cp = cells.count("cp"),
          .ep = cells.count("ep"),
          .micro_batch = cells.count("micro_batch"),
          .sequence_parallel = cells.word("sequence_parallel", kFlags),
          .sharding = std::string(cells.text("zero_stage_or_fsdp")),
          .recompute = cells.word("recompute", kRecomputes)};
}

// The dimensions that have a column of their own; nothing when one that the FLOPs need is missing. The vocabulary may
// be.
std::optional<DecoderShape> read_dimensions(Cells& cells) {
  const auto layers = cells.count("layers"), hidden = cells.count("hidden"), heads = cells.count("heads"),
             kv_heads = cells.count("kv_heads"), head_dim = cells.count("head_dim"), ffn = cells.count("ffn_hidden"),
             vocab = cells.count("vocab"), experts = cells.count("experts"), active = cells.count("experts_per_token"),
             expert_ffn = cells.count("moe_ffn_hidden");
  const auto gated = cells.word("gated_mlp", kFlags);
  if (!layers || !hidden || !heads || !kv_heads || !head_dim || !gated) return std::nullopt;
  if (experts ? !active || !expert_ffn : !ffn) return std::nullopt;
  DecoderShape shape{.layers = *layers,
                     .hidden = *hidden,
                     .heads = *heads,
                     .kv_heads = *kv_heads,
                     .head_dim = *head_dim,
                     .ffn = ffn.value_or(0),
                     .gated_mlp = *gated,
                     .vocab = vocab.value_or(0)};
  if (experts) shape.moe = MoeShape{.experts = *experts, .experts_per_token = *active, .expert_ffn = *expert_ffn};
  return shape;
}

// The latent dimensions that the row states, completed from the model's published configuration. False: not all known.
bool complete_latent_dims(PublishedRun& run, MlaShape stated) {
  const auto complete = [](const MlaShape& m) {
    return m.kv_rank > 0 && m.nope_dim > 0 && m.rope_dim > 0 && m.v_dim > 0;
  };
  if (!complete(stated)) {
    const PublishedLatentDims* published = find_latent_dims(run.model_name);
    if (published == nullptr) return false;
    const auto fill = [](std::int64_t& dim, std::int64_t value) { dim = dim > 0 ? dim : value; };
    fill(stated.q_rank, published->shape.q_rank);
    fill(stated.kv_rank, published->shape.kv_rank);
    fill(stated.nope_dim, published->shape.nope_dim);
    fill(stated.rope_dim, published->shape.rope_dim);
    fill(stated.v_dim, published->shape.v_dim);
    run.latent_dims_source = published->source;
  }
  run.shape->mla = stated;
  return true;
}

void apply_notes(PublishedRun& run, const ArchitectureNotes& notes) {
  DecoderShape& shape = *run.shape;
  shape.name = run.model_name;
  shape.tied_embeddings = notes.tied_embeddings;
  if (notes.learned_positions) shape.learned_positions = run.seq_len.value_or(0);
  if (notes.attention_sinks) shape.attention_sinks = 1;
  if (shape.moe) {
    shape.moe->shared_ffn = notes.shared_experts * shape.moe->expert_ffn;
    shape.moe->first_dense_layers = notes.first_dense_layers;
  }
  // A row may say that it ran the model without its multi-token-prediction modules: "deepseek-v3 (w/o MTP)".
  if (run.model_name.find("(w/o MTP)") == std::string::npos) shape.mtp_depth = notes.mtp_depth;
  constexpr std::int64_t kMostLayers = 100'000;  // check() of a shape refuses more
  if (notes.alternating_window > 0 && shape.layers <= kMostLayers) {
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      shape.masks.push_back(layer % 2 == 0 ? Mask{MaskKind::sliding, notes.alternating_window} : Mask{});
    }
  }
}

void read_architecture(Cells& cells, PublishedRun& run, Defects& defects) {
  const ArchitectureNotes notes = read_architecture_notes(cells.text("other_arch_notes"));
  for (const std::string& remark : notes.not_understood) {
    add_defect(defects, {"published_runs.unknown_note", {{"note", remark}}}, Severity::info);
  }
  const auto add = [&run](RowReason reason) { run.reasons.push_back(reason); };
  run.shape = read_dimensions(cells);
  if (notes.hybrid) add(RowReason::hybrid_layers);
  if (!run.shape) add(RowReason::no_dimensions);
  if (run.shape) apply_notes(run, notes);
  if (run.shape && notes.latent_attention && !complete_latent_dims(run, notes.latent)) {
    add(RowReason::no_latent_dimensions);
  }
  if (!run.reasons.empty()) run.shape.reset();
}

void add_reasons_of_the_job(PublishedRun& run) {
  const auto add_if = [&run](bool applies, RowReason reason) {
    if (applies) run.reasons.push_back(reason);
  };
  const bool from_flops =
      run.derived.basis == DerivedBasis::flops_full || run.derived.basis == DerivedBasis::flops_causal;
  const bool has_throughput = tokens_per_s_per_gpu(run).has_value();
  add_if(run.shape && run.shape->vocab == 0, RowReason::no_vocabulary);
  add_if(run.task == TrainingTask::lora, RowReason::lora);
  add_if(run.task == TrainingTask::sft, RowReason::packed_sequences);
  add_if(run.shape && !run.shape->masks.empty(), RowReason::sliding_window);
  add_if(!run.seq_len, RowReason::no_sequence_length);
  add_if(!has_throughput && !from_flops, RowReason::no_throughput);
  add_if(!has_throughput && from_flops, RowReason::throughput_from_flops);
}

PublishedRun read_row(Cells& cells, int line, Defects& defects) {
  PublishedRun run{.id = std::string(cells.text("id")),
                   .line = line,
                   .source_id = std::string(cells.text("source_id")),
                   .source = std::string(cells.text("source")),
                   .year = cells.count("year"),
                   .task = cells.word("task", kTasks).value_or(TrainingTask::pretrain),
                   .model_name = std::string(cells.text("model_name")),
                   .stated_parameters_total = cells.number("params_b", 1e9),
                   .seq_len = cells.count("seq_len"),
                   .global_batch = cells.count("global_batch_sequences"),
                   .precision = cells.precision("dtype"),
                   .accelerator = std::string(cells.text("accelerator")),
                   .accelerators = cells.count("num_gpus"),
                   .accelerators_per_node = cells.count("gpus_per_node"),
                   .plan = read_plan(cells),
                   .framework = std::string(cells.text("framework")),
                   .outcome = cells.word("outcome", kOutcomes).value_or(RunOutcome::ok),
                   .measured = read_measured(cells),
                   .derived = read_derived(cells),
                   .convention_notes = std::string(cells.text("flops_convention_notes")),
                   .interconnect_notes = std::string(cells.text("interconnect_notes")),
                   .overlap_notes = std::string(cells.text("overlap_notes")),
                   .confidence = cells.word("confidence", kConfidences),
                   .check_note = std::string(cells.text("check_note")),
                   .gate = cells.word("gate", kFlags).value_or(true),
                   .gate_note = std::string(cells.text("gate_note"))};
  read_architecture(cells, run, defects);
  add_reasons_of_the_job(run);
  return run;
}

Status check_columns(const CsvTable& table) {
  const std::vector<std::string_view> names = split(kColumns, ' ');
  const std::vector<std::string> known(names.begin(), names.end());
  for (const std::string& column : table.header) {
    if (std::find(known.begin(), known.end(), column) != known.end()) continue;
    return Error{.found = fmt::format("unknown column '{}'", column),
                 .place = {.file = table.file, .line = 1},
                 .hint = did_you_mean(column, known)};
  }
  if (table.column("id")) return std::nullopt;
  return Error{
      .found = "no column 'id'", .expected = "a table of published runs", .place = {.file = table.file, .line = 1}};
}

}  // namespace

std::string_view name(RowReason reason) {
  switch (reason) {
    case RowReason::hybrid_layers:
      return "hybrid_layers";
    case RowReason::no_dimensions:
      return "no_dimensions";
    case RowReason::no_latent_dimensions:
      return "no_latent_dimensions";
    case RowReason::no_vocabulary:
      return "no_vocabulary";
    case RowReason::lora:
      return "lora";
    case RowReason::packed_sequences:
      return "packed_sequences";
    case RowReason::sliding_window:
      return "sliding_window";
    case RowReason::no_sequence_length:
      return "no_sequence_length";
    case RowReason::no_throughput:
      return "no_throughput";
    case RowReason::throughput_from_flops:
      return "throughput_from_flops";
  }
  NAMEPLATE_CHECK(false);
}

Result<PublishedRuns> read_published_runs(std::string_view text, const std::string& file) {
  NAMEPLATE_TRY(const CsvTable table, parse_csv(text, file));
  if (Status bad = check_columns(table)) return *bad;
  PublishedRuns result;
  std::set<std::string, std::less<>> ids;
  for (const CsvRow& row : table.rows) {
    Cells cells(table, row);
    if (cells.text("id").empty()) cells.fail("id", "a name for the row");
    PublishedRun run = read_row(cells, row.line, result.defects);
    if (!ids.insert(run.id).second) cells.fail("id", "another name: an earlier row has this one");
    if (cells.all_read()) {
      result.runs.push_back(std::move(run));
      continue;
    }
    result.left_out.push_back({run.id, run.source_id});
    result.defects.insert(result.defects.end(), cells.defects.begin(), cells.defects.end());
  }
  return result;
}

std::optional<TokensPerSecond> tokens_per_s_per_gpu(const PublishedRun& run) {
  if (run.measured.tokens_per_s_per_gpu) return run.measured.tokens_per_s_per_gpu;
  if (!run.measured.step_time || !run.global_batch || !run.seq_len || !run.accelerators) return std::nullopt;
  const Tokens per_step = tokens(static_cast<double>(*run.global_batch) * static_cast<double>(*run.seq_len));
  return per_step / *run.measured.step_time / static_cast<double>(*run.accelerators);
}

}  // namespace nameplate
