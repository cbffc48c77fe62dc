// Logs as literals, for the tests of this folder and of what works on its results.
#pragma once

#include <string>
#include <vector>

#include "nameplate/facts/run.h"

namespace nameplate {

// A log whose rows print only a duration: indices 0, 1, 2, …
inline RunLog printed_log(const std::vector<double>& durations) {
  RunLog log;
  log.format = "test";
  log.files = {"train.log"};
  for (std::size_t i = 0; i < durations.size(); ++i) {
    Step step;
    step.index = static_cast<std::int64_t>(i);
    step.line = static_cast<std::int64_t>(i) + 1;
    step.duration_s = durations[i];
    log.steps.push_back(step);
  }
  return log;
}

// The same with timestamps: row i ends at `start_s` plus the durations up to and including its own.
inline RunLog clocked_log(double start_s, const std::vector<double>& durations) {
  RunLog log = printed_log(durations);
  double now = start_s;
  for (Step& step : log.steps) {
    now += *step.duration_s;
    step.end_s = now;
  }
  log.first_time_s = start_s;
  log.last_time_s = now;
  return log;
}

// Appends another attempt: `durations` from `index` on, the first row ending `gap_s` + its duration after the last row.
inline void restart(RunLog& log, std::int64_t index, double gap_s, const std::vector<double>& durations) {
  const std::int32_t attempt = log.steps.back().attempt + 1;
  double now = log.steps.back().end_s.value_or(0) + gap_s;
  for (double duration : durations) {
    Step step;
    step.attempt = attempt;
    step.index = index++;
    step.duration_s = duration;
    now += duration;
    step.end_s = now;
    log.steps.push_back(step);
  }
  log.last_time_s = now;
}

// From row `row` on, everything happens `seconds` later.
inline void delay(RunLog& log, std::size_t row, double seconds) {
  for (std::size_t i = row; i < log.steps.size(); ++i) log.steps[i].end_s = *log.steps[i].end_s + seconds;
  if (log.last_time_s) log.last_time_s = *log.last_time_s + seconds;
}

inline Event event_after(EventClass event_class, std::int64_t after_step, Maybe begin_s = {}, Maybe end_s = {}) {
  Event event;
  event.event_class = event_class;
  event.after_step = after_step;
  event.begin_s = begin_s;
  event.end_s = end_s;
  event.evidence = {"train.log", 7, "quoted"};
  return event;
}

inline std::int64_t count_of(const Defects& defects, std::string_view id) {
  std::int64_t count = 0;
  for (const Defect& defect : defects) count += defect.message.id == id ? defect.count : 0;
  return count;
}

}  // namespace nameplate
