// What DeepSpeed itself prints, below whatever program uses it.
//
// Engine (runtime/engine.py, utils/timer.py), every steps_per_print:
//   [Rank 0] step=40, skipped=2, lr=[5e-05], mom=[[0.9, 0.999]]
//   [timer.py:189:stop] 0/40, SamplesPerSec=83.48, …      or epoch=0/micro_step=40/global_step=40,
//   RunningAvgSamplesPerSec=…
// wall_clock_breakdown, every micro-batch, and where the optimizer steps:
//   rank=0 time (ms) | forward_microstep: 1330.05 | backward_microstep: 4766.88 | … | step_microstep: 0.05
//   rank=0 time (ms) | forward: 5320.1 | backward: 19070.2 | backward_inner: … | backward_allreduce: … | step: 210.4
// Flops profiler (profiling/flops_profiler/profiler.py): "fwd MACs per GPU:   3139.93 G", at one step.
//
// Pitfalls. SamplesPerSec is a mean since the start, so it times no step: rows are timed by the clock. The breakdown
// names no step: its rows are numbered. Only the second form is a whole step (forward, backward and step over all its
// micro-batches); where a log has the first alone, each row is one micro-batch, which is counted and said. The backward
// pass contains the recomputed forward. The profiler counts what it can see of a forward pass, without fused kernels;
// its figures become facts.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kTimes = "time (ms) | ";

// "step=40, skipped=2, lr=[…"
std::optional<std::int64_t> engine_step(std::string_view text) {
  const std::size_t at = text.find("step=");
  if (at == kNone || (at > 0 && text[at - 1] != ' ') || text.find(", skipped=", at) == kNone) return std::nullopt;
  return parse_integer(text_between(text.substr(at), "step=", ","));
}

// "0/40, SamplesPerSec=…": epoch and micro-step; newer ones name global_step.
std::optional<std::int64_t> timer_step(std::string_view text) {
  const std::size_t rate = text.find("SamplesPerSec=");
  if (rate == kNone) return std::nullopt;
  const std::string_view before = text.substr(0, rate);
  if (before.find("global_step=") != kNone) return parse_integer(text_between(before, "global_step=", ","));
  const std::size_t slash = before.rfind('/');
  return slash == kNone ? std::nullopt : parse_integer(text_between(before.substr(slash), "/", ","));
}

// Milliseconds of `name` in a breakdown line.
Maybe timer(std::string_view text, std::string_view name, bool is_cut) {
  const std::string key = "| " + std::string(name) + ": ";
  const std::size_t at = text.find(key);
  if (at == kNone) return {};
  std::string_view value = text.substr(at + key.size());
  const std::size_t end = value.find(" |");
  if (end == kNone && is_cut) return {};
  const auto number = parse_number(value.substr(0, end));
  return number ? Maybe(*number) : Maybe();
}

// "3139.93 G" and "336.23 M" in units; nothing without a number.
Maybe scaled(std::string_view value) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kScales = {
      {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}};
  const auto number = parse_leading_number(value);
  if (!number) return {};
  const std::string_view unit = trim(number->rest).substr(0, 1);
  for (const auto& [name, scale] : kScales) {
    if (unit == name) return number->value * scale;
  }
  return {};
}

// "250.00 ms" in seconds.
Maybe latency(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};
  const auto number = parse_leading_number(text);
  for (const auto& [name, scale] : kUnits) {
    if (number && trim(number->rest) == name) return number->value * scale;
  }
  return {};
}

class DeepSpeedFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "deepspeed"; }
  bool is_library() const override { return true; }
  bool is_step_line(std::string_view text) const override {
    return text.find("SamplesPerSec=") != kNone || engine_step(text) || is_breakdown(text) || is_profile(text);
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  Status end_file(RunLogBuilder& builder) override;
  ClaimBasis claims() const override { return {}; }

 private:
  struct MicroStep {
    LogLine line;  // its views are not kept
    double seconds;
  };
  static bool is_breakdown(std::string_view text) {
    return text.find(kTimes) != kNone &&
           (text.find("| forward_microstep: ") != kNone || text.find("| forward: ") != kNone);
  }
  static bool is_profile(std::string_view text) { return text.starts_with("Profile Summary at step "); }
  void add_step(std::int64_t index, const LogLine& line, RunLogBuilder& builder);
  void read_breakdown(const LogLine& line, RunLogBuilder& builder);
  void read_profile(std::string_view text, RunLogBuilder& builder);
  void add_profiled_step(RunLogBuilder& builder);
  static void read_configuration(std::string_view text, RunLogBuilder& builder);

  bool has_engine_steps_ = false;
  bool has_whole_steps_ = false;
  std::int64_t breakdowns_ = 0;
  std::vector<MicroStep> micro_steps_;  // until a whole step is seen
  Maybe batch_;
  std::optional<StepLine> profiled_;
  LogLine profile_line_;
};

void DeepSpeedFormat::add_step(std::int64_t index, const LogLine& line, RunLogBuilder& builder) {
  if (has_whole_steps_ || line.is_cut) return;  // the breakdown has the better time
  StepLine step;
  step.index = index;
  step.samples = batch_;
  builder.add_step(step);
}

void DeepSpeedFormat::read_breakdown(const LogLine& line, RunLogBuilder& builder) {
  const bool is_whole = line.text.find("| forward: ") != kNone;
  if (!is_whole && (has_whole_steps_ || has_engine_steps_)) return;
  const std::string_view names[2][3] = {{"forward_microstep", "backward_microstep", "step_microstep"},
                                        {"forward", "backward", "step"}};
  double milliseconds = 0;
  for (const std::string_view name : names[is_whole]) {
    const Maybe time = timer(line.text, name, line.is_cut);
    if (!time) return;
    milliseconds += *time;
  }
  if (!is_whole) {
    micro_steps_.push_back({{.timestamp_s = line.timestamp_s, .number = line.number}, milliseconds * 1e-3});
    return;
  }
  micro_steps_.clear();
  if (has_engine_steps_) return;
  has_whole_steps_ = true;
  StepLine step;
  step.index = breakdowns_++;
  step.duration_s = milliseconds * 1e-3;
  step.samples = batch_;
  builder.add_defect({"log.step_not_printed", {}}, Severity::info);
  builder.add_step(step);
}

// "params of model = params per GPU * mp_size:      336.23 M", and the spellings of later versions.
void DeepSpeedFormat::read_profile(std::string_view text, RunLogBuilder& builder) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kFacts = {{
      {"world size:", "cluster.count"},
      {"data parallel size:", "plan.dp"},
      {"model paralel size:", "plan.tp"},  // as spelled there until 2022
      {"model parallel size:", "plan.tp"},
      {"batch size per GPU:", "training.micro_batch"},
      {"params of model = ", "model.parameters"},
      {"fwd MACs per GPU:", "profiler.forward_macs"},
      {"fwd flops per GPU", "profiler.forward_flops"},
      {"fwd+bwd flops per GPU", "profiler.step_flops"},
  }};
  const std::size_t colon = text.rfind(':');
  if (colon == kNone) return;
  const std::string_view printed = trim(text.substr(colon + 1));
  if (text.starts_with("iter latency:")) profiled_->duration_s = latency(printed);
  const Maybe value = scaled(printed);
  if (!value || !(*value >= 0 && *value < 1e18)) return;
  for (const auto& [start, key] : kFacts) {
    if (text.starts_with(start)) builder.add_fact(key, std::to_string(std::llround(*value)));
  }
  if (text.starts_with("batch size per GPU:")) {
    const LogFact* dp = builder.find_fact("plan.dp");
    const auto degree = dp == nullptr ? std::nullopt : parse_number(dp->value);
    profiled_->samples = *value * degree.value_or(1);
  }
}

// The profiled step is a row only where the log has no other.
void DeepSpeedFormat::add_profiled_step(RunLogBuilder& builder) {
  if (!profiled_ || !builder.log().steps.empty()) return;
  builder.begin_line(profile_line_);
  builder.add_step(*profiled_);
}

// "[config.py:963:print]   train_batch_size ............. 640"
void DeepSpeedFormat::read_configuration(std::string_view text, RunLogBuilder& builder) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFacts = {{
      {"train_batch_size", "training.global_batch"},
      {"train_micro_batch_size_per_gpu", "training.micro_batch"},
      {"world_size", "cluster.count"},
      {"zero_optimization_stage", "plan.zero"},
  }};
  const std::size_t dots = text.find(" ..");
  const std::size_t name_at = dots == kNone ? kNone : text.find_last_of(' ', dots - 1);
  if (name_at == kNone || dots == 0) return;
  const std::string_view name = text.substr(name_at + 1, dots - name_at - 1);
  const std::string_view value = trim(text.substr(std::min(text.find_first_not_of(" .", dots), text.size())));
  for (const auto& [printed, key] : kFacts) {
    if (name == printed && parse_integer(value)) builder.add_fact(key, value);
  }
  if (name == "bfloat16_enabled" && value == "True") builder.add_fact("training.precision", "bf16");
  if (name == "fp16_enabled" && value == "True") builder.add_fact("training.precision", "fp16");
}

void DeepSpeedFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (const auto step = engine_step(line.text)) {
    has_engine_steps_ = true;
    add_step(*step, line, builder);
  } else if (const auto counted = timer_step(line.text)) {
    if (!has_engine_steps_) add_step(*counted, line, builder);
  } else if (is_breakdown(line.text)) {
    read_breakdown(line, builder);
  } else if (is_profile(line.text)) {
    const auto profiled = parse_integer(text_between(line.text, "at step ", ":"));
    if (!profiled) return;
    profiled_.emplace().index = *profiled;
    profile_line_ = {.timestamp_s = line.timestamp_s, .number = line.number};
  } else if (profiled_) {
    read_profile(line.text, builder);
  } else if (line.text.find(" ..") != kNone && !line.is_cut) {
    read_configuration(line.text, builder);
    const LogFact* batch = builder.find_fact("training.global_batch");
    const auto samples = batch == nullptr ? std::nullopt : parse_number(batch->value);
    if (samples && *samples > 0) batch_ = *samples;
  }
}

Status DeepSpeedFormat::end_file(RunLogBuilder& builder) {
  if (!has_whole_steps_ && !has_engine_steps_ && !micro_steps_.empty()) {
    builder.add_defect({"log.micro_steps", {}}, Severity::info, static_cast<std::int64_t>(micro_steps_.size()));
    for (const MicroStep& micro : micro_steps_) {
      builder.begin_line(micro.line);
      StepLine step;
      step.index = breakdowns_++;
      step.duration_s = micro.seconds;
      builder.add_step(step);
    }
  }
  micro_steps_.clear();
  add_profiled_step(builder);
  return std::nullopt;
}

}  // namespace

std::unique_ptr<RunLogFormat> make_deepspeed_format() { return std::make_unique<DeepSpeedFormat>(); }

}  // namespace nameplate
