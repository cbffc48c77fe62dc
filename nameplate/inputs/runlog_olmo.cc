// OLMo and OLMo-core (Ai2): a block a logged step.
//
//   …  olmo.train:967  INFO  [step=120/5000,epoch=1]
//       train/CrossEntropyLoss=3.412                        OLMo-core: train/CE loss
//       throughput/total_tokens=503,316,480                 OLMo-core: throughput/total tokens
//       throughput/device/tokens_per_second=11,480          OLMo-core: throughput/device/TPS
//       throughput/device/batches_per_second=0.3503         OLMo-core: throughput/device/BPS
//       throughput/device/MFU=41.20                         OLMo-core, percent
// Source: Trainer.log_metrics_to_console and SpeedMonitor in olmo/train.py; ConsoleLoggerCallback and
// SpeedMonitorCallback in olmo_core/train/callbacks. Numbers have three to five digits, whole ones above 1000. The
// rates are means over a window, without evaluation and checkpoints (OLMo-core: of the step). OLMo-core's MFU counts 6
// (N - embedding) + 12 L H Q T against the device's peak (convention torchtitan).
#include <string>
#include <utility>

#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/running_total.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr double kLeastRate = 0.01;  // a smaller one is printed with two digits or fewer

// The index in "[step=120/5000,…": the header may stand behind the logger's name and level.
std::optional<std::int64_t> header_index(std::string_view text) {
  constexpr std::size_t kLongestPrefix = 200;
  const std::size_t at = text.substr(0, kLongestPrefix).find("[step=");
  if (at == kNone) return std::nullopt;
  return parse_integer(text_between(text.substr(at), "[step=", "/"));
}

class OlmoFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "olmo"; }
  bool is_step_line(std::string_view text) const override {
    return header_index(text) && text.ends_with("]") && text.find("[step=") != kNone;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  Status end_file(RunLogBuilder& builder) override {
    close_block(builder);
    return std::nullopt;
  }
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.tokens_per_s_scope = RateScope::per_accelerator;
    if (has_mfu_) basis.convention = "torchtitan";
    basis.duration_is_mean = true;
    basis.tokens_per_s_is_mean = true;
    return basis;
  }

 private:
  struct Block {
    LogLine line;  // of the header; its views are not kept
    std::string rank;
    StepLine step;
    Maybe total_tokens;
  };
  void read_metric(std::string_view name, std::string_view text);
  void close_block(RunLogBuilder& builder);
  static void read_event(const LogLine& line, RunLogBuilder& builder);

  std::optional<Block> block_;
  RunningTotal tokens_;
  bool has_mfu_ = false;
};

void OlmoFormat::read_metric(std::string_view name, std::string_view text) {
  const auto value = parse_number(text);
  StepLine& step = block_->step;
  if (name == "train/CrossEntropyLoss" || name == "train/CE loss") {
    if (value) step.loss = *value;
    return;
  }
  if (!name.starts_with("throughput/")) return;
  if (!value) {
    ++step.unreadable;
  } else if (name == "throughput/device/tokens_per_second" || name == "throughput/device/TPS") {
    step.claimed_tokens_per_s = *value;
  } else if (name == "throughput/device/batches_per_second" || name == "throughput/device/BPS") {
    if (*value >= kLeastRate) step.duration_s = 1 / *value;
  } else if (name == "throughput/total_tokens" || name == "throughput/total tokens") {
    block_->total_tokens = *value;
  } else if (name == "throughput/device/MFU") {
    step.claimed_mfu = *value / 100;
    has_mfu_ = true;
  }
}

void OlmoFormat::close_block(RunLogBuilder& builder) {
  if (!block_) return;
  Block block = std::move(*block_);
  block_.reset();
  if (!block.rank.empty()) block.line.rank = block.rank;
  builder.begin_line(block.line);
  block.step.tokens = tokens_.per_step(block.step.index, block.total_tokens);
  builder.add_step(block.step);
}

void OlmoFormat::read_event(const LogLine& line, RunLogBuilder& builder) {
  Event event;
  event.begin_s = line.timestamp_s;
  if (line.text.find("Saving checkpoint") != kNone || line.text.find("Saving unsharded checkpoint") != kNone) {
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
  } else if (line.text.find("Checkpoint saved to") != kNone) {
    event.event_class = EventClass::checkpoint_save;
    event.row = LedgerRow::checkpoint;
    event.end_s = std::exchange(event.begin_s, Maybe());
  } else if (line.text.find("Loading checkpoint") != kNone) {
    event.event_class = EventClass::checkpoint_load;
    event.row = LedgerRow::startup;
  } else if (line.text.find("Running evaluation for") != kNone || line.text.find("Running in-loop evals") != kNone) {
    event.event_class = EventClass::evaluation;
    event.row = LedgerRow::evaluation;
  } else if (line.text.find("Training complete") != kNone) {
    event.event_class = EventClass::finished;
  } else {
    return;
  }
  builder.add_event(std::move(event));
}

void OlmoFormat::read(const LogLine& line, RunLogBuilder& builder) {
  const std::size_t equals = line.text.find('=');
  const bool is_metric = block_ && equals != kNone && line.text.find('/') < equals && !line.timestamp_s;
  if (is_metric && line.text.find('[') > equals) {
    if (!line.is_cut) read_metric(line.text.substr(0, equals), line.text.substr(equals + 1));
    return;
  }
  close_block(builder);
  builder.begin_line(line);
  const auto index = is_step_line(line.text) ? header_index(line.text) : std::nullopt;
  if (!index) return read_event(line, builder);
  block_.emplace();
  block_->line = {.timestamp_s = line.timestamp_s, .number = line.number};
  block_->rank = std::string(line.rank.value_or(std::string_view()));
  block_->step.index = *index;
}

}  // namespace

std::unique_ptr<RunLogFormat> make_olmo_format() { return std::make_unique<OlmoFormat>(); }

}  // namespace nameplate
