// Console lines of the Hugging Face Trainer and of programs built on it (TRL, ms-swift, LLaMA-Factory): Python dicts,
//   {'loss': 1.47, 'grad_norm': 0.9, 'learning_rate': 2e-05, 'epoch': 0.01}
//   {'train_runtime': 183.4, 'train_samples_per_second': 8.2, 'train_steps_per_second': 0.51, 'epoch': 1.0}
// with a tqdm bar between them (transformers/trainer_callback.py), the banner of train(), and DeepSpeed's
// configuration.
//
// Pitfalls. The dict has no step and no time: both come from the bar last drawn before it (ms-swift prints its own
// 'global_step/max_steps' and 'train_speed(iter/s)', which is steps over the elapsed time, so it is also a finer
// clock). Without a bar rows are only numbered. Evaluation draws bars of the same look but with another total. The
// summary comes from every process; where it is all there is, it is the one row. A launcher that lowers the batch until
// it fits prints several configurations: the one before the first row ran.
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/text.h"
#include "nameplate/inputs/hf_summary.h"
#include "nameplate/inputs/progress_bar.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_format.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/running_total.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

// A Python dict with plain values, as printed. Values may be quoted (transformers 5 formats numbers itself).
class PrintedDict {
 public:
  // Nothing when `text` has none, or only its beginning.
  static std::optional<PrintedDict> find(std::string_view text) {
    const std::size_t open = text.find("{'");
    const std::size_t close = text.rfind('}');
    if (open == kNone || close == kNone || close < open) return std::nullopt;
    return PrintedDict(text.substr(open, close - open));
  }
  std::string_view text_of(std::string_view key) const {
    for (std::size_t at = text_.find(key); at != kNone; at = text_.find(key, at + 1)) {
      std::string_view rest = text_.substr(at + key.size());
      if (text_[at - 1] != '\'' || !rest.starts_with("': ")) continue;
      rest.remove_prefix(3);
      if (!rest.starts_with('\'')) return rest.substr(0, rest.find_first_of(",}"));
      rest.remove_prefix(1);
      return rest.substr(0, rest.find('\''));
    }
    return {};
  }
  bool has(std::string_view key) const { return !text_of(key).empty(); }
  Maybe number(std::string_view key) const {
    const auto value = parse_number(trim(text_of(key)));
    return value ? Maybe(*value) : Maybe();
  }

 private:
  explicit PrintedDict(std::string_view text) : text_(text) {}
  std::string_view text_;  // begins with "{'"
};

bool is_loss(const PrintedDict& dict) { return dict.has("loss") && dict.has("epoch"); }
bool is_summary(const PrintedDict& dict) { return dict.has("train_runtime") && dict.has("train_steps_per_second"); }

// "1m 8s", "2h 3m 4s", "3d 0h 5m 2s" of ms-swift, in seconds.
Maybe parse_elapsed(std::string_view text) {
  double seconds = 0;
  if (text.empty()) return {};
  for (const std::string_view part : split(text, ' ')) {
    const auto number = parse_leading_number(part);
    if (!number || number->rest.size() != 1) return {};
    const std::size_t unit = std::string_view("smhd").find(number->rest[0]);
    constexpr std::array kSeconds = {1.0, 60.0, 3600.0, 86400.0};
    if (unit == kNone) return {};
    seconds += number->value * kSeconds[unit];
  }
  return seconds;
}

// Where a row stands in the run and on which clock.
struct Position {
  std::int64_t step = 0;
  std::int64_t total = 0;
  Maybe elapsed_s;
  double resolution_s = 1;
  Maybe step_time_s;  // as printed
};

std::optional<Position> position_of(const PrintedDict& dict) {
  const std::string_view text = dict.text_of("global_step/max_steps");
  const std::size_t slash = text.find('/');
  if (slash == kNone) return std::nullopt;
  const auto step = parse_integer(text.substr(0, slash));
  const auto total = parse_integer(text.substr(slash + 1));
  if (!step || !total || *step <= 0) return std::nullopt;
  Position position{.step = *step, .total = *total, .elapsed_s = parse_elapsed(dict.text_of("elapsed_time"))};
  const Maybe speed = dict.number("train_speed(iter/s)");
  if (!speed || *speed <= 0) return position;
  position.step_time_s = 1 / *speed;
  const double finer = static_cast<double>(*step) / *speed;
  constexpr double kPrintedError = 5e-7;  // six decimals
  if (position.elapsed_s && std::abs(finer - *position.elapsed_s) <= 1.5) {
    position.elapsed_s = finer;
    position.resolution_s = finer * kPrintedError / *speed;
  }
  return position;
}

Position position_of(const ProgressBar& bar) {
  return {.step = bar.done, .total = bar.total, .elapsed_s = bar.elapsed_s, .step_time_s = bar.step_time_s};
}

// "  Num examples = 1,024": the value of a banner line whose name ends so.
std::string_view banner_value(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  return at == kNone ? std::string_view() : trim(text.substr(at + name.size()));
}

class HfTrainerFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "hf-trainer"; }
  bool is_step_line(std::string_view text) const override {
    const auto dict = PrintedDict::find(text);
    return dict && (is_loss(*dict) || is_summary(*dict));
  }
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.duration_is_mean = true;
    return basis;
  }

  void read(const LogLine& line, RunLogBuilder& builder) override {
    see_bar(parse_progress_bar(line.overwritten));
    see_bar(parse_progress_bar(line.text));
    if (const auto dict = PrintedDict::find(line.text)) return read_dict(*dict, line, builder);
    read_banner(line, builder);
    read_deepspeed(line);
    read_events(line.text, builder);
  }

 private:
  // Data loading and checkpoint shards have labels; evaluation has another total.
  void see_bar(const std::optional<ProgressBar>& bar) {
    if (!bar || bar->done == 0 || (!bar->label.empty() && bar->label != "Train:")) return;
    if (total_steps_ == 0 || bar->total == total_steps_) bar_ = position_of(*bar);
  }

  void read_dict(const PrintedDict& dict, const LogLine& line, RunLogBuilder& builder) {
    if (is_summary(dict)) {
      flush_facts(line, builder);
      add_summary(dict, builder);
    } else if (is_loss(dict)) {
      flush_facts(line, builder);
      add_row(dict, line, builder);
    } else if (const Maybe seconds = dict.number("eval_runtime")) {
      clock_.pause(*seconds);
      Event evaluation;
      evaluation.event_class = EventClass::evaluation;
      evaluation.duration_s = seconds;
      evaluation.row = LedgerRow::evaluation;
      builder.add_event(evaluation);
    }
  }

  void add_row(const PrintedDict& dict, const LogLine& line, RunLogBuilder& builder) {
    const auto printed = position_of(dict);
    if (!printed && !bar_) return add_numbered_row(dict, builder);
    const Position& position = printed ? *printed : *bar_;
    if (position.step == last_step_) {  // no bar since the row before
      return builder.add_defect({"log.step_not_printed", {}}, Severity::data_loss);
    }
    last_step_ = position.step;
    total_steps_ = position.total;
    StepLine row;
    row.index = position.step;
    row.loss = dict.number("loss");
    if (position.elapsed_s) {
      row.duration_s =
          clock_.step_time(position.step, *position.elapsed_s, position.resolution_s, position.step_time_s);
    }
    // A bar's clock begins anew with every start, so it says nothing about the rows before.
    if (!line.timestamp_s && !is_first_after_start_) row.timestamp_s = position.elapsed_s;
    is_first_after_start_ = false;
    const Maybe tokens = dict.number("num_input_tokens_seen");
    row.tokens = tokens_.per_step(position.step, tokens ? tokens : dict.number("num_tokens"));  // the latter in TRL
    has_times_ = has_times_ || row.duration_s;
    builder.add_step(row);
  }

  void add_numbered_row(const PrintedDict& dict, RunLogBuilder& builder) {
    StepLine row;
    row.index = ++rows_;
    row.loss = dict.number("loss");
    builder.add_defect({"log.step_not_printed", {}}, Severity::info);
    builder.add_step(row);
  }

  void add_summary(const PrintedDict& dict, RunLogBuilder& builder) {
    const Maybe runtime = dict.number("train_runtime");
    const Maybe rate = dict.number("train_steps_per_second");
    if (has_times_ || !runtime || !rate) return;
    const auto position = position_of(dict);
    const std::int64_t counted = to_count(std::round(*runtime * *rate));
    const std::int64_t steps = position ? position->step : total_steps_ > 0 ? total_steps_ : counted;
    if (steps > 0) add_hf_summary({steps, runtime, dict.number("train_samples_per_second")}, builder);
  }

  static std::int64_t to_count(double value) {
    return value >= 1 && value < 1e15 ? static_cast<std::int64_t>(value) : 0;
  }

  void read_banner(const LogLine& line, RunLogBuilder& builder) {
    if (line.text.find("***** Running training *****") != kNone) return begin_run(builder);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFacts = {{
        {"Instantaneous batch size per device = ", "training.micro_batch"},
        {"Total train batch size (w. parallel, distributed & accumulation) = ", "training.global_batch"},
    }};
    for (const auto& [name, key] : kFacts) {
      if (const auto value = parse_number(banner_value(line.text, name))) {
        keep_fact(key, std::to_string(to_count(*value)), line);
      }
    }
    if (const auto total = parse_number(banner_value(line.text, "Total optimization steps = "))) {
      total_steps_ = to_count(*total);
    }
  }

  void begin_run(RunLogBuilder& builder) {
    total_steps_ = 0;
    rows_ = 0;
    last_step_.reset();
    bar_.reset();
    clock_ = {};
    has_times_ = false;
    is_first_after_start_ = true;
    Event start;
    start.event_class = EventClass::start;
    start.row = LedgerRow::startup;
    builder.add_event(start);
  }

  // "[config.py:752:print]   train_micro_batch_size_per_gpu  8", "… world_size ................... 64".
  void read_deepspeed(const LogLine& line) {
    constexpr std::string_view kPrint = ":print] ";
    const std::size_t at = line.text.find(kPrint);
    if (at == kNone) return;
    const std::string_view entry = trim(line.text.substr(at + kPrint.size()));
    const std::string_view name = entry.substr(0, entry.find(' '));
    const std::string_view value = entry.substr(entry.rfind(' ') + 1);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFacts = {{
        {"train_micro_batch_size_per_gpu", "training.micro_batch"},
        {"train_batch_size", "training.global_batch"},
        {"world_size", "cluster.count"},
    }};
    for (const auto& [printed, key] : kFacts) {
      if (name == printed && parse_integer(value)) keep_fact(key, std::string(value), line);
    }
    if (name == "fp16_enabled" && value == "True") keep_fact("training.precision", "fp16", line);
    if (name == "bfloat16_enabled" && value == "True") keep_fact("training.precision", "bf16", line);
  }

  static void read_events(std::string_view text, RunLogBuilder& builder) {
    Event event;
    if (text.find("Saving model checkpoint to ") != kNone) {
      event.event_class = EventClass::checkpoint_save;
      event.row = LedgerRow::checkpoint;
    } else if (text.find("CUDA out of memory") != kNone || text.starts_with("Killing subprocess ")) {
      event.event_class = EventClass::failure;
    } else {
      return;
    }
    builder.add_event(event);
  }

  void keep_fact(std::string_view key, std::string value, const LogLine& line) {
    std::erase_if(facts_, [&](const KeptFact& fact) { return fact.key == key; });
    facts_.push_back({std::string(key), std::move(value), std::string(line.whole), line.number});
  }

  void flush_facts(const LogLine& line, RunLogBuilder& builder) {
    if (facts_.empty()) return;
    for (const KeptFact& fact : facts_) {
      LogLine origin;
      origin.whole = fact.line;
      origin.number = fact.line_number;
      builder.begin_line(origin);
      builder.add_fact(fact.key, fact.value);
    }
    facts_.clear();
    builder.begin_line(line);
  }

  struct KeptFact {
    std::string key;
    std::string value;
    std::string line;
    std::int64_t line_number;
  };
  std::vector<KeptFact> facts_;   // of the configuration printed last
  std::int64_t total_steps_ = 0;  // 0: not known
  std::int64_t rows_ = 0;         // that had no step
  std::optional<std::int64_t> last_step_;
  std::optional<Position> bar_;
  ProgressClock clock_;
  RunningTotal tokens_;
  bool has_times_ = false;
  bool is_first_after_start_ = false;
};

}  // namespace

std::unique_ptr<RunLogFormat> make_hf_trainer_format() { return std::make_unique<HfTrainerFormat>(); }

}  // namespace nameplate
