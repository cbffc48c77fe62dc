// Benchmarks of ColossalAI (examples/language/*/benchmark.py, performance_evaluator.py).
//
//   INFO     colossalai - colossalai - INFO: Step time: 19.714
//   Step:  40%|####      | 2/5 [00:42<01:03, 21.03s/it]
//   Throughput: 3.24 samples/sec, TFLOPS per GPU by Megatron: 188.43, TFLOPS per GPU: 181.77      at the end, once
//
// Neither line has a step's index: rows are numbered from 1, as the bar behind them does. The two TFLOP/s are means
// over the run's steps but its first ones and stand in the last row: "by Megatron" is 96 B s L h^2 (1 + s/6h + V/16Lh)
// with checkpointing (convention megatron_2021) and three quarters of it without, and the one that is taken.
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kStepTime = "INFO: Step time: ";

class ColossalAiFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "colossalai"; }
  bool is_step_line(std::string_view text) const override {
    return text.find("colossalai") != kNone && text.find(kStepTime) != kNone;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override {
    ClaimBasis basis;
    if (has_tflops_) basis.convention = "megatron_2021";
    return basis;
  }

 private:
  void read_step(const LogLine& line, RunLogBuilder& builder);
  void read_summary(std::string_view text, RunLogBuilder& builder);

  std::int64_t index_ = 0;
  bool has_tflops_ = false;
};

void ColossalAiFormat::read_step(const LogLine& line, RunLogBuilder& builder) {
  if (line.is_cut) return;
  StepLine step;
  step.index = ++index_;
  const auto seconds = parse_number(line.text.substr(line.text.find(kStepTime) + kStepTime.size()));
  if (seconds) {
    step.duration_s = *seconds;
  } else {
    ++step.unreadable;
  }
  builder.add_step(step);
}

void ColossalAiFormat::read_summary(std::string_view text, RunLogBuilder& builder) {
  const Maybe tflops = number_between(text, "TFLOPS per GPU by Megatron: ", ",");
  Step* last = builder.last_step();
  if (last == nullptr || !(tflops.value_or(-1) >= 0)) return;
  last->claimed_tflops = tflops;
  has_tflops_ = true;
}

void ColossalAiFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (is_step_line(line.text)) return read_step(line, builder);
  if (line.text.find("Throughput: ") != kNone && line.text.find("TFLOPS per GPU") != kNone) {
    return read_summary(line.text, builder);
  }
  if (line.text.find("Booster init max CUDA memory") != kNone || line.text.find("Booster init done") != kNone) {
    Event event;
    event.event_class = EventClass::initialisation_done;
    event.row = LedgerRow::startup;
    event.end_s = line.timestamp_s;
    builder.add_event(std::move(event));
  }
}

}  // namespace

std::unique_ptr<RunLogFormat> make_colossalai_format() { return std::make_unique<ColossalAiFormat>(); }

}  // namespace nameplate
