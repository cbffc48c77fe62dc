// Tables of measured training runs that others published: one run a row, model, job, plan and figures in columns.
//
// One format: the columns below (their meaning and units stand at the fields). A column may be missing and a cell may
// be empty, both mean "the source does not say"; nothing is filled in by guess, with one sourced exception (latent
// dimensions, below). An unknown column is a located Error, since a typo would otherwise drop a fact. A row with a bad
// number or an unknown word of a closed set is left out, and each of its bad cells is a Defect with its line.
// Columns: id source_id source year task model_name params_b layers hidden ffn_hidden heads kv_heads head_dim vocab
// gated_mlp experts experts_per_token moe_ffn_hidden other_arch_notes seq_len global_batch_sequences micro_batch
// accelerator num_gpus gpus_per_node interconnect_notes dtype tp pp virtual_pp dp cp ep sequence_parallel
// zero_stage_or_fsdp recompute overlap_notes framework outcome measured_* flops_convention_notes confidence derived_*
// check_note gate gate_note.
//
// Known error: biases and the kind of norm are in no column, so a shape here has none and the parameters counted from
// it are up to 0.1 % low; matmul FLOPs do not depend on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/defect.h"
#include "nameplate/facts/hardware.h"
#include "nameplate/facts/precision.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

enum class TrainingTask { pretrain, sft, lora };
enum class RunOutcome { ok, out_of_memory };

// Why a row's model FLOP/s cannot be checked against a count from its dimensions. In order of precedence: a table of
// counts books a row under its first reason.
enum class RowReason {
  hybrid_layers,         // layers other than attention and MLP (Mamba): no shape
  no_dimensions,         // a dimension of the decoder is missing: no shape
  no_latent_dimensions,  // multi-head latent attention of unknown ranks: no shape
  no_vocabulary,         // the shape's vocab is 0: the output projection cannot be counted
  lora,                  // frozen weights have no weight gradients
  packed_sequences,      // fine-tuning packs documents of unknown lengths into a sequence
  sliding_window,        // sources disagree on counting windows: the shape is complete, a common figure does not exist
  no_sequence_length,
  no_throughput,          // neither tokens/s nor a step time with its batch and device count
  throughput_from_flops,  // tokens/s was computed back from the stated TFLOP/s: a check would go in a circle
};
std::string_view name(RowReason reason);  // "hybrid_layers"

// As the source states them, in its own FLOPs convention (`convention_notes`).
struct PublishedFigures {
  std::optional<Seconds> step_time;  // one optimizer step
  std::optional<TokensPerSecond> tokens_per_s_per_gpu;
  std::optional<FlopsPerSecond> flops_rate_per_gpu;
  std::optional<double> mfu;            // 0..1, over the peak that `convention_notes` names
  std::optional<double> hfu;            // 0..1
  std::optional<Bytes> memory_per_gpu;  // peak
};

enum class DerivedBasis { step_time, tokens, flops_full, flops_causal };

// What the makers of the table computed from the row: 6 x matmul parameters per token (router and output projection
// yes, embedding look-up and multi-token-prediction modules no) plus attention, recompute never.
struct DerivedFigures {
  std::optional<Seconds> step_time;
  std::optional<TokensPerSecond> tokens_per_s_per_gpu;
  std::optional<DerivedBasis> basis;  // what the two above were computed from
  std::optional<double> parameters_total;
  std::optional<FlopsPerSecond> flops_rate_full_per_gpu;    // full attention; printed to 0.1 TFLOP/s
  std::optional<FlopsPerSecond> flops_rate_causal_per_gpu;  // causal attention counts half; printed to 0.1 TFLOP/s
  std::optional<double> mfu_bf16_full;  // 0..1, over the dense 16-bit peak, whatever the row's precision
};

// Parallel degrees as stated: tp * pp * cp * dp is the number of devices, ep divides dp * cp (or dp * cp * tp).
struct PublishedPlan {
  std::optional<std::int64_t> tp, pp, virtual_pp, dp, cp, ep;
  std::optional<std::int64_t> micro_batch;  // sequences per data-parallel rank and forward pass
  std::optional<bool> sequence_parallel;
  std::string sharding;  // of optimizer, gradients and weights, as printed: "FSDP2 (ZeRO-3)"
  std::optional<Recompute> recompute;
};

struct PublishedRun {
  std::string id;         // unique
  int line = 0;           // in the table
  std::string source_id;  // one setup, one convention: "torchtitan"
  std::string source;     // the exact table or file
  std::optional<std::int64_t> year;
  TrainingTask task = TrainingTask::pretrain;
  std::string model_name;
  std::optional<double> stated_parameters_total;

  std::optional<DecoderShape> shape;  // absent under the first three reasons
  std::string latent_dims_source;     // where the latent dimensions came from when the row names no or only some ranks

  std::optional<std::int64_t> seq_len;
  std::optional<std::int64_t> global_batch;  // sequences per optimizer step
  std::optional<Precision> precision;        // of the matmuls; absent: a 16-bit type that is not stated
  std::string accelerator;                   // as printed: "H100-SXM-80GB"
  std::optional<std::int64_t> accelerators;
  std::optional<std::int64_t> accelerators_per_node;
  PublishedPlan plan;
  std::string framework;

  RunOutcome outcome = RunOutcome::ok;  // figures of a run that ran out of memory were seen before it did
  PublishedFigures measured;
  DerivedFigures derived;
  std::string convention_notes, interconnect_notes, overlap_notes;
  std::optional<Confidence> confidence;
  std::string check_note;  // a disagreement inside the source; such a row should not decide a verdict alone
  bool gate = true;        // false: no pass or fail figure may use the row (`gate_note` says why)
  std::string gate_note;

  std::vector<RowReason> reasons;  // every one that applies, in their order; empty: the row can be checked
};

struct UnreadRow {
  std::string id, source_id;
};

struct PublishedRuns {
  std::vector<PublishedRun> runs;   // in the order of the table
  std::vector<UnreadRow> left_out;  // rows with cells that cannot be read
  Defects defects;                  // those cells; notes on the architecture that were not understood, counted by note
};

Result<PublishedRuns> read_published_runs(std::string_view text, const std::string& file);

// Tokens per second and device: as stated, else batch * length / (step time * devices).
std::optional<TokensPerSecond> tokens_per_s_per_gpu(const PublishedRun& run);

}  // namespace nameplate
