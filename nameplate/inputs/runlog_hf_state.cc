// trainer_state.json of the Hugging Face Trainer (transformers/trainer_callback.py, TrainerState): one JSON document,
// whose log_history has an entry for every logging step, evaluation, and the end of the run. It arrives line by line as
// every log does, is collected, and read as a whole at the end of the file.
//
// Pitfalls. No entry has a time. Only the last one may tell train_runtime, which covers the whole call of train():
// start-up, evaluations and saves. Divided by the steps it is one measurement, so one row carries it. In a resumed run
// it covers the steps since the resumption only, which the document does not tell apart. total_flos is not read: it
// counts the whole job, of unknown size, and is zero for models without such a count. num_input_tokens_seen is zero
// unless it was asked for: then it is absent.
#include <string>

#include "nameplate/core/node.h"
#include "nameplate/inputs/hf_summary.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_format.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/running_total.h"

namespace nameplate {
namespace {

Maybe number(const Node& object, std::string_view key) {
  const Node* value = object.find(key);
  const auto found = value ? value->as_number() : std::nullopt;
  return found ? Maybe(*found) : Maybe();
}

Maybe positive(const Node& object, std::string_view key) {
  const Maybe value = number(object, key);
  return value && *value > 0 ? value : Maybe();
}

std::optional<std::int64_t> integer(const Node& object, std::string_view key) {
  const Node* value = object.find(key);
  return value ? value->as_integer() : std::nullopt;
}

void add_integer_fact(const Node& object, std::string_view key, std::string_view fact, RunLogBuilder& builder) {
  const auto value = integer(object, key);
  if (value && *value > 0) builder.add_fact(fact, std::to_string(*value));
}

class HfStateFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "hf-trainer-state"; }
  bool is_step_line(std::string_view text) const override { return text.find("\"log_history\":") != text.npos; }
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.duration_is_mean = true;
    return basis;
  }

  void read(const LogLine& line, RunLogBuilder&) override {
    text_.append(line.whole);
    text_.push_back('\n');
  }

  Status end_file(RunLogBuilder& builder) override {
    const auto document = parse_json(text_, {});
    text_.clear();
    if (!document) return document.error();
    if (document->non_finite > 0) builder.add_defect({"log.non_finite", {}}, Severity::info, document->non_finite);
    const Node* history = document->root.find("log_history");
    if (!history || !history->is(Node::Kind::array)) return no_history(history);
    read_history(*history, builder);
    at(builder, "/train_batch_size");
    add_integer_fact(document->root, "train_batch_size", "training.micro_batch", builder);
    return std::nullopt;
  }

 private:
  static Error no_history(const Node* history) {
    Error problem;
    problem.found =
        history ? "'log_history' is " + std::string(name(history->kind)) : "'log_history' is not at the top";
    problem.expected = "an array of log entries";
    problem.place.path = "/log_history";
    return problem;
  }

  // The document's own paths stand for lines.
  void at(RunLogBuilder& builder, std::string path) {
    path_ = std::move(path);
    LogLine line;
    line.whole = path_;
    builder.begin_line(line);
  }

  void read_history(const Node& history, RunLogBuilder& builder) {
    std::int64_t unreadable = 0;
    for (std::size_t i = 0; i < history.items.size(); ++i) {
      const auto step = integer(history.items[i], "step");
      if (step && *step >= 0) {
        at(builder, "/log_history/" + std::to_string(i));
        read_entry(*step, history.items[i], builder);
      } else {
        ++unreadable;
      }
    }
    if (unreadable > 0) builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss, unreadable);
  }

  void read_entry(std::int64_t step, const Node& entry, RunLogBuilder& builder) {
    if (const Maybe runtime = positive(entry, "train_runtime")) {
      if (step > 0) add_hf_summary({step, runtime, positive(entry, "train_samples_per_second")}, builder);
    } else if (entry.find("loss")) {
      StepLine row;
      row.index = step;
      row.loss = number(entry, "loss");
      row.tokens = tokens_.per_step(step, positive(entry, "num_input_tokens_seen"));
      builder.add_step(row);
    } else if (const Maybe seconds = positive(entry, "eval_runtime")) {
      Event evaluation;
      evaluation.event_class = EventClass::evaluation;
      evaluation.duration_s = seconds;
      evaluation.row = LedgerRow::evaluation;
      builder.add_event(evaluation);
    }
  }

  RunningTotal tokens_;
  std::string text_;
  std::string path_;  // of what is being read; the builder's line shows it
};

}  // namespace

std::unique_ptr<RunLogFormat> make_hf_state_format() { return std::make_unique<HfStateFormat>(); }

}  // namespace nameplate
