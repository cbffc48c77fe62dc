// nanochat (Karpathy).
//
//   step 00010/21400 (0.05%) | loss: 7.473279 | lrm: 1.00 | dt: 996.81ms | tok/sec: 525,967 | mfu: 73.58 | total time:
//   … Step 00250 | Validation bpb: 0.9812                                       an evaluation
// Source: scripts/base_train.py, and GPT.estimate_flops in nanochat/gpt.py: 6 (N - embedding) + 12 L H Q T, windows
// exact (convention torchtitan where there are none). `tok/sec` is the job's. `mfu:` is in percent, against 989 TFLOP/s
// (H100) in the unpatched program of 2025, whatever the device; since 2026 it is called `bf16_mfu:` and divides by the
// device's peak. The dt contains the step alone: evaluations and checkpoints lie between the steps.
#include <array>
#include <string>
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

class NanochatFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "nanochat"; }
  bool is_step_line(std::string_view text) const override {
    return text.starts_with("step ") && text.find(" | dt: ") != kNone && text.find(" | tok/sec: ") != kNone;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override;

 private:
  void read_step(std::string_view text, RunLogBuilder& builder);
  void read_fact(std::string_view text, RunLogBuilder& builder);

  Maybe tokens_per_step_;
  bool has_hard_coded_peak_ = false;
};

void NanochatFormat::read_step(std::string_view text, RunLogBuilder& builder) {
  const auto index = leading_index(text.substr(5));
  if (!index) return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
  StepLine step;
  step.index = *index;
  step.tokens = tokens_per_step_;
  step.loss = number_between(text, " | loss: ", " |");
  if (const Maybe time = number_between(text, " | dt: ", "ms")) {
    step.duration_s = *time * 1e-3;
  } else {
    ++step.unreadable;
  }
  step.claimed_tokens_per_s = number_between(text, " | tok/sec: ", " |");
  Maybe percent = number_between(text, " | bf16_mfu: ", " |");
  if (!percent) {
    percent = number_between(text, " | mfu: ", " |");
    has_hard_coded_peak_ |= percent.has_value();
  }
  if (percent) step.claimed_mfu = *percent / 100;
  builder.add_step(step);
}

// The banner: "num_layers: 20", "Total batch size 524,288 => gradient accumulation steps: 1", "Tokens / micro-batch /
// rank: 32 x 2048 = 65,536".
void NanochatFormat::read_fact(std::string_view text, RunLogBuilder& builder) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFacts = {{
      {"num_layers: ", "model.layers"},
      {"model_dim: ", "model.hidden"},
      {"num_heads: ", "model.heads"},
      {"num_kv_heads: ", "model.kv_heads"},
      {"Vocab size: ", "model.vocab"},
      {"Number of parameters: ", "model.parameters"},
  }};
  for (const auto& [start, key] : kFacts) {
    const auto value = text_behind(text, start);
    const auto count = value ? parse_integer(value->substr(0, value->find(' '))) : std::nullopt;
    if (count && *count > 0) builder.add_fact(key, std::to_string(*count));
  }
  if (text.starts_with("Total batch size ")) {
    const Maybe tokens = number_between(text, "Total batch size ", " =>");
    if (!(tokens.value_or(0) >= 1 && *tokens < 1e15)) return;
    tokens_per_step_ = tokens;
    builder.add_fact("training.tokens_per_step", std::to_string(static_cast<std::int64_t>(*tokens)));
  } else if (text.starts_with("Tokens / micro-batch / rank: ")) {
    const auto batch = parse_integer(text_between(text, "rank: ", " x "));
    const auto length = parse_integer(text_between(text, " x ", " ="));
    if (batch.value_or(0) > 0) builder.add_fact("training.micro_batch", std::to_string(*batch));
    if (length.value_or(0) > 0) builder.add_fact("training.seq_len", std::to_string(*length));
  } else if (text.starts_with("GPU: ")) {
    const std::string_view name = text_between(text, "GPU: ", " |");
    if (!name.empty()) builder.add_fact("cluster.accelerator", name);
  }
}

void NanochatFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (is_step_line(line.text)) return read_step(line.text, builder);
  Event event;
  if (line.text.starts_with("Step ") &&
      (line.text.find(" | Validation bpb: ") != kNone || line.text.find(" | CORE metric: ") != kNone)) {
    event.event_class = EventClass::evaluation;
    event.row = LedgerRow::evaluation;
    event.end_s = line.timestamp_s;
  } else if (line.text.find("Saved model parameters to: ") != kNone ||
             line.text.find("Saved model file to: ") != kNone) {
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
    event.end_s = line.timestamp_s;
  } else if (line.text.starts_with("Total training time: ")) {
    event.event_class = EventClass::finished;
    event.begin_s = line.timestamp_s;
  } else {
    return read_fact(line.text, builder);
  }
  builder.add_event(std::move(event));
}

ClaimBasis NanochatFormat::claims() const {
  ClaimBasis basis;
  basis.tokens_per_s_scope = RateScope::job;
  basis.convention = "torchtitan";
  if (has_hard_coded_peak_) {
    basis.peak_tflops = 989;
    basis.peak_note = "hard-coded H100 989 TFLOP/s unless patched";
  }
  return basis;
}

}  // namespace

std::unique_ptr<RunLogFormat> make_nanochat_format() { return std::make_unique<NanochatFormat>(); }

}  // namespace nameplate
