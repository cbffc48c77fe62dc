// MLPerf Training results: ":::MLLOG" lines, one JSON object each (mlperf_logging; the rules' key names).
//
//   :::MLLOG {"time_ms": 1745261422551, "event_type": "POINT_IN_TIME", "key": "tracked_stats", "value":
//   {"train_step_time": 19.7, "reduced_train_loss": 7.7}, "metadata": {"step": 448.0}}
//
// Training is counted in samples ("step" and "samples_count" both mean them): a row's index is samples over
// global_batch_size, or the samples where that is not printed. A row is a tracked_stats with a step time or a
// throughput (samples per second of the job), or a train_loss. Where no step time is printed, it is the time since the
// row before or since block_start, over the steps between: block_start and eval_stop begin anew, so an evaluation is in
// no row. run_start to run_stop is what a result is judged by; before lies initialisation.
#include <cmath>
#include <string>
#include <utility>

#include "nameplate/core/node.h"
#include "nameplate/inputs/line_fields.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kMark = "::MLLOG ";  // behind "0: " one of its three colons is taken for the rank's
constexpr std::string_view kSystem = "::SYSJSON ";

Maybe member(const Node* object, std::string_view key) {
  const Node* node = object == nullptr ? nullptr : object->find(key);
  const auto number = node == nullptr ? std::nullopt : node->as_number();
  return number ? Maybe(*number) : Maybe();
}

struct Entry {
  const Node& root;
  std::string_view key;
  Maybe time_s;
  Maybe samples;  // trained on so far

  const Node* value() const { return root.find("value"); }
};

Entry make_entry(const Node& root) {
  const Node* key = root.find("key");
  const Node* metadata = root.find("metadata");
  Maybe time = member(&root, "time_ms");
  if (time) time = *time * 1e-3;
  Maybe samples = member(metadata, "samples_count");
  if (!samples) samples = member(metadata, "step");
  return {root, key == nullptr ? std::string_view{} : key->as_string().value_or(""), time, samples};
}

class MlperfFormat final : public RunLogFormat {
 public:
  std::string_view id() const override { return "mlperf"; }
  bool is_step_line(std::string_view text) const override {
    if (text.find(kMark) == kNone) return false;
    return text.find("\"train_step_time\"") != kNone || text.find("\"key\": \"train_loss\"") != kNone ||
           text.find("\"throughput\"") != kNone;
  }
  void read(const LogLine& line, RunLogBuilder& builder) override;
  ClaimBasis claims() const override {
    ClaimBasis basis;
    basis.tokens_per_s_scope = RateScope::job;
    basis.tokens_per_s_is_mean = true;
    basis.duration_is_mean = !has_step_times_;
    return basis;
  }

 private:
  void read_entry(const Entry& entry, RunLogBuilder& builder);
  void read_row(const Entry& entry, RunLogBuilder& builder);
  void read_fact(const Entry& entry, RunLogBuilder& builder);
  static void add_event(const Entry& entry, EventClass event_class, std::optional<LedgerRow> row, Maybe Event::*at,
                        RunLogBuilder& builder);
  static bool read_event(const Entry& entry, RunLogBuilder& builder);

  Maybe batch_;
  Maybe seq_len_;
  Maybe mark_time_s_;  // of the last row, or where a block began
  Maybe mark_samples_;
  bool has_step_times_ = false;
};

void MlperfFormat::read_row(const Entry& entry, RunLogBuilder& builder) {
  const Maybe samples = entry.samples;
  if (!(samples.value_or(-1) >= 0 && *samples < 1e15)) {
    return builder.add_defect({"log.unreadable_step", {}}, Severity::data_loss);
  }
  const double batch = batch_.value_or(1);
  StepLine step;
  step.index = std::llround(*samples / batch);
  step.timestamp_s = entry.time_s;
  step.samples = batch_;
  step.duration_s = member(entry.value(), "train_step_time");
  has_step_times_ |= step.duration_s.has_value();
  if (!step.duration_s && mark_time_s_ && entry.time_s && *samples > mark_samples_.value_or(*samples)) {
    step.duration_s = (*entry.time_s - *mark_time_s_) / (*samples - *mark_samples_) * batch;
  }
  step.loss = member(entry.value(), "reduced_train_loss");
  if (entry.key == "train_loss" && entry.value() != nullptr) {
    if (const auto loss = entry.value()->as_number()) step.loss = *loss;
  }
  const Maybe rate = member(entry.value(), "throughput");
  if (rate && seq_len_) step.claimed_tokens_per_s = *rate * *seq_len_;
  Step* last = builder.last_step();
  if (last != nullptr && last->index == step.index && rate) {  // a loss and the block's rate at the same step
    if (step.claimed_tokens_per_s.value_or(-1) >= 0) last->claimed_tokens_per_s = step.claimed_tokens_per_s;
    return;
  }
  mark_time_s_ = entry.time_s;
  mark_samples_ = samples;
  builder.add_step(step);
}

void MlperfFormat::read_fact(const Entry& entry, RunLogBuilder& builder) {
  const auto number = entry.value() == nullptr ? std::nullopt : entry.value()->as_integer();
  if (!number || *number <= 0) return;
  if (entry.key == "global_batch_size") {
    batch_ = static_cast<double>(*number);
    builder.add_fact("training.global_batch", std::to_string(*number));
  } else if (entry.key == "max_sequence_length") {
    seq_len_ = static_cast<double>(*number);
    builder.add_fact("training.seq_len", std::to_string(*number));
  } else if (entry.key == "lora_rank") {
    builder.add_fact("training.lora_rank", std::to_string(*number));
  }
}

void MlperfFormat::add_event(const Entry& entry, EventClass event_class, std::optional<LedgerRow> row, Maybe Event::*at,
                             RunLogBuilder& builder) {
  Event event;
  event.event_class = event_class;
  event.row = row;
  event.*at = entry.time_s;
  builder.add_event(std::move(event));
}

// False for an entry that is no event.
bool MlperfFormat::read_event(const Entry& entry, RunLogBuilder& builder) {
  if (entry.key == "init_start") {
    add_event(entry, EventClass::start, LedgerRow::startup, &Event::begin_s, builder);
  } else if (entry.key == "init_stop") {
    add_event(entry, EventClass::initialisation_done, LedgerRow::startup, &Event::end_s, builder);
  } else if (entry.key == "eval_start") {
    add_event(entry, EventClass::evaluation, LedgerRow::evaluation, &Event::begin_s, builder);
  } else if (entry.key == "eval_stop") {
    add_event(entry, EventClass::evaluation, LedgerRow::evaluation, &Event::end_s, builder);
  } else if (entry.key == "run_stop") {
    const Node* status = entry.root.find_path("metadata.status");
    const bool is_aborted = status != nullptr && status->as_string() == "aborted";
    add_event(entry, is_aborted ? EventClass::failure : EventClass::finished, std::nullopt, &Event::begin_s, builder);
  } else {
    return false;
  }
  return true;
}

void MlperfFormat::read_entry(const Entry& entry, RunLogBuilder& builder) {
  const bool is_stats = entry.key == "tracked_stats";
  if (entry.key == "block_start" || entry.key == "epoch_start") {
    mark_time_s_ = entry.time_s;
    mark_samples_ = entry.samples;
  } else if (const Maybe seconds = member(entry.value(), "validation_step_time"); is_stats && seconds) {
    Entry first = entry;  // an evaluation whose start is not printed: its first step's end, less its time
    if (entry.time_s) first.time_s = *entry.time_s - *seconds;
    add_event(first, EventClass::evaluation, LedgerRow::evaluation, &Event::begin_s, builder);
  } else if (entry.key == "train_loss" ||
             (is_stats && (member(entry.value(), "train_step_time") || member(entry.value(), "throughput")))) {
    read_row(entry, builder);
  } else if (!read_event(entry, builder)) {
    read_fact(entry, builder);
  }
}

// ":::SYSJSON {"number_of_nodes":"1", "accelerators_per_node":"8", "accelerator_model_name":"NVIDIA H200", …}": the
// system's description, with numbers as text.
void read_system(const Node& system, RunLogBuilder& builder) {
  const auto text = [&](std::string_view key) {
    const Node* node = system.find(key);
    return node == nullptr ? std::string_view{} : node->as_string().value_or("");
  };
  if (const std::string_view name = text("accelerator_model_name"); !name.empty()) {
    builder.add_fact("cluster.accelerator", name);
  }
  const auto nodes = parse_integer(text("number_of_nodes"));
  const auto per_node = parse_integer(text("accelerators_per_node"));
  constexpr std::int64_t kMost = 1'000'000;
  if (nodes.value_or(0) < 1 || per_node.value_or(0) < 1 || *nodes > kMost || *per_node > kMost) return;
  builder.add_fact("cluster.per_node", std::to_string(*per_node));
  builder.add_fact("cluster.count", std::to_string(*nodes * *per_node));
}

void MlperfFormat::read(const LogLine& line, RunLogBuilder& builder) {
  const std::size_t system_at = line.text.find(kSystem);
  const bool is_system = system_at <= 1;  // not where the shell repeats the command that prints it
  const std::size_t at = is_system ? system_at + kSystem.size() : line.text.find(kMark);
  if (at == kNone) {
    // NeMo's configuration, printed above: "precision: bf16-mixed" is the framework's, "fp8: true" the matmuls'.
    if (trim(line.text) == "fp8: true" || trim(line.text) == "fp8: True") builder.add_fact("training.precision", "fp8");
    return;
  }
  const std::string_view object = line.text.substr(is_system ? at : at + kMark.size());
  const auto parsed = parse_json(trim(object), {});
  if (!parsed.ok()) {
    return builder.add_defect({"log.unreadable_json", {}}, line.is_cut ? Severity::info : Severity::data_loss);
  }
  if (is_system) return read_system(parsed->root, builder);
  read_entry(make_entry(parsed->root), builder);
}

}  // namespace

std::unique_ptr<RunLogFormat> make_mlperf_format() { return std::make_unique<MlperfFormat>(); }

}  // namespace nameplate
