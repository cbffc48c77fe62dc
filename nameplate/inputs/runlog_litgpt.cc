// LitGPT (Lightning AI), pre-training and fine-tuning.
//
//   Epoch 1 | iter 7 step 3 | loss train: 1.61, val: n/a | iter time: 511.70 ms
//   Epoch 1 | iter 8 step 4 | loss train: 1.74, val: n/a | iter time: 514.14 ms (step)
// Source: fit() in litgpt/finetune/lora.py and litgpt/pretrain.py. An iteration is a micro-batch; "(step)" marks the
// one after which the optimizer steps, and `step` counts those. A step's time is the sum over its iterations. Where not
// every iteration is printed (log_interval), it is the mean of those that are, times the iterations of a step: too long
// by what the optimizer takes where only "(step)" lines are printed. A log that begins inside a step has its first row
// too short, as a warm-up step is too long: analysis drops it.
#include <optional>
#include <string>
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

class LitGptFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "litgpt"; }
  bool is_step_line(std::string_view text) const override {
    return text.starts_with("Epoch ") && text.find(" | iter ") != kNone && text.find(" | iter time: ") != kNone;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.duration_is_mean = has_gaps_;
    return basis;
  }

 private:
  void read_iteration(std::string_view text, RunLogBuilder& builder);
  void add_step(std::int64_t iteration, std::int64_t step, Maybe loss, RunLogBuilder& builder);

  std::int64_t printed_ = 0;  // iterations since the last step
  double seconds_ = 0;        // of those
  std::int32_t unreadable_ = 0;
  std::optional<std::int64_t> last_iteration_;  // of the last "(step)" line
  std::int64_t last_step_ = 0;
  bool has_gaps_ = false;
};

void LitGptFormat::read_iteration(std::string_view text, RunLogBuilder& builder) {
  const auto iteration = parse_integer(text_between(text, " | iter ", " "));
  const std::size_t step_at = text.find(" step ");
  const auto step = step_at == kNone ? std::nullopt : leading_index(text.substr(step_at + 6));
  if (!iteration || !step || *iteration < 0) {
    return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
  }
  const Maybe time = number_between(text, " | iter time: ", " ms");
  if (time) {
    ++printed_;
    seconds_ += *time * 1e-3;
  } else {
    ++unreadable_;
  }
  if (text.find(" ms (step)") == kNone) return;
  add_step(*iteration, *step, number_between(text, " | loss train: ", ","), builder);
}

void LitGptFormat::add_step(std::int64_t iteration, std::int64_t step, Maybe loss, RunLogBuilder& builder) {
  StepLine row;
  row.index = step;
  row.loss = loss;
  row.unreadable = unreadable_;
  if (printed_ > 0) row.duration_s = seconds_;
  if (last_iteration_ && iteration > *last_iteration_ && step > last_step_ && printed_ > 0) {
    const std::int64_t iterations = iteration - *last_iteration_;
    if (iterations != printed_ || step - last_step_ > 1) {
      has_gaps_ = true;
      const double per_step = static_cast<double>(iterations) / static_cast<double>(step - last_step_);
      row.duration_s = seconds_ / static_cast<double>(printed_) * per_step;
    }
  }
  last_iteration_ = iteration;
  last_step_ = step;
  printed_ = 0;
  seconds_ = 0;
  unreadable_ = 0;
  builder.add_step(row);
}

void add_event(EventClass event_class, std::optional<LedgerRow> row, const LogLine& line, Maybe duration_s,
               RunLogBuilder& builder) {
  Event event;
  event.event_class = event_class;
  event.row = row;
  event.duration_s = duration_s;
  (event_class == EventClass::checkpoint_save ? event.begin_s : event.end_s) = line.timestamp_s;
  builder.add_event(std::move(event));
}

void LitGptFormat::read(const LogLine& line, RunLogBuilder& builder) {
  const std::string_view text = line.text;
  if (is_step_line(text)) return read_iteration(text, builder);
  if (text.starts_with("iter ") && text.find(": val loss ") != kNone) {
    Maybe duration = number_between(text, ", val time: ", " ms");
    if (duration) duration = *duration * 1e-3;
    add_event(EventClass::evaluation, LedgerRow::evaluation, line, duration, builder);
  } else if (text.starts_with("Saving checkpoint to ")) {
    add_event(EventClass::checkpoint_save, LedgerRow::checkpoint, line, {}, builder);
  } else if (text.starts_with("Training time: ")) {
    add_event(EventClass::finished, std::nullopt, line, number_between(text, "Training time: ", "s"), builder);
  } else if (const auto trainable = text_behind(text, "Number of trainable parameters: ")) {
    const auto count = parse_integer(*trainable);
    if (count && *count > 0 && !line.is_cut) {
      builder.add_fact("training.trainable_parameters", std::to_string(*count));
    }
  }
}

}  // namespace

std::unique_ptr<RunLogFormat> make_litgpt_format() { return std::make_unique<LitGptFormat>(); }

}  // namespace nameplate
