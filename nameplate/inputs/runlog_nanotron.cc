// nanotron (Hugging Face).
//
//   [INFO|DP=0|PP=0|TP=0]: iteration: 120 / 5000 | consumed_tokens: 31.5M | elapsed_time_per_iteration_ms: 2.35K |
//   tokens_per_sec: 112K | tokens_per_sec_per_gpu: 14K | global_batch_size: 64 | lm_loss: 3.1 | model_tflops_per_gpu:
//   210 | hardware_tflops_per_gpu: 210
// Source: DistributedTrainer.train_step_logs in src/nanotron/trainer.py; the configuration is dumped before it. Numbers
// have three digits and a suffix (human_format), so a step time is known to 0.05 to 0.5 %. The time is the mean over
// the logging interval. TFLOP/s: get_flops in models/llama.py, three times every matrix product of the forward pass,
// attention in full, output projection counted (convention full).
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

// "11.5K", "85.8G", "64".
Maybe human_number(std::string_view text) {
  const auto number = parse_leading_number(text);
  if (!number) return {};
  if (number->rest.empty()) return number->value;
  constexpr std::string_view kSuffixes = "KMGTP";
  const std::size_t power = number->rest.size() == 1 ? kSuffixes.find(number->rest[0]) : kNone;
  if (power == kNone) return {};
  return number->value * std::pow(1000.0, static_cast<double>(power + 1));
}

class NanotronFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "nanotron"; }
  bool is_step_line(std::string_view text) const override {
    return text.find("iteration: ") != kNone && text.find("| elapsed_time_per_iteration_ms: ") != kNone;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.tokens_per_s_scope = RateScope::per_accelerator;
    basis.convention = "full";
    basis.duration_is_mean = true;
    basis.tokens_per_s_is_mean = true;
    return basis;
  }

 private:
  static void read_step(const LogLine& line, RunLogBuilder& builder);
  static void read_configuration(std::string_view text, RunLogBuilder& builder);
};

// The number of devices is the job's rate over the device's where three digits of both tell it.
void add_device_count(Maybe job_rate, Maybe device_rate, RunLogBuilder& builder) {
  constexpr double kError = 0.01;  // half a unit of the last of three digits, twice
  if (!job_rate || device_rate.value_or(0) <= 0 || builder.has_fact("cluster.count")) return;
  const double count = *job_rate / *device_rate;
  const double whole = std::round(count);
  if (whole < 1 || whole * kError > 0.5 || std::abs(count - whole) > kError * whole) return;
  builder.add_fact("cluster.count", std::to_string(static_cast<std::int64_t>(whole)));
}

void NanotronFormat::read_step(const LogLine& line, RunLogBuilder& builder) {
  const std::string_view text = line.text.substr(line.text.find("iteration: "));
  const auto index = parse_integer(text_between(text, "iteration: ", "/"));
  if (!index) return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
  StepLine step;
  step.index = *index;
  const auto number = [&](std::string_view key) -> Maybe {
    const std::string_view value = text_between(text, key, " |");
    const Maybe found = human_number(value);
    if (!value.empty() && !found) ++step.unreadable;
    return found;
  };
  if (const Maybe time = number("| elapsed_time_per_iteration_ms: ")) step.duration_s = *time * 1e-3;
  step.claimed_tokens_per_s = number("| tokens_per_sec_per_gpu: ");
  step.claimed_tflops = number("| model_tflops_per_gpu: ");
  step.loss = human_number(text_between(text, "| lm_loss: ", " |"));
  if (const auto batch = parse_integer(text_between(text, "| global_batch_size: ", " |"))) {
    step.samples = static_cast<double>(*batch);  // "1.02K" may be 1015 to 1025: not taken
  }
  add_device_count(number("| tokens_per_sec: "), step.claimed_tokens_per_s, builder);
  builder.add_step(step);
}

// A line of the dumped configuration: "tp=2,", "parallelism=ParallelismArgs(dp=8,".
void NanotronFormat::read_configuration(std::string_view text, RunLogBuilder& builder) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kFacts = {{
      {"dp", "plan.dp"},
      {"pp", "plan.pp"},
      {"tp", "plan.tp"},
      {"context_parallel_size", "plan.cp"},
      {"expert_parallel_size", "plan.ep"},
      {"sequence_length", "training.seq_len"},
      {"micro_batch_size", "training.micro_batch"},
      {"hidden_size", "model.hidden"},
      {"intermediate_size", "model.ffn"},
      {"num_hidden_layers", "model.layers"},
      {"num_attention_heads", "model.heads"},
      {"num_key_value_heads", "model.kv_heads"},
      {"vocab_size", "model.vocab"},
      {"tie_word_embeddings", "model.tied_embeddings"},
  }};
  if (!text.ends_with(",") && !text.ends_with(")")) return;
  text = text.substr(0, text.find_last_not_of("),") + 1);
  if (const std::size_t open = text.rfind('('); open != kNone) text = text.substr(open + 1);
  const std::size_t equals = text.find('=');
  if (equals == kNone) return;
  const std::string_view value = text.substr(equals + 1);
  for (const auto& [name, key] : kFacts) {
    if (text.substr(0, equals) != name) continue;
    if (parse_integer(value)) builder.add_fact(key, value);
    if (value == "True" || value == "False") builder.add_fact(key, value == "True" ? "true" : "false");
  }
}

void NanotronFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (is_step_line(line.text)) return read_step(line, builder);
  Event event;
  event.begin_s = line.timestamp_s;
  if (line.text.find("]: Saving checkpoint at ") != kNone) {
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
  } else if (line.text.find("]: Loading checkpoint from ") != kNone) {
    event.event_class = EventClass::checkpoint_load;
    event.row = LedgerRow::startup;
  } else {
    return read_configuration(line.text, builder);
  }
  builder.add_event(std::move(event));
}

}  // namespace

std::unique_ptr<RunLogFormat> make_nanotron_format() { return std::make_unique<NanotronFormat>(); }

}  // namespace nameplate
