// modded-nanogpt (Jordan and others): the speed-run's logs.
//
//   step:13/1480 train_time:423ms step_avg:141.01ms
//   step:125/1480 val_loss:4.3621 train_time:16621ms step_avg:144.53ms
// with an nvidia-smi table and the program's own source above. Source: train_gpt2.py, train_gpt.py. `train_time` runs
// on over the steps, without evaluation, and is set to 0 after step 10 to leave compilation out; `step_avg` is its mean
// since then. A step's time is therefore the difference of train_time between neighbouring lines, in whole
// milliseconds.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

struct Device {
  std::int64_t number = 0;
  std::string_view name;
};

// "|   0  NVIDIA H100 80GB HBM3          On  | 00000000:19:00.0 Off |": a row of nvidia-smi that begins with a device's
// number and has a PCI address in the next cell.
std::optional<Device> nvidia_smi_device(std::string_view text) {
  constexpr std::int64_t kMostDevices = 1024;  // of a machine
  const std::string_view cell = text.starts_with("| ") ? text_between(text, "| ", "|") : std::string_view{};
  const auto number = leading_index(cell);
  if (!number || *number >= kMostDevices || text.find(".0 O") == kNone) return std::nullopt;
  const std::size_t name_at = cell.find_first_not_of("0123456789");
  if (name_at == kNone) return std::nullopt;
  const std::string_view name = trim(cell.substr(name_at));
  const std::size_t gap = name.find("  ");
  return Device{*number, name.substr(0, gap == kNone ? name.rfind(' ') : gap)};
}

class ModdedNanoGptFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "modded-nanogpt"; }
  bool is_step_line(std::string_view text) const override {
    return text.starts_with("step:") && leading_index(text.substr(5)) && text.find(" train_time:") != kNone;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override { return {}; }

 private:
  void read_step(const LogLine& line, RunLogBuilder& builder);

  std::int64_t index_ = -1;  // of the last line with a train_time
  double train_time_ms_ = 0;
  std::int64_t devices_ = 0;  // in the table, which some versions print twice
};

void ModdedNanoGptFormat::read_step(const LogLine& line, RunLogBuilder& builder) {
  const std::int64_t index = *leading_index(line.text.substr(5));
  const Maybe time = number_between(line.text, " train_time:", "ms");
  const bool is_evaluation = line.text.find(" val_loss:") != kNone;
  if (is_evaluation) {
    Event event;
    event.event_class = EventClass::evaluation;
    event.row = LedgerRow::evaluation;
    event.end_s = line.timestamp_s;
    builder.add_event(std::move(event));
  } else {
    StepLine step;
    step.index = index;
    if (!time) ++step.unreadable;
    if (time && index_ >= 0 && index > index_) {
      const bool is_reset = *time < train_time_ms_;  // it counts from 0 again
      step.duration_s = (*time - (is_reset ? 0 : train_time_ms_)) * 1e-3 / static_cast<double>(index - index_);
    }
    builder.add_step(step);
  }
  // An evaluation waits for the devices first: what its line adds belongs to the step behind it.
  if (!time || (is_evaluation && index_ >= 0)) return;
  index_ = index;
  train_time_ms_ = *time;
}

void ModdedNanoGptFormat::read(const LogLine& line, RunLogBuilder& builder) {
  if (is_step_line(line.text)) {
    if (devices_ > 0) builder.add_fact("cluster.count", std::to_string(std::exchange(devices_, 0)));
    return read_step(line, builder);
  }
  const auto device = nvidia_smi_device(line.text);
  if (!device || device->name.empty()) return;
  devices_ = std::max(devices_, device->number + 1);
  builder.add_fact("cluster.accelerator", device->name);
}

}  // namespace

std::unique_ptr<RunLogFormat> make_modded_nanogpt_format() { return std::make_unique<ModdedNanoGptFormat>(); }

}  // namespace nameplate
