// MaxText (JAX).
//
//   Config param max_target_length: 2048                          one a parameter, before training
//   Num_devices: 4, shape (1, 1, 4, 1)
//   completed step: 4, seconds: 5.669, TFLOP/s/device: 134.884, Tokens/s/device: 8670.207, total_weights: 196608,
//   loss: 11.110
// Source: MetricLogger in src/MaxText/metric_logger.py; calculate_tflops_training_per_device in maxtext_utils.py:
// every matrix product three times, the router too, attention by half and windows exact since July 2025 (convention
// nameplate), in full before. `total_weights` is the number of real tokens of the step, padding left out; Tokens/s and
// TFLOP/s count padding. JAX returns before a step has run, so an early step may print an impossibly short time, and
// the one before it a long one: kept as printed, analysis drops what would exceed the peak.
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr std::string_view kStep = "completed step: ";

class MaxTextFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "maxtext"; }
  bool is_step_line(std::string_view text) const override {
    return text.starts_with(kStep) && text.find(", seconds: ") != std::string_view::npos;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.tokens_per_s_scope = RateScope::per_accelerator;
    basis.convention = "nameplate";
    return basis;
  }

 private:
  static void read_step(const LogLine& line, RunLogBuilder& builder);
  static void read_parameter(std::string_view entry, RunLogBuilder& builder);
};

void MaxTextFormat::read_step(const LogLine& line, RunLogBuilder& builder) {
  const auto index = parse_integer(text_between(line.text, kStep, ","));
  if (!index) return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
  StepLine step;
  step.index = *index;
  const auto number = [&](std::string_view key) -> Maybe {
    const std::string_view value = text_between(line.text, key, ",");
    const auto parsed = parse_number(value);
    if (!value.empty() && !parsed) ++step.unreadable;
    return parsed ? Maybe(*parsed) : Maybe();
  };
  step.duration_s = number(", seconds: ");
  step.claimed_tflops = number(", TFLOP/s/device: ");
  step.claimed_tokens_per_s = number(", Tokens/s/device: ");
  const Maybe weights = number(", total_weights: ");
  if (weights.value_or(0) > 0) step.tokens = weights;
  constexpr std::string_view kLoss = ", loss: ";
  if (const std::size_t at = line.text.find(kLoss); at != std::string_view::npos) {
    std::string_view value = line.text.substr(at + kLoss.size());
    const std::size_t comma = value.find(',');  // newer versions print more behind the loss
    value = value.substr(0, comma);
    const auto loss = parse_number(value);
    if (loss && (comma != std::string_view::npos || !line.is_cut)) step.loss = *loss;
  }
  builder.add_step(step);
}

// A count as YAML has it: "24", or "24.0" for the batch of a device.
std::optional<std::int64_t> whole(std::string_view value) {
  const auto number = parse_number(value);
  if (!number || *number < 1 || *number > 1e15 || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

void MaxTextFormat::read_parameter(std::string_view entry, RunLogBuilder& builder) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kFacts = {{
      {"base_emb_dim", "model.hidden"},
      {"base_num_decoder_layers", "model.layers"},
      {"base_num_query_heads", "model.heads"},
      {"base_num_kv_heads", "model.kv_heads"},
      {"base_mlp_dim", "model.ffn"},
      {"head_dim", "model.head_dim"},
      {"vocab_size", "model.vocab"},
      {"num_experts_per_tok", "model.experts_per_token"},
      {"max_target_length", "training.seq_len"},
      {"per_device_batch_size", "training.micro_batch"},
      {"global_batch_size_to_train_on", "training.global_batch"},
      {"ici_tensor_parallelism", "plan.tp"},
      {"ici_context_parallelism", "plan.cp"},
      {"ici_expert_parallelism", "plan.ep"},
      {"ici_pipeline_parallelism", "plan.pp"},
  }};
  const std::size_t colon = entry.find(": ");
  if (colon == std::string_view::npos) return;
  const std::string_view name = entry.substr(0, colon);
  const std::string_view value = trim(entry.substr(colon + 2));
  const auto count = whole(value);
  for (const auto& [parameter, key] : kFacts) {
    if (name == parameter && count) builder.add_fact(key, std::to_string(*count));
  }
  if (name == "num_experts" && count.value_or(0) > 1) builder.add_fact("model.experts", std::to_string(*count));
  if (name == "logits_via_embedding") builder.add_fact("model.tied_embeddings", value == "True" ? "true" : "false");
  if (name == "model_name" && value != "default" && !value.empty()) builder.add_fact("model.name", value);
  if (name == "dtype" && value == "bfloat16") builder.add_fact("training.precision", "bf16");
  if (name == "remat_policy" && value == "full") builder.add_fact("training.recompute", "full");
}

void MaxTextFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (is_step_line(line.text)) return read_step(line, builder);
  if (const auto entry = text_behind(line.text, "Config param ")) {
    if (!line.is_cut) read_parameter(*entry, builder);
  } else if (line.text.starts_with("Num_devices: ")) {
    const auto devices = parse_integer(text_between(line.text, "Num_devices: ", ","));
    if (devices.value_or(0) > 0) builder.add_fact("cluster.count", std::to_string(*devices));
  } else if (line.text.starts_with("saved a checkpoint at step") ||
             line.text.starts_with("Saved a checkpoint at step")) {
    Event event;
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
    event.end_s = line.timestamp_s;
    event.blocking = false;  // Orbax saves asynchronously unless told otherwise
    builder.add_event(std::move(event));
  } else if (line.text.starts_with("eval metrics after step: ")) {
    Event event;
    event.event_class = EventClass::evaluation;
    event.row = LedgerRow::evaluation;
    event.end_s = line.timestamp_s;
    builder.add_event(std::move(event));
  }
}

}  // namespace

std::unique_ptr<RunLogFormat> make_maxtext_format() { return std::make_unique<MaxTextFormat>(); }

}  // namespace nameplate
