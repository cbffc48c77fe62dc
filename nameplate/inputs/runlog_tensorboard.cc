#include "nameplate/inputs/runlog_tensorboard.h"

#include <optional>
#include <string>
#include <utility>

#include "nameplate/inputs/scalar_names.h"
#include "nameplate/inputs/tensorboard_events.h"

namespace nameplate {
namespace {

class Rows {
 public:
  Rows(ScalarNames names, RunLogBuilder& builder) : names_(std::move(names)), builder_(builder) {}

  void take(const TensorBoardEvent& event);
  void finish() {
    flush();
    builder_.set_claims(names_.claims());
  }

 private:
  void flush();
  void at(const TensorBoardEvent& event);
  void take_session(const TensorBoardEvent& event);

  ScalarNames names_;
  RunLogBuilder& builder_;
  std::optional<StepLine> row_;
  TensorBoardEvent first_;  // of the row; its tag is not kept
  std::string place_;       // what the builder's line shows
};

// The record stands for the line.
void Rows::at(const TensorBoardEvent& event) {
  place_ = "record " + std::to_string(event.record);
  LogLine line{.text = place_, .whole = place_, .number = event.record};
  if (event.wall_time_s > 0) line.timestamp_s = event.wall_time_s;
  builder_.begin_line(line);
}

void Rows::flush() {
  if (!row_) return;
  at(first_);
  builder_.add_step(*row_);
  row_.reset();
}

void Rows::take_session(const TensorBoardEvent& event) {
  flush();
  at(event);
  Event made;
  (event.status == SessionStatus::checkpoint ? made.end_s : made.begin_s) = event.wall_time_s;
  made.event_class = event.status == SessionStatus::start  ? EventClass::start
                     : event.status == SessionStatus::stop ? EventClass::finished
                                                           : EventClass::checkpoint_save;
  if (event.status == SessionStatus::start) made.row = LedgerRow::startup;
  if (event.status == SessionStatus::checkpoint) made.row = LedgerRow::checkpoint;
  builder_.add_event(std::move(made));
}

void Rows::take(const TensorBoardEvent& event) {
  if (event.status != SessionStatus::none) return take_session(event);
  StepLine step = row_ && row_->index == event.step ? *row_ : StepLine{.index = event.step};
  if (!names_.set(event.tag, event.value, step)) return;
  if (!row_ || row_->index != event.step) {
    flush();
    first_ = event;
    first_.tag = {};
  }
  row_ = step;
}

}  // namespace

Status read_tensorboard(std::string_view bytes, const LogOptions& options, RunLogBuilder& builder) {
  NAMEPLATE_TRY(ScalarNames names, ScalarNames::from_columns(options.columns));
  Rows rows(std::move(names), builder);
  const TensorBoardDamage damage = read_events(bytes, [&](const TensorBoardEvent& event) { rows.take(event); });
  rows.finish();
  if (damage.corrupt > 0) builder.add_defect({"log.corrupt_record", {}}, Severity::data_loss, damage.corrupt);
  if (damage.is_broken) builder.add_defect({"log.broken_records", {}}, Severity::data_loss);
  if (damage.is_truncated) builder.add_defect({"log.truncated_record", {}}, Severity::info);
  return std::nullopt;
}

}  // namespace nameplate
