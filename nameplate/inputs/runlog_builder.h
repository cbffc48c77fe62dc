// Collects what a format's reader finds into a RunLog, and owns the rules that no format should repeat:
//
// - Interleaved ranks. A row whose (attempt, index) is already there is counted and dropped ("log.repeated_step",
// info).
// - Restarts. A new attempt begins where a rank's own index goes back, or where a known index comes again with a clock
// that
//   is more than two steps' time (at least 60 s) off the known row's, either way. Ranks of one job print the same step
//   within a second or so; a step that is redone is printed at least a start-up later. A step back to one of the last
//   three rows, with a clock that moved less than two steps' time (or, on lines without a rank, no clock), is
//   interleaving: processes that share a prefix or have none. A `start` event that a format saw since the last row
//   makes any step back a restart.
// - Files come in the order of time: the first row of a file that does not continue the index begins an attempt, unless
// its
//   clock says that it is the same row from another rank's file.
// - Late rows. A row below the attempt's highest index that is neither of these is sorted in.
// - Invalid rows. A duration that is negative, zero or over 10 days, a negative index or amount, a value that is no
// number:
//   dropped and counted ("log.invalid_value", data_loss). A row left without anything to time it by is
//   StepClass::invalid.
// - Events. What several ranks, or a "begins" and a "done" line, say of one event (class, subject, attempt, last step)
// is
//   one event.
// - Facts. First mention wins; a later differing value is counted ("log.fact_changed", info).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "nameplate/facts/run.h"
#include "nameplate/inputs/runlog_format.h"

namespace nameplate {

class RunLogBuilder {
 public:
  void set_format(std::string_view format) { log_.format = format; }
  void set_claims(const ClaimBasis& claims) { log_.claims = claims; }
  void begin_file(const std::string& path);
  void begin_line(const LogLine& line);  // called by the driver before RunLogFormat::read

  void add_step(const StepLine& step);
  // The row added last by the current line's rank in this attempt, for formats that spread a step over lines; null when
  // there is none or it was dropped. Valid until the next add.
  Step* last_step();
  // `event`'s attempt and evidence are filled in from the current line, and after_step unless the format knows it.
  void add_event(Event event);
  void add_fact(std::string_view key, std::string_view value);
  void add_defect(Message message, Severity severity, std::int64_t count = 1);
  const LogFact* find_fact(std::string_view key) const;
  bool has_fact(std::string_view key) const { return find_fact(key) != nullptr; }

  const RunLog& log() const { return log_; }
  RunLog finish();  // moves the log out

 private:
  enum class Row : std::uint8_t { none, kept, dropped };
  struct RankState {
    std::int64_t epoch = -1;  // of the attempt and file that the rest belongs to
    std::int64_t last_index = -1;
    Maybe last_time;
    Row row = Row::none;  // what became of it
  };
  RankState& current_rank();
  bool is_restart(std::int64_t index, const Maybe& time, const RankState& rank, const Step* known) const;
  bool has_rows() const { return log_.steps.size() > attempt_first_row_; }
  std::int64_t third_last_index() const;
  double step_seconds() const;  // a recent step's time, 0 when unknown
  Step* find_row(std::int64_t index);
  Step* find_in_order(std::int64_t index);
  Step checked_row(const StepLine& step, const Maybe& time);
  void count_invalid(std::int64_t count);
  void begin_attempt();
  void sort_in_late_rows();
  Event* find_same_event(const Event& event);
  Evidence evidence() const;

  RunLog log_;
  LogLine line_;
  std::string file_;
  std::map<std::string, RankState, std::less<>> ranks_;
  const RankState* last_rank_ = nullptr;  // of the last step line
  std::map<std::int64_t, Step> late_;     // rows of the attempt that came out of order
  std::int32_t attempt_ = 0;
  std::int64_t epoch_ = 0;
  std::size_t attempt_first_row_ = 0;
  std::optional<std::size_t> start_event_;  // a start seen since the last row: position in log_.events
  bool is_first_row_of_file_ = true;
  std::int64_t repeated_ = 0;
};

}  // namespace nameplate
