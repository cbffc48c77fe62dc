// Console blocks of MosaicML Composer and LLM Foundry (composer/loggers/console_logger.py), one a logged batch:
//   [batch=12/4800]:                      or [epoch=1][batch=12/100]:, or another unit, [token=…/…]:
//   	 Train time/batch: 11
//   	 Train loss/train/total: 7.1
//   	 Train throughput/tokens_per_sec: 57000.1
//   	 Train throughput/device/mfu: 0.4102   (0..1)
// and its progress bar, "train  Epoch   0:   12%|###  | 12/100 [00:05<00:35,  2.47ba/s, loss/train/total=7.1]".
//
// SpeedMonitor's rates (composer/callbacks/speed_monitor.py) are means over a window of 100 batches, without
// evaluation; they have four decimals, so a better source of the step time wins where it is printed: the last batch's
// own seconds, then the difference of the older wall_clock/train, then the rate. LLM Foundry's models count 6 N + 12 L
// h s^2 per sequence, N with embeddings (convention llm_foundry), against the dense peak of the device; other Composer
// models bring their own count. The console's running totals (time/batch, time/token, time/sample) are those before the
// batch.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "nameplate/core/text.h"
#include "nameplate/inputs/progress_bar.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_format.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/running_total.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::int64_t kMostBatches = std::int64_t{1} << 31;  // of an epoch, and epochs: their product fits

std::optional<std::int64_t> digits_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == kNone) return std::nullopt;
  const std::string_view rest = text.substr(at + before.size());
  return parse_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
}

// "[batch=12/4800]:", "[epoch=1][batch=12/100]:", "[token=4096/2e9]:"; not "[Eval batch=1/320] Eval on eval data".
bool is_header(std::string_view text) {
  if (!text.ends_with("]:")) return false;
  for (const std::string_view unit : {"[batch=", "[epoch=", "[token=", "[sample=", "[iteration=", "[second="}) {
    if (text.starts_with(unit)) return true;
  }
  return false;
}

std::optional<ProgressBar> training_bar(std::string_view text) {
  if (!text.starts_with("train ") || text.find("ba") == kNone) return std::nullopt;
  auto bar = parse_progress_bar(text);
  return bar && bar->done > 0 && bar->total <= kMostBatches ? bar : std::nullopt;
}

// Where a step time comes from, worst first.
enum class TimeSource { none, rate, wall_clock, own };

// One logged batch, as its lines come.
struct Block {
  LogLine line;  // of the header; its views are not kept
  std::string rank;
  std::optional<std::int64_t> index;    // from the header, in batches of the whole run
  std::optional<std::int64_t> batches;  // done before this one, from time/batch
  Maybe tokens, samples, wall_clock_s;  // running totals
  Maybe device_tokens_per_s;
  TimeSource source = TimeSource::none;
  StepLine step;

  void set_duration(TimeSource from, double seconds) {
    if (from < source) return;
    source = from;
    step.duration_s = seconds;
  }
};

class ComposerFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "composer"; }
  bool is_step_line(std::string_view text) const override { return is_header(text) || training_bar(text).has_value(); }
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.tokens_per_s_scope = RateScope::job;
    basis.convention = "llm_foundry";
    basis.duration_is_mean = true;
    basis.tokens_per_s_is_mean = true;
    return basis;
  }

  void read(const LogLine& line, RunLogBuilder& builder) override {
    if (line.text.starts_with("Train ") && block_) return read_metric(line);
    close_block(builder);
    builder.begin_line(line);
    if (is_header(line.text)) {
      open_block(line);
    } else if (const auto bar = training_bar(line.text)) {
      add_bar(*bar, line.text, builder);
    } else if (line.text.starts_with("[Eval batch=")) {
      add_event(EventClass::evaluation, LedgerRow::evaluation, line, builder);
    } else if (line.text.find("Saving checkpoint to ") != kNone) {
      add_event(EventClass::checkpoint_save, LedgerRow::checkpoint, line, builder);
    } else {
      read_config(line.text, builder);
    }
  }

  Status end_file(RunLogBuilder& builder) override {
    close_block(builder);
    return std::nullopt;
  }

 private:
  void open_block(const LogLine& line) {
    block_.emplace();
    block_->line = {.timestamp_s = line.timestamp_s, .number = line.number};
    block_->rank = std::string(line.rank.value_or(std::string_view()));
    if (line.text.starts_with("[batch=")) block_->index = digits_after(line.text, "[batch=");
  }

  // "Train throughput/tokens_per_sec: 57000.1"
  void read_metric(const LogLine& line) {
    const std::string_view entry = line.text.substr(std::string_view("Train ").size());
    const std::size_t colon = entry.rfind(": ");
    if (colon == kNone || line.is_cut) return;
    const auto value = parse_number(trim(entry.substr(colon + 2)));
    const std::string_view key = entry.substr(0, colon);
    if (!value) return;
    if ((key == "time/batch" || key == "trainer/global_step") && *value >= 0 && *value < 1e15) {
      block_->batches = static_cast<std::int64_t>(*value);
    }
    take_total(key, *value);
    take_rate(key, *value);
  }

  void take_total(std::string_view key, double value) {
    if (key == "time/token") block_->tokens = value;
    if (key == "time/sample") block_->samples = value;
    if (key == "wall_clock/train") block_->wall_clock_s = value;
    if (key == "loss/train/total") block_->step.loss = value;
    if (key == "time/secs_per_step" && value > 0) block_->set_duration(TimeSource::own, value);
  }

  void take_rate(std::string_view key, double value) {
    if (key == "throughput/batches_per_sec" && value > 0) block_->set_duration(TimeSource::rate, 1 / value);
    if (key == "throughput/tokens_per_sec") block_->step.claimed_tokens_per_s = value;
    if (key == "throughput/device/tokens_per_sec") block_->device_tokens_per_s = value;
    if (key == "throughput/device/flops_per_sec") block_->step.claimed_tflops = value / 1e12;
    if (key == "throughput/device/mfu") block_->step.claimed_mfu = value;
  }

  void close_block(RunLogBuilder& builder) {
    if (!block_) return;
    Block block = std::move(*block_);
    block_.reset();
    if (!block.index && block.batches) block.index = *block.batches + 1;
    if (!block.rank.empty()) block.line.rank = block.rank;
    builder.begin_line(block.line);
    if (!block.index) return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
    block.step.index = *block.index;
    if (block.batches) {
      block.step.tokens = tokens_.per_step(*block.batches, block.tokens);
      block.step.samples = samples_.per_step(*block.batches, block.samples);
    }
    const Maybe seconds = wall_clock_.per_step(*block.index, block.wall_clock_s);
    if (seconds) block.set_duration(TimeSource::wall_clock, *seconds);
    add_device_count(block, builder);
    builder.add_step(block.step);
  }

  // The job's rate over the device's is the number of devices.
  static void add_device_count(const Block& block, RunLogBuilder& builder) {
    if (!block.step.claimed_tokens_per_s || block.device_tokens_per_s.value_or(0) <= 0) return;
    const double count = *block.step.claimed_tokens_per_s / *block.device_tokens_per_s;
    const double whole = std::round(count);
    if (whole < 1 || whole > 1e7 || std::abs(count - whole) > 1e-3 * whole) return;
    builder.add_fact("cluster.count", std::to_string(static_cast<std::int64_t>(whole)));
  }

  // "train          Epoch   3:": a bar an epoch counts from its start.
  static std::int64_t epochs_before(std::string_view text) {
    const std::size_t at = text.find("Epoch ");
    if (at == kNone) return 0;
    const std::string_view number = trim(text.substr(at + 6, text.find(':', at) - at - 6));
    return std::clamp<std::int64_t>(parse_integer(number).value_or(0), 0, kMostBatches);
  }

  void add_bar(const ProgressBar& bar, std::string_view text, RunLogBuilder& builder) {
    StepLine row;
    row.index = epochs_before(text) * bar.total + bar.done;
    row.duration_s = clock_.step_time(row.index, bar.elapsed_s, 1, bar.step_time_s);
    builder.add_step(row);
  }

  static void add_event(EventClass event_class, LedgerRow row, const LogLine& line, RunLogBuilder& builder) {
    Event event;
    event.event_class = event_class;
    event.row = row;
    event.begin_s = line.timestamp_s;
    builder.add_event(event);
  }

  // The configuration as YAML at the top: "max_seq_len: 2048", "  d_model: 4096" below model.
  static void read_config(std::string_view text, RunLogBuilder& builder) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kFacts = {{
        {"max_seq_len", "training.seq_len"},
        {"global_train_batch_size", "training.global_batch"},
        {"device_train_microbatch_size", "training.micro_batch"},
        {"n_gpus", "cluster.count"},
        {"d_model", "model.hidden"},
        {"n_layers", "model.layers"},
        {"n_heads", "model.heads"},
        {"vocab_size", "model.vocab"},
    }};
    const std::size_t colon = text.find(": ");
    if (colon == kNone) return;
    const std::string_view name = text.substr(0, colon);
    std::string_view value = trim(text.substr(colon + 2));
    for (const auto& [printed, key] : kFacts) {
      if (name == printed && parse_integer(value)) builder.add_fact(key, value);
    }
    if (name != "precision") return;
    if (value.starts_with("amp_")) value.remove_prefix(4);
    builder.add_fact("training.precision", value);
  }

  std::optional<Block> block_;
  RunningTotal tokens_;
  RunningTotal samples_;
  RunningTotal wall_clock_;
  ProgressClock clock_;
};

}  // namespace

std::unique_ptr<RunLogFormat> make_composer_format() { return std::make_unique<ComposerFormat>(); }

}  // namespace nameplate
