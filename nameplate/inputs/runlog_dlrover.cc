// Events of DLRover and ATorch (Ant Group), one JSON object a line:
//
//   [2025-04-21T23:54:19.126514] [426] [4158e1da] [AtorchTrainerV2] [#step] [END] {"global_step": 177020, …}
// The brackets: time, process, id of the interval, source, event, and BEGIN, END or INSTANT.
// Source: dlrover/python/training_event (event.py, predefined/trainer.py).
//
// A step is timed by its own BEGIN and END; consumed tokens and samples are running totals that a restart sets to 0, so
// what a step took is their difference where it grew. A "#log" INSTANT behind it repeats ATorch's training line, whose
// TFLOPS (per accelerator, of unknown convention) divide by the time since the line before.
#include <array>
#include <map>
#include <string>
#include <utility>

#include "nameplate/core/node.h"
#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

struct EventLine {
  std::string_view id;     // of the interval
  std::string_view event;  // "#step"
  std::string_view type;   // "BEGIN"
  std::string_view content;
};

// What stands in the brackets before the object; nothing for any other line.
std::optional<EventLine> parse_event_line(std::string_view text) {
  const std::size_t object = text.find(" {");
  const std::size_t mark = text.find("[#");
  if (object == kNone || mark == kNone || mark > object) return std::nullopt;
  EventLine line;
  line.event = text_between(text.substr(mark), "[", "]");
  line.type = text_between(text.substr(mark + line.event.size() + 2), "[", "]");
  line.content = text.substr(object + 1);
  // "[426] [22b7ca89] [AtorchTrainerV2] ": the interval's id is the last but one.
  const std::size_t source = text.substr(0, mark).rfind('[');
  const std::size_t id = source == kNone || source == 0 ? kNone : text.substr(0, source).rfind('[');
  if (id == kNone) return std::nullopt;
  line.id = text_between(text.substr(id), "[", "]");
  const bool is_known = line.type == "BEGIN" || line.type == "END" || line.type == "INSTANT";
  return is_known ? std::optional(line) : std::nullopt;
}

Maybe member(const Node& object, std::string_view key) {
  const Node* node = object.find(key);
  const auto number = node == nullptr ? std::nullopt : node->as_number();
  return number ? Maybe(*number) : Maybe();
}

std::optional<std::int64_t> global_step(const Node& object) {
  const Node* node = object.find("global_step");
  return node == nullptr ? std::nullopt : node->as_integer();
}

class DlroverFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "dlrover"; }
  bool is_step_line(std::string_view text) const override {
    if (text.find("[#step] [END] {") == kNone) return false;
    return parse_event_line(text).has_value();
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override { return {}; }

 private:
  struct Begin {
    Maybe time, tokens, samples;
  };
  void read_step(const EventLine& event, const Node& content, const LogLine& line, RunLogBuilder& builder);
  static void read_log(const Node& content, RunLogBuilder& builder);
  static void read_interval(const EventLine& event, const Node& content, const LogLine& line, RunLogBuilder& builder);

  std::map<std::string, Begin, std::less<>> begun_;  // steps by the interval's id
};

Maybe growth(Maybe from, Maybe to) { return from && to && *to > *from ? Maybe(*to - *from) : Maybe(); }

void DlroverFormat::read_step(const EventLine& event, const Node& content, const LogLine& line,
                              RunLogBuilder& builder) {
  constexpr std::size_t kMostOpen = 4096;  // intervals that never end, of processes that died
  const Begin now{line.timestamp_s, member(content, "consumed_train_tokens"),
                  member(content, "consumed_train_samples")};
  if (event.type == "BEGIN") {
    if (begun_.size() >= kMostOpen) begun_.clear();
    begun_[std::string(event.id)] = now;
    return;
  }
  const auto index = global_step(content);
  if (event.type != "END") return;
  if (!index) return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
  StepLine step;
  step.index = *index;
  if (const auto begin = begun_.find(event.id); begin != begun_.end()) {
    step.duration_s = growth(begin->second.time, now.time);
    step.tokens = growth(begin->second.tokens, now.tokens);
    step.samples = growth(begin->second.samples, now.samples);
    begun_.erase(begin);
  }
  builder.add_step(step);
}

void DlroverFormat::read_log(const Node& content, RunLogBuilder& builder) {
  const Node* logs = content.find("logs");
  Step* step = builder.last_step();
  if (logs == nullptr || step == nullptr || global_step(content) != step->index) return;
  const Maybe tflops = member(*logs, "TFLOPS");
  const Maybe batch = member(*logs, "global batch size");
  const Maybe loss = member(*logs, "lm loss");
  if (tflops.value_or(-1) >= 0) step->claimed_tflops = tflops;
  if (!step->samples && batch.value_or(-1) > 0) step->samples = batch;
  step->loss = loss ? loss : member(*logs, "loss");
}

void DlroverFormat::read_interval(const EventLine& line_event, const Node& content, const LogLine& line,
                                  RunLogBuilder& builder) {
  struct Kind {
    std::string_view event;
    EventClass event_class;
    std::optional<LedgerRow> row;
  };
  constexpr std::array<Kind, 6> kKinds = {{
      {"#save", EventClass::checkpoint_save, LedgerRow::checkpoint},
      {"#load", EventClass::checkpoint_load, LedgerRow::startup},
      {"#evaluate", EventClass::evaluation, LedgerRow::evaluation},
      {"#init", EventClass::start, LedgerRow::startup},
      {"#process_restart", EventClass::restart, LedgerRow::fault_restart},
      {"#process_fail", EventClass::failure, LedgerRow::fault_detect},
  }};
  for (const Kind& kind : kKinds) {
    if (line_event.event != kind.event) continue;
    Event event;
    event.event_class = kind.event_class;
    event.row = kind.row;
    event.after_step = global_step(content);
    (line_event.type == "END" ? event.end_s : event.begin_s) = line.timestamp_s;
    builder.add_event(std::move(event));
  }
}

void DlroverFormat::read(const LogLine& line, RunLogBuilder& builder) {
  const auto event = parse_event_line(line.text);
  if (!event) return;
  const auto content = parse_json(event->content, {});
  if (!content.ok()) {
    return builder.add_defect({"log.unreadable_json", {}}, line.is_cut ? Severity::info : Severity::data_loss);
  }
  if (event->event == "#step") {
    read_step(*event, content->root, line, builder);
  } else if (event->event == "#log") {
    read_log(content->root, builder);
  } else {
    read_interval(*event, content->root, line, builder);
  }
}

}  // namespace

std::unique_ptr<RunLogFormat> make_dlrover_format() { return std::make_unique<DlroverFormat>(); }

}  // namespace nameplate
