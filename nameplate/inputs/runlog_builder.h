// Collects what a format's reader finds into a RunLog, and owns the rules that no format should repeat:
//
// - Interleaved ranks. The same (attempt, index) from another rank, or again from the same line source, is counted and
//   dropped (defect "log.repeated_step", info).
// - Restarts. An attempt ends where a rank's own index goes back, or repeats after its clock moved by more than ten steps'
//   time (at least 60 s, either way). Lines without a rank count as one rank; there a step back of at most two with a clock
//   that moved less than two steps' time (or no clock) is interleaving, not a restart.
// - Invalid rows. A duration or index that is negative, a duration of zero or over 10 days: the value is dropped and counted
//   ("log.invalid_value", data_loss), the row kept as StepClass::invalid when it has nothing else.
// - Facts. First mention wins; a later differing value is counted ("log.fact_changed", info).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "nameplate/facts/run.h"
#include "nameplate/inputs/runlog_format.h"

namespace nameplate {

class RunLogBuilder {
 public:
  void begin_file(const std::string& path);
  void begin_line(const LogLine& line);  // called by the driver before RunLogFormat::read

  void add_step(const StepLine& step);
  // The row added last by the current line's rank, for formats that spread a step over lines; null when it was dropped.
  Step* last_step();
  // `event`'s attempt, after_step and evidence are filled in from the current line.
  void add_event(Event event);
  void add_fact(std::string_view key, std::string_view value);
  void add_defect(Message message, Severity severity, std::int64_t count = 1);
  bool has_fact(std::string_view key) const;

  RunLog finish();  // moves the log out

 private:
  struct RankState {
    std::int64_t last_index = -1;
    Maybe last_time;
  };
  bool is_restart(const StepLine& step, const RankState& rank) const;
  void begin_attempt();

  RunLog log_;
  LogLine line_;
  std::map<std::string, RankState, std::less<>> ranks_;
  std::int32_t attempt_ = 0;
  std::size_t attempt_first_row_ = 0;
};

}  // namespace nameplate
