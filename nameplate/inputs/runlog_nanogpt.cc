// nanoGPT (Karpathy) and scripts that print as it does.
//
//   iter 10: loss 3.2202, time 893.76ms, mfu 16.68%
//   step 250: train loss 1.5440, val loss 1.7220          an evaluation
//   saving checkpoint to out
// Source: train.py and GPT.estimate_mfu in model.py. The time is that of the printed iteration alone (one of
// log_interval), and stock nanoGPT starts its clock before evaluation and checkpoint, so a printed time may contain
// both: durations are kept as printed, the events tell. `mfu` counts 6 N + 12 L H Q T FLOPs a token, N without the
// position table, against 312 TFLOP/s whatever the device, and is a running mean (0.9 old + 0.1 new); "-100.00%" says
// that there is none yet.
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "nameplate/core/text.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

// The number behind `key`, if `end` follows it: a line may be cut.
std::optional<double> number_between(std::string_view text, std::string_view key, std::string_view end) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = parse_leading_number(text.substr(at + key.size()));
  return number && number->rest.starts_with(end) ? std::optional(number->value) : std::nullopt;
}

class NanoGptFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "nanogpt"; }
  bool is_step_line(std::string_view text) const override {
    return step_index(text) && text.find(", time ") != std::string_view::npos;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override;

 private:
  static std::optional<std::int64_t> step_index(std::string_view text);
  void read_step(std::int64_t index, std::string_view text, RunLogBuilder& builder);
  void read_fact(std::string_view text, RunLogBuilder& builder);

  Maybe tokens_per_step_;
  bool has_mfu_ = false;
};

// "iter 10: loss ".
std::optional<std::int64_t> NanoGptFormat::step_index(std::string_view text) {
  constexpr std::string_view kWord = "iter ";
  if (!text.starts_with(kWord)) return std::nullopt;
  const std::size_t colon = text.find(": loss ");
  if (colon == std::string_view::npos) return std::nullopt;
  return parse_integer(text.substr(kWord.size(), colon - kWord.size()));
}

void NanoGptFormat::read_step(std::int64_t index, std::string_view text, RunLogBuilder& builder) {
  StepLine step;
  step.index = index;
  step.tokens = tokens_per_step_;
  if (const auto loss = number_between(text, ": loss ", ",")) step.loss = *loss;
  if (const auto time = number_between(text, ", time ", "ms")) {
    step.duration_s = *time * 1e-3;
  } else if (text.find("ms", text.find(", time ")) != std::string_view::npos) {
    ++step.unreadable;  // "time nanms"
  }
  if (const auto mfu = number_between(text, ", mfu ", "%")) {
    has_mfu_ = true;
    if (*mfu >= 0) step.claimed_mfu = *mfu / 100;
  }
  builder.add_step(step);
}

void NanoGptFormat::read_fact(std::string_view text, RunLogBuilder& builder) {
  constexpr std::string_view kTokens = "tokens per iteration will be: ";
  constexpr std::string_view kParameters = "number of parameters: ";
  if (text.starts_with(kTokens)) {
    const auto tokens = parse_integer(text.substr(kTokens.size()));
    if (!tokens || *tokens <= 0) return;
    tokens_per_step_ = static_cast<double>(*tokens);
    builder.add_fact("training.tokens_per_step", std::to_string(*tokens));
  } else if (text.starts_with(kParameters)) {
    std::string_view value = trim(text.substr(kParameters.size()));
    const bool is_millions = value.ends_with("M");
    if (is_millions) value.remove_suffix(1);
    const auto count = parse_number(value);
    if (!count || *count < 0 || *count > 1e12) return;
    builder.add_fact("model.parameters", std::to_string(std::llround(is_millions ? *count * 1e6 : *count)));
  }
}

void NanoGptFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (const auto index = step_index(line.text)) return read_step(*index, line.text, builder);
  Event event;
  if (line.text.starts_with("step ") && line.text.find(": train loss ") != std::string_view::npos) {
    event.event_class = EventClass::evaluation;
    event.row = LedgerRow::evaluation;
    event.end_s = line.timestamp_s;
  } else if (line.text.starts_with("saving checkpoint to ")) {
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
    event.begin_s = line.timestamp_s;
  } else if (line.text.starts_with("Resuming training from ")) {
    event.event_class = EventClass::checkpoint_load;
    event.row = LedgerRow::startup;
    event.begin_s = line.timestamp_s;
  } else if (line.text.starts_with("training finished")) {
    event.event_class = EventClass::finished;
    event.begin_s = line.timestamp_s;
  } else {
    return read_fact(line.text, builder);
  }
  builder.add_event(std::move(event));
}

ClaimBasis NanoGptFormat::claims() const {
  ClaimBasis basis;
  if (!has_mfu_) return basis;
  basis.convention = "nanogpt";
  basis.peak_tflops = 312;
  basis.peak_note = "hard-coded A100 312 TFLOP/s";
  basis.mfu_is_running_mean = true;
  return basis;
}

}  // namespace

std::unique_ptr<RunLogFormat> make_nanogpt_format() { return std::make_unique<NanoGptFormat>(); }

}  // namespace nameplate
