// torchtitan (PyTorch), 2024 to today.
//
// One line a logging interval, by every rank:
//   step: 1990  loss: 3.4370  [grad_norm: 1.2]  memory: 68.57GiB(86.69%)  tps: 6,785  [tflops: 314.7]  mfu: 39.73%
// Source: torchtitan/components/metrics.py, MetricsProcessor.log. `tps` is tokens per second and accelerator, the mean
// over the interval; model-parallel ranks share their tokens. `mfu` is 6 (N - embedding) + 12 L H Q T FLOPs a token,
// attention counted in full (torchtitan/models/utils.py), over a peak that the program prints; "N/A" where it knows
// none. A step's time is not printed: it follows from the tokens, or from the clock.
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

// The text behind `key` in `text`, without leading blanks; empty when it is not there.
std::string_view after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? std::string_view{} : trim(text.substr(at + key.size()));
}

// The word up to the next blank or one of ",)]"; empty unless such an end is there, since the line may be cut.
std::string_view word(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t,)]");
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

// A step line's "key: value" with thousands separators; nothing when the key is absent or its value "N/A".
Maybe number_after(std::string_view text, std::string_view key, StepLine& step) {
  std::string_view value = after(text, key);
  value = value.substr(0, value.find_first_of(" \t"));
  if (value.empty() || value == "N/A") return {};
  if (const auto number = parse_number(value)) return *number;
  ++step.unreadable;
  return {};
}

class TorchTitanFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "torchtitan"; }
  bool is_step_line(std::string_view text) const override {
    const bool has_rate =
        text.find(" tps: ") != std::string_view::npos || text.find(" wps: ") != std::string_view::npos;
    return text.starts_with("step:") && has_rate && text.find(" memory: ") != std::string_view::npos;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override;

 private:
  static void read_step(std::string_view text, RunLogBuilder& builder);
  static bool read_event(const LogLine& line, RunLogBuilder& builder);
  void read_fact(std::string_view text, RunLogBuilder& builder);

  std::optional<double> peak_tflops_;
};

void TorchTitanFormat::read_step(std::string_view text, RunLogBuilder& builder) {
  const std::string_view rest = trim(text.substr(5));
  const auto index = parse_integer(word(rest));
  if (!index) return;
  StepLine step;
  step.index = *index;
  if (const auto loss = parse_number(word(after(text, " loss:")))) step.loss = *loss;
  if (text.find(" mfu:") != std::string_view::npos) {  // it ends the line: what stands before it is whole
    step.claimed_tokens_per_s = number_after(text, " tps:", step);
    if (!step.claimed_tokens_per_s) step.claimed_tokens_per_s = number_after(text, " wps:", step);  // its name in 2024
    step.claimed_tflops = number_after(text, " tflops:", step);
  }
  const std::string_view mfu = after(text, " mfu:");
  if (const auto percent = parse_leading_number(mfu); percent && percent->rest.starts_with("%")) {
    step.claimed_mfu = percent->value / 100;
  }
  builder.add_step(step);
}

// What a line begins with, what it means, and whether its time is the event's begin or its end.
struct EventLine {
  std::string_view start;
  EventClass event_class;
  LedgerRow row;
  bool is_begin;
};
constexpr std::array<EventLine, 7> kEventLines = {{
    {"Starting job:", EventClass::start, LedgerRow::startup, true},
    {"Training starts at step", EventClass::initialisation_done, LedgerRow::startup, false},
    {"Saving the checkpoint", EventClass::checkpoint_save, LedgerRow::checkpoint, true},
    {"Finished saving the checkpoint", EventClass::checkpoint_save, LedgerRow::checkpoint, false},
    {"Loading the checkpoint", EventClass::checkpoint_load, LedgerRow::startup, true},
    {"Finished loading the checkpoint", EventClass::checkpoint_load, LedgerRow::startup, false},
    {"validate step:", EventClass::evaluation, LedgerRow::evaluation, false},
}};

bool TorchTitanFormat::read_event(const LogLine& line, RunLogBuilder& builder) {
  for (const EventLine& known : kEventLines) {
    if (!line.text.starts_with(known.start)) continue;
    Event event;
    event.event_class = known.event_class;
    event.row = known.row;
    (known.is_begin ? event.begin_s : event.end_s) = line.timestamp_s;
    // "… in 12.34 seconds." and, in some versions, "…enabled)in 12.34 seconds."
    if (const std::size_t at = line.text.rfind("in "); !known.is_begin && at != std::string_view::npos) {
      const auto seconds = parse_leading_number(line.text.substr(at + 3));
      if (seconds && seconds->rest.starts_with(" second")) event.duration_s = seconds->value;
    }
    builder.add_event(std::move(event));
    return true;
  }
  return false;
}

// "Building llama3 8B with ModelArgs(dim=4096, n_layers=32, …)".
void read_model_arguments(std::string_view text, RunLogBuilder& builder) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kArguments = {{
      {"(dim=", "model.hidden"},
      {" n_layers=", "model.layers"},
      {" n_heads=", "model.heads"},
      {" n_kv_heads=", "model.kv_heads"},
      {" vocab_size=", "model.vocab"},
  }};
  for (const auto& [argument, key] : kArguments) {
    const auto value = parse_integer(word(after(text, argument)));
    if (value && *value > 0) builder.add_fact(key, std::to_string(*value));
  }
}

// "Building 2-D device mesh with ['dp_shard', 'tp'], [16, 2]": degrees by name; their product is the number of devices.
void read_mesh(std::string_view text, RunLogBuilder& builder) {
  const std::size_t names_at = text.find('[');
  const std::size_t sizes_at = text.find('[', names_at + 1);
  if (names_at == std::string_view::npos || sizes_at == std::string_view::npos) return;
  const auto names = split(text.substr(names_at + 1, text.find(']', names_at) - names_at - 1), ',');
  const auto sizes = split(text.substr(sizes_at + 1, text.find(']', sizes_at) - sizes_at - 1), ',');
  if (names.size() != sizes.size()) return;
  std::int64_t total = 1;
  std::int64_t dp = 1;
  for (std::size_t i = 0; i < names.size(); ++i) {
    constexpr std::int64_t kMostDevices = 1 << 24;
    const std::string_view name = trim(names[i]);
    const auto size = parse_integer(sizes[i]);
    if (!size || *size < 1 || *size > kMostDevices || total > kMostDevices) return;
    total *= *size;
    if (name.starts_with("'dp")) dp *= *size;
    for (std::string_view degree : {"tp", "cp", "pp"}) {
      if (name == fmt::format("'{}'", degree)) builder.add_fact(fmt::format("plan.{}", degree), std::to_string(*size));
    }
  }
  builder.add_fact("plan.dp", std::to_string(dp));
  builder.add_fact("cluster.count", std::to_string(total));
}

void TorchTitanFormat::read_fact(std::string_view text, RunLogBuilder& builder) {
  if (const auto peak = after(text, "Peak FLOPS used for computing MFU: "); !peak.empty()) {
    if (const auto flops = parse_number(peak)) peak_tflops_ = *flops / 1e12;
  } else if (const auto device = after(text, "CUDA capacity: "); !device.empty()) {
    builder.add_fact("cluster.accelerator", device.substr(0, device.find(" with ")));
  } else if (text.starts_with("Building ") && text.find(" device mesh with ") != std::string_view::npos) {
    read_mesh(text, builder);
  } else if (text.starts_with("Building ") && text.find("Args(") != std::string_view::npos) {
    builder.add_fact("model.name", text.substr(9, text.find(" with ") - 9));
    read_model_arguments(text, builder);
  } else if (text.starts_with("Trainer is initialized with ")) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kArguments = {{
        {"local batch size ", "training.micro_batch"},
        {"global batch size ", "training.global_batch"},
        {"sequence length ", "training.seq_len"},
    }};
    for (const auto& [argument, key] : kArguments) {
      if (const auto value = word(after(text, argument)); !value.empty()) builder.add_fact(key, value);
    }
  } else if (text.starts_with("Model ")) {
    const auto size = parse_integer(word(after(text, " size: ")));
    if (size) builder.add_fact("model.parameters", std::to_string(*size));
  }
}

void TorchTitanFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (line.text.starts_with("step:")) {
    read_step(line.text, builder);
  } else if (!read_event(line, builder)) {
    read_fact(line.text, builder);
  }
}

ClaimBasis TorchTitanFormat::claims() const {
  ClaimBasis basis;
  basis.convention = "torchtitan";
  basis.tokens_per_s_scope = RateScope::per_accelerator;
  basis.tokens_per_s_is_mean = true;
  basis.peak_tflops = peak_tflops_;
  if (peak_tflops_) basis.peak_note = fmt::format("{:.6g} TFLOP/s, as the log prints", *peak_tflops_);
  return basis;
}

}  // namespace

std::unique_ptr<RunLogFormat> make_torchtitan_format() { return std::make_unique<TorchTitanFormat>(); }

}  // namespace nameplate
