// Lines of NVIDIA NeMo 1 and 2 (Lightning on Megatron Core), in two forms:
//   Training epoch 0, iteration 3/19 | lr: 6e-07 | global_batch_size: 512 | global_step: 3 | reduced_train_loss: 11.0 |
//     train_step_timing in s: 7.6 | consumed_samples: 2048 (nemo/lightning/pytorch/callbacks/progress_printer.py)
//   Epoch 0: :  5%|5 | 5/100 [00:38<12:00, v_num=, reduced_train_loss=10.4, global_step=4.000, train_step_timing in
//   s=7.6]
// and the events around them: checkpoints (a blocking part, "Global Checkpoint Save", and an asynchronous one), the
// launcher of torch elastic or NVRx with its in-job restarts, preemption, straggler reports.
//
// Pitfalls. A progress bar shows large numbers in three digits ("global_step=9e+3"): then the bar's own count is taken.
// What interrupts a run is told by every rank and by the launcher: one failure event until the next launch or step. The
// FLOP formula of NeMo's FLOPsMeasurementCallback depends on the model, so its TFLOP/s have no convention of ours.
#include <string>

#include "nameplate/core/text.h"
#include "nameplate/inputs/launcher_lines.h"
#include "nameplate/inputs/progress_bar.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_format.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/running_total.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

// What follows "key: " or "key=" up to the next separator; empty when the key is absent.
std::string_view field(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != kNone; at = text.find(key, at + 1)) {
    const bool starts = at == 0 || text[at - 1] == ' ' || text[at - 1] == '[' || text[at - 1] == ',';
    std::string_view rest = text.substr(at + key.size());
    if (!starts || rest.empty() || (rest[0] != ':' && rest[0] != '=')) continue;
    rest.remove_prefix(1);
    return trim(rest.substr(0, rest.find_first_of("|,]")));
  }
  return {};
}

Maybe number(std::string_view text) {
  const auto value = parse_number(text);
  return value ? Maybe(*value) : Maybe();
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || *value < -1e15 || *value > 1e15) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

// "9e+3" stands for anything that rounds to it.
bool is_rounded(std::string_view text) { return text.find('e') != kNone; }

bool is_printed_step(std::string_view text) {
  return text.starts_with("Training epoch ") && text.find(", iteration ") != kNone && text.find(" | ") != kNone;
}

bool is_bar_step(std::string_view text) {
  return text.starts_with("Epoch ") && text.find("%|") != kNone && text.find("global_step=") != kNone;
}

Maybe claimed_tflops(std::string_view text) {
  for (const std::string_view key : {"TFLOPS_per_GPU", "tflops_per_sec_per_gpu", "train_tflops_per_gpu"}) {
    if (const Maybe value = number(field(text, key))) return value;
  }
  return {};
}

// The number between `before` and the next character that is no digit.
std::optional<std::int64_t> integer_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == kNone) return std::nullopt;
  const std::string_view rest = text.substr(at + before.size());
  return parse_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
}

// The index of a step in all, from its place in its epoch.
std::optional<std::int64_t> whole_epochs(std::int64_t epoch, std::int64_t steps_per_epoch, std::int64_t step) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (epoch < 0 || epoch > kMost || steps_per_epoch > kMost || step < 0) return std::nullopt;
  return epoch * steps_per_epoch + step;
}

// "4.389" of "4.389s".
std::string_view without_unit(std::string_view text) {
  return text.ends_with('s') ? text.substr(0, text.size() - 1) : text;
}

// The size of the first list in "… [[0, 1], [2, 3]]" or "… [0, 1]".
std::int64_t first_list_size(std::string_view text) {
  const std::size_t close = text.find(']');
  const std::size_t open = text.rfind('[', close);
  if (close == kNone || open == kNone) return 0;
  return static_cast<std::int64_t>(split(text.substr(open + 1, close - open - 1), ',').size());
}

// A line that the file ends in: without its last field, which may be cut.
std::string_view whole_fields(const LogLine& line, char separator) {
  return line.is_cut ? line.text.substr(0, line.text.rfind(separator)) : line.text;
}

Event event_at(EventClass event_class, Maybe begin_s) {
  Event event;
  event.event_class = event_class;
  event.begin_s = begin_s;
  return event;
}

class NemoFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "nemo"; }
  bool is_step_line(std::string_view text) const override { return is_printed_step(text) || is_bar_step(text); }
  ClaimBasis claims() const override { return {}; }

  void read(const LogLine& line, RunLogBuilder& builder) override {
    if (is_printed_step(line.text)) {
      const std::string_view text = whole_fields(line, '|');
      add(printed_step(text), line, builder);
      return add_batch_fact(field(text, "global_batch_size"), builder);
    }
    if (is_bar_step(line.text)) return add(bar_step(line.text), line, builder);
    read_facts(line.text, builder);
    read_checkpoint(line, builder);
    read_launcher(line, builder);
    read_straggler_report(line, builder);
  }

 private:
  static std::optional<StepLine> printed_step(std::string_view text) {
    const auto index = printed_index(text);
    if (!index) return std::nullopt;
    StepLine step;
    step.index = *index;
    step.duration_s = number(field(text, "train_step_timing in s"));
    step.samples = number(field(text, "global_batch_size"));
    step.loss = number(field(text, "reduced_train_loss"));
    step.claimed_tflops = claimed_tflops(text);
    return step;
  }

  static std::optional<std::int64_t> printed_index(std::string_view text) {
    if (const auto global = whole_number(field(text, "global_step"))) return global;
    const auto epoch = integer_after(text, "Training epoch ");
    const auto iteration = integer_after(text, ", iteration ");
    const auto per_epoch = integer_after(text, "/");
    if (!epoch || !iteration || !per_epoch) return std::nullopt;
    return whole_epochs(*epoch, *per_epoch, *iteration);
  }

  std::optional<StepLine> bar_step(std::string_view text) {
    const auto bar = parse_progress_bar(text);
    if (!bar) return std::nullopt;
    const std::string_view global = field(bar->postfix, "global_step");
    const auto index = is_rounded(global)
                           ? whole_epochs(integer_after(text, "Epoch ").value_or(0), bar->total, bar->done - 1)
                           : whole_number(global);
    if (!index) return std::nullopt;
    StepLine step;
    step.index = *index;
    step.duration_s = number(field(bar->postfix, "train_step_timing in s"));
    if (!step.duration_s) step.duration_s = bar->step_time_s;
    const std::string_view consumed = field(bar->postfix, "consumed_samples");
    if (!is_rounded(consumed)) step.samples = consumed_.per_step(step.index + 1, number(consumed));
    step.loss = number(field(bar->postfix, "reduced_train_loss"));
    step.claimed_tflops = claimed_tflops(bar->postfix);
    return step;
  }

  void add(const std::optional<StepLine>& step, const LogLine& line, RunLogBuilder& builder) {
    if (step) {
      last_index_ = step->index;
      builder.add_step(*step);
    } else if (!line.is_cut) {
      builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
    }
  }

  // The batch may be ramped up: the first one is the fact, each row has its own.
  static void add_batch_fact(std::string_view global_batch, RunLogBuilder& builder) {
    if (!parse_integer(global_batch) || builder.has_fact("training.global_batch")) return;
    builder.add_fact("training.global_batch", global_batch);
  }

  // "All tensor model parallel group ranks: [[0, 1], [2, 3]]", "Starting with 8 processes".
  static void read_facts(std::string_view text, RunLogBuilder& builder) {
    if (const auto processes = integer_after(text, "registered. Starting with ")) {
      builder.add_fact("cluster.count", std::to_string(*processes));
    }
    constexpr std::pair<std::string_view, std::string_view> kGroups[] = {
        {"All tensor model parallel group ranks: [[", "plan.tp"},
        {"All pipeline model parallel group ranks: [[", "plan.pp"},
        {"All context parallel group ranks: [[", "plan.cp"}};
    for (const auto& [words, key] : kGroups) {
      const std::size_t at = text.find(words);
      if (at != kNone) builder.add_fact(key, std::to_string(first_list_size(text.substr(at + words.size() - 1))));
    }
  }

  // An asynchronous save is one event from its schedule to its end; the part that training waits for is another.
  void read_checkpoint(const LogLine& line, RunLogBuilder& builder) {
    const std::string_view text = line.text;
    if (text.starts_with("Restoring states from the checkpoint path at ")) {
      builder.add_event(event_at(EventClass::checkpoint_load, line.timestamp_s));
    } else if (text.starts_with("Global Checkpoint Save : Rank: 0 ")) {
      builder.add_event(blocking_save(line));
    } else if (text.starts_with("Scheduled async checkpoint save for ")) {
      scheduled_after_ = last_index_;
      builder.add_event(asynchronous_save(line.timestamp_s, {}));
    } else if (text.starts_with("Async checkpoint save for step ") && text.ends_with("finalized successfully.")) {
      builder.add_event(asynchronous_save({}, line.timestamp_s));
    }
  }

  // "Global Checkpoint Save : Rank: 0 : Iteration: 9 : Start time: 1744408121.151s : Save duration: 4.389s". The start
  // time is on another clock than the lines' own, which have a time zone.
  static Event blocking_save(const LogLine& line) {
    Event save = event_at(EventClass::checkpoint_save, {});
    save.duration_s = number(without_unit(line.text.substr(line.text.rfind(' ') + 1)));
    save.end_s = line.timestamp_s;
    if (save.duration_s && save.end_s) save.begin_s = *save.end_s - *save.duration_s;
    save.row = LedgerRow::checkpoint;
    return save;
  }

  Event asynchronous_save(Maybe begin_s, Maybe end_s) const {
    Event save = event_at(EventClass::checkpoint_save, begin_s);
    save.subject = "asynchronous save";
    save.after_step = scheduled_after_;
    save.end_s = end_s;
    save.blocking = false;
    return save;
  }

  void read_launcher(const LogLine& line, RunLogBuilder& builder) {
    const auto event = launcher_.read(line.text, line.timestamp_s);
    if (!event) return;
    builder.add_event(*event);
    if (event->event_class != EventClass::failure) last_index_.reset();
  }

  // "STRAGGLER DETECTION WARNING: … Affected ranks: {StragglerId(rank=5, node='a'), StragglerId(rank=6, node='a')}"
  static void read_straggler_report(const LogLine& line, RunLogBuilder& builder) {
    constexpr std::string_view kRank = "StragglerId(rank=";
    if (line.text.find("STRAGGLER DETECTION WARNING") == kNone) return;
    for (std::string_view rest = line.text; rest.find(kRank) != kNone;) {
      rest.remove_prefix(rest.find(kRank));
      Event event = event_at(EventClass::straggler, line.timestamp_s);
      event.scope = EventScope::rank;
      event.subject = "rank " + std::to_string(integer_after(rest, kRank).value_or(0));
      builder.add_event(event);
      rest.remove_prefix(kRank.size());
    }
  }

  RunningTotal consumed_;
  std::optional<std::int64_t> last_index_;
  std::optional<std::int64_t> scheduled_after_;
  LauncherLines launcher_;
};

}  // namespace

std::unique_ptr<RunLogFormat> make_nemo_format() { return std::make_unique<NemoFormat>(); }

}  // namespace nameplate
