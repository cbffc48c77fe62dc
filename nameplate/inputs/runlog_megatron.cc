// Megatron-LM (2020 to today), Megatron-DeepSpeed and the BigScience fork that trained BLOOM.
//
// One line a logging interval, of "key: value" fields that each end with "|":
//   iteration 71/ 100 | consumed samples: 9088 | elapsed time per iteration (ms): 5361.6 | throughput per GPU
//   (TFLOP/s/GPU): 243.6 | … | global batch size: 128 | lm loss: 1.8E+00 | …
// Source: training_log() in megatron/training/training.py (Megatron-LM), megatron/training.py (the forks). The elapsed
// time is the mean over the interval and contains no evaluation and no checkpoint, whose timers run apart. The forks
// print seconds or milliseconds, "lm loss" or "lm-loss", "samples per second" and "TFLOPs" (BLOOM: four passes over the
// layers, hardware FLOPs with full recompute, 96 B s L h^2 (1 + s/6h + V/16Lh): Narayanan et al. 2021, section 5.1,
// equation 3). GPT-NeoX (megatron/logging.py) puts "samples/sec: 21.3 |" in front, and prints "approx flops per GPU" by
// the same formula, with three passes instead of four where activations are kept.
//
// A field counts only with its "|", so a line cut by a terminal, by an editor or by the end of the file loses the last
// field and no more; the rest of such a line on the next one is taken up.
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/runlog_prefix.h"

namespace nameplate {
namespace {

// Arguments of the program's dump, "  num_layers ...... 64", and the manifest key that each is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kArguments = {{
    // Alphabetical order of the dump: "group_query_attention" comes before "num_query_groups".
    {"num_layers", "model.layers"},
    {"hidden_size", "model.hidden"},
    {"ffn_hidden_size", "model.ffn"},
    {"num_attention_heads", "model.heads"},
    {"kv_channels", "model.head_dim"},
    {"padded_vocab_size", "model.vocab"},
    {"num_experts", "model.experts"},
    {"moe_router_topk", "model.experts_per_token"},
    {"moe_ffn_hidden_size", "model.expert_ffn"},
    {"seq_length", "training.seq_len"},
    {"global_batch_size", "training.global_batch"},
    {"micro_batch_size", "training.micro_batch"},
    {"params_dtype", "training.precision"},
    {"recompute_granularity", "training.recompute"},
    {"world_size", "cluster.count"},
    {"tensor_model_parallel_size", "plan.tp"},
    {"pipeline_model_parallel_size", "plan.pp"},
    {"virtual_pipeline_model_parallel_size", "plan.virtual_pp"},
    {"context_parallel_size", "plan.cp"},
    {"expert_model_parallel_size", "plan.ep"},
    {"data_parallel_size", "plan.dp"},
    {"num_query_groups", "model.kv_heads"},
}};

// "using world size: 64, data-parallel-size: 1, tensor-model-parallel size: 4, …" and its spellings over the years.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kWorld = {{
    {"using world size", "cluster.count"},
    {"data-parallel size", "plan.dp"},
    {"data-parallel-size", "plan.dp"},
    {"tensor-model-parallel size", "plan.tp"},
    {"tensor-model-parallel-size", "plan.tp"},
    {"pipeline-model-parallel size", "plan.pp"},
    {"pipeline-model-parallel-size", "plan.pp"},
    {"context-parallel size", "plan.cp"},
}};

template <std::size_t n>
std::string_view find_key(const std::array<std::pair<std::string_view, std::string_view>, n>& keys,
                          std::string_view name) {
  for (const auto& [from, to] : keys) {
    if (from == name) return to;
  }
  return {};
}

// What one step line said, as far as it goes over the fields of StepLine.
struct Fields {
  StepLine step;
  Maybe consumed_samples;
};

class MegatronFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "megatron-lm"; }
  bool is_step_line(std::string_view text) const override {
    return step_index(text) &&
           text.find("elapsed time per iteration (") != std::string_view::npos;  // no field of NeMo's
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override;

 private:
  static std::optional<std::int64_t> step_index(std::string_view& text);
  void read_fields(std::string_view text, Fields& fields);
  void read_field(std::string_view key, std::string_view value, Fields& fields);
  void read_step(std::int64_t index, std::string_view fields, Maybe samples_per_s, RunLogBuilder& builder);
  void read_continuation(std::string_view text, RunLogBuilder& builder);
  void read_other(const LogLine& line, RunLogBuilder& builder);
  bool read_fact(std::string_view text, RunLogBuilder& builder);
  static void read_timers(std::string_view text, RunLogBuilder& builder);
  static void add_timer(std::string_view name, std::string_view milliseconds, RunLogBuilder& builder);
  void read_argument(std::string_view key, std::string_view value, RunLogBuilder& builder);

  enum class Claim { none, megatron_2021, megatron_lm };
  Claim claim_ = Claim::none;
  bool has_token_rate_ = false;
  bool has_grouped_queries_ = false;
  std::int64_t last_index_ = -1;  // of the last line with consumed samples
  Maybe last_consumed_samples_;
};

// "iteration       71/     100 |": the index, and `text` moved behind the "|". A launcher may have put a host's name in
// front
// ("worker-1: iteration 71/…"); "Training epoch 0, iteration 3/19" is NeMo's.
std::optional<std::int64_t> MegatronFormat::step_index(std::string_view& text) {
  constexpr std::size_t kLongestHost = 64;
  constexpr std::string_view kWord = "iteration ";
  std::size_t begin = 0;
  if (text.starts_with("samples/sec: ")) {
    begin = text.find(kWord);
    if (begin == std::string_view::npos) return std::nullopt;
  } else if (!text.starts_with(kWord)) {
    const std::size_t host_end = text.substr(0, kLongestHost).find(": ");
    if (host_end == std::string_view::npos) return std::nullopt;
    begin = text.find_first_not_of(' ', host_end + 1);
    if (begin == std::string_view::npos || !text.substr(begin).starts_with(kWord)) return std::nullopt;
  }
  begin += kWord.size();
  const std::size_t slash = text.find('/', begin);
  const std::size_t bar = text.find('|', begin);
  if (bar == std::string_view::npos || slash > bar) return std::nullopt;
  const auto index = parse_integer(text.substr(begin, slash - begin));
  if (index) text.remove_prefix(bar + 1);
  return index;
}

void MegatronFormat::read_field(std::string_view key, std::string_view value, Fields& fields) {
  StepLine& step = fields.step;
  const auto number = [&](double scale = 1) -> Maybe {
    if (const auto parsed = parse_number(value)) return *parsed * scale;
    ++step.unreadable;
    return {};
  };
  switch (key.front()) {
    case 'a':
      if (const auto flops = parse_leading_number(value); key == "approx flops per GPU" && flops) {
        if (flops->rest == "TFLOPS") step.claimed_tflops = flops->value;
        claim_ = Claim::megatron_2021;
      }
      break;
    case 'c':
      if (key == "consumed samples") fields.consumed_samples = number();
      break;
    case 'e':
      if (key == "elapsed time per iteration (ms)") step.duration_s = number(1e-3);
      if (key == "elapsed time per iteration (s)") step.duration_s = number();
      break;
    case 'g':
      if (key == "global batch size") step.samples = number();
      break;
    case 'l':
      if (key == "lm loss" || key == "lm-loss" || key == "lm_loss" || key == "loss")
        step.loss = parse_number(value).value_or(std::nan(""));
      break;
    case 't':
      if (key == "throughput per GPU (TFLOP/s/GPU)") {
        step.claimed_tflops = number();
        claim_ = Claim::megatron_lm;
      } else if (key == "tokens per gpu per second (tgs)") {
        step.claimed_tokens_per_s = number();
        has_token_rate_ = true;
      }
      break;
    case 'T':
      if (key == "TFLOPs") {
        step.claimed_tflops = number();
        claim_ = Claim::megatron_2021;
      }
      break;
    default:
      break;
  }
}

// "key: value | key: value |": only what a "|" ends.
void MegatronFormat::read_fields(std::string_view text, Fields& fields) {
  for (std::size_t bar = text.find('|'); bar != std::string_view::npos; bar = text.find('|')) {
    const std::string_view field = trim(text.substr(0, bar));
    const std::size_t colon = field.rfind(':');
    if (colon != std::string_view::npos && colon > 0)
      read_field(field.substr(0, colon), trim(field.substr(colon + 1)), fields);
    text.remove_prefix(bar + 1);
  }
}

void MegatronFormat::read_step(std::int64_t index, std::string_view text, Maybe samples_per_s, RunLogBuilder& builder) {
  Fields fields;
  fields.step.index = index;
  read_fields(text, fields);
  if (fields.consumed_samples && index >= 0) {
    // A line that was cut before its batch size: the consumed samples grow by the batch size with every step.
    if (!fields.step.samples && last_consumed_samples_ && index > last_index_) {
      fields.step.samples =
          (*fields.consumed_samples - *last_consumed_samples_) / static_cast<double>(index - last_index_);
    }
    last_index_ = index;
    last_consumed_samples_ = fields.consumed_samples;
  }
  if (!fields.step.samples && samples_per_s && fields.step.duration_s) {
    fields.step.samples = std::round(*samples_per_s * *fields.step.duration_s);
  }
  builder.add_step(fields.step);
}

// The second half of a step line that was cut in two: "…iterations:   0 | samples per second: 19.474 | TFLOPs: 149.10
// |".
void MegatronFormat::read_continuation(std::string_view text, RunLogBuilder& builder) {
  Step* step = builder.last_step();
  if (step == nullptr) return;
  Fields fields;
  read_fields(text, fields);
  if (!step->claimed_tflops && fields.step.claimed_tflops.value_or(-1) >= 0) {
    step->claimed_tflops = fields.step.claimed_tflops;
  }
  if (!step->loss) step->loss = fields.step.loss;
}

void MegatronFormat::read(const LogLine& line, RunLogBuilder& builder) {
  std::string_view text = line.text;
  if (text.empty()) return;
  if (const auto index = step_index(text)) {
    read_step(*index, text, number_between(line.text, "samples/sec: ", " |"), builder);
  } else if (text.back() == '|' && (text.find("TFLOPs:") != std::string_view::npos ||
                                    text.find("throughput per GPU") != std::string_view::npos)) {
    read_continuation(text, builder);
  } else if (!read_fact(text, builder)) {
    read_other(line, builder);
  }
}

void MegatronFormat::read_argument(std::string_view key, std::string_view value, RunLogBuilder& builder) {
  if (key == "checkpoint_activations" && value == "True") builder.add_fact("training.recompute", "full");
  if (key == "swiglu") builder.add_fact("model.gated_mlp", value == "True" ? "true" : "false");
  if (key == "untie_embeddings_and_output_weights") {
    builder.add_fact("model.tied_embeddings", value == "True" ? "false" : "true");
  }
  if (key == "group_query_attention") has_grouped_queries_ = value == "True";
  if (key == "num_query_groups" && !has_grouped_queries_) return;  // its default is 1, and unused
  const std::string_view fact = find_key(kArguments, key);
  if (fact.empty() || value.empty()) return;
  if (fact == "training.recompute" && value == "None") value = "none";
  if (value == "None") return;
  if (value.starts_with("torch.")) value.remove_prefix(6);
  builder.add_fact(fact, value);
}

// Facts that the program prints before it trains; false for any other line.
bool MegatronFormat::read_fact(std::string_view text, RunLogBuilder& builder) {
  if (const std::size_t dots = text.find(" ..."); dots != std::string_view::npos && dots < 64) {
    const std::size_t end = text.find_first_not_of('.', dots + 1);
    if (end != std::string_view::npos && text[end] == ' ') {
      read_argument(text.substr(0, dots), trim(text.substr(end)), builder);
      return true;
    }
  }
  if (text.find(" end of arguments -") != std::string_view::npos) {
    // Older than these options: a plain MLP, and one matrix for both embeddings.
    if (!builder.has_fact("model.gated_mlp")) builder.add_fact("model.gated_mlp", "false");
    if (!builder.has_fact("model.tied_embeddings")) builder.add_fact("model.tied_embeddings", "true");
    return true;
  }
  if (text.starts_with("using world size")) {
    for (std::string_view field : split(text, ',')) {
      const std::size_t colon = field.find(':');
      if (colon == std::string_view::npos) continue;
      const std::string_view fact = find_key(kWorld, trim(field.substr(0, colon)));
      if (!fact.empty()) builder.add_fact(fact, trim(field.substr(colon + 1)));
    }
    return true;
  }
  constexpr std::string_view kNewSize = "(new size: ";
  if (const std::size_t at = text.find(kNewSize); text.starts_with("> padded vocab") && at != std::string_view::npos) {
    const auto size = parse_leading_number(text.substr(at + kNewSize.size()));
    if (size) builder.add_fact("model.vocab", std::to_string(static_cast<std::int64_t>(size->value)));
    return true;
  }
  return false;
}

// The time in "[before the start of training step] datetime: 2021-05-26 03:20:38", else the line's own.
Maybe printed_time(const LogLine& line) {
  constexpr std::string_view kWord = "datetime: ";
  const std::size_t at = line.text.find(kWord);
  if (at == std::string_view::npos) return line.timestamp_s;
  const auto time = parse_leading_time(line.text.substr(at + kWord.size()));
  return time ? Maybe(time->seconds) : line.timestamp_s;
}

// A line about something other than a step: what it begins with, what it means, and whether its time is the event's
// begin or its end.
enum class At { begin, end };
struct EventLine {
  std::string_view start;
  EventClass event_class;
  std::optional<LedgerRow> row;
  At at;
};
constexpr std::array<EventLine, 10> kEventLines = {{
    {"[after megatron is initialized]", EventClass::start, LedgerRow::startup, At::begin},
    {"[before the start of training step]", EventClass::initialisation_done, LedgerRow::startup, At::end},
    {"saving checkpoint at iteration", EventClass::checkpoint_save, LedgerRow::checkpoint, At::begin},
    {"successfully saved checkpoint", EventClass::checkpoint_save, LedgerRow::checkpoint, At::end},
    {"loading checkpoint from", EventClass::checkpoint_load, LedgerRow::startup, At::begin},
    {"loading release checkpoint from", EventClass::checkpoint_load, LedgerRow::startup, At::begin},
    {"successfully loaded checkpoint", EventClass::checkpoint_load, LedgerRow::startup, At::end},
    {"validation loss at iteration", EventClass::evaluation, LedgerRow::evaluation, At::end},
    {"exiting program at iteration", EventClass::other, std::nullopt, At::begin},
    {"[exiting program", EventClass::other, std::nullopt, At::begin},
}};

void MegatronFormat::read_other(const LogLine& line, RunLogBuilder& builder) {
  for (const EventLine& known : kEventLines) {
    if (!line.text.starts_with(known.start)) continue;
    Event event;
    event.event_class = known.event_class;
    event.row = known.row;
    (known.at == At::begin ? event.begin_s : event.end_s) = printed_time(line);
    if (known.event_class == EventClass::other) event.subject = "exit";
    builder.add_event(std::move(event));
    return;
  }
  if (line.text.starts_with("scheduled an async checkpoint save")) {
    Event event;
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
    event.begin_s = line.timestamp_s;
    event.blocking = false;
    builder.add_event(std::move(event));
  }
  read_timers(line.text, builder);
}

// Timers of pauses: "time (ms) | save-checkpoint: 123.45 | …", and since 2022 a line each, with the least and the most
// over the ranks: "    save-checkpoint ................................: (1200.11, 1234.56)". Milliseconds.
void MegatronFormat::read_timers(std::string_view text, RunLogBuilder& builder) {
  if (text.starts_with("time (ms)")) {
    for (std::string_view field : split(text, '|')) {
      const std::size_t colon = field.find(':');
      if (colon != std::string_view::npos)
        add_timer(trim(field.substr(0, colon)), trim(field.substr(colon + 1)), builder);
    }
    return;
  }
  const std::size_t dots = text.find(" ..");
  const std::size_t values = text.find(": (", dots == std::string_view::npos ? text.size() : dots);
  if (values == std::string_view::npos || !text.ends_with(")")) return;
  const std::size_t comma = text.find(',', values);
  if (comma == std::string_view::npos) return;
  add_timer(text.substr(0, dots), trim(text.substr(comma + 1, text.size() - comma - 2)), builder);
}

void MegatronFormat::add_timer(std::string_view name, std::string_view milliseconds, RunLogBuilder& builder) {
  Event event;
  if (name == "save-checkpoint") {
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
  } else if (name == "load-checkpoint") {
    event.event_class = EventClass::checkpoint_load;
    event.row = LedgerRow::startup;
  } else if (name == "evaluate" || name == "eval-time") {
    event.event_class = EventClass::evaluation;
    event.row = LedgerRow::evaluation;
  } else {
    return;
  }
  const auto duration = parse_number(milliseconds);
  if (!duration || *duration < 0) return;
  event.duration_s = *duration * 1e-3;
  builder.add_event(std::move(event));
}

ClaimBasis MegatronFormat::claims() const {
  ClaimBasis basis;
  basis.duration_is_mean = true;
  if (claim_ == Claim::megatron_lm) basis.convention = "megatron_lm";
  if (claim_ == Claim::megatron_2021) basis.convention = "megatron_2021";
  if (has_token_rate_) basis.tokens_per_s_scope = RateScope::per_accelerator;
  return basis;
}

}  // namespace

std::unique_ptr<RunLogFormat> make_megatron_format() { return std::make_unique<MegatronFormat>(); }

}  // namespace nameplate
