#include "nameplate/analysis/resilience/observed.h"

#include <algorithm>

#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

Maybe when_of(const Event& event) { return event.begin_s ? event.begin_s : event.end_s; }

bool tells_of_failure(EventClass c) {
  return c == EventClass::failure || c == EventClass::restart || c == EventClass::start;
}

FailureCause cause_of(EventClass c) {
  if (c == EventClass::device_error) return FailureCause::hardware;
  if (c == EventClass::collective_stuck) return FailureCause::network;
  return FailureCause::unknown;
}

class Observer {
 public:
  Observer(const RunLog& log, const StepTimes& times) : log_(log), times_(times) {}

  std::optional<ObservedRun> run() {
    if (times_.relative || times_.median_s <= 0) return std::nullopt;
    std::optional<std::size_t> previous;
    for (std::size_t i = 0; i < times_.rows.size(); ++i) {
      if (!log_.steps[i].end_s || times_.rows[i].step_class == StepClass::other_run) continue;
      if (previous) between(*previous, i);
      count_redone(i);
      if (!previous) exposure_s_ += training_s(i);
      previous = i;
    }
    if (!previous) return std::nullopt;
    final_failure(*log_.steps[*previous].end_s);
    run_.exposure = seconds(exposure_s_);
    observe_checkpoints();
    return run_;
  }

 private:
  double training_s(std::size_t i) const {
    const TimedStep& row = times_.rows[i];
    return row.step_class == StepClass::invalid ? 0 : row.duration_s * static_cast<double>(row.steps) + row.pause_s;
  }

  void between(std::size_t before, std::size_t now) {
    const double last = *log_.steps[before].end_s, end = *log_.steps[now].end_s;
    if (end < last) return;  // a clock that went back says nothing about the time between
    if (log_.steps[before].attempt == log_.steps[now].attempt) {
      exposure_s_ += end - last;
      return;
    }
    const double training = std::min(end - last, training_s(now));
    exposure_s_ += training;
    run_.failures.push_back(failure_between(last, end - training));
  }

  ObservedFailure failure_between(double last, double start) const {
    ObservedFailure failure{.pause_s = start - last};
    const Event* told = nullptr;
    for (const Event& event : log_.events) {
      const Maybe when = when_of(event);
      // A cause may be written down up to a step before the last row is.
      if (!when || *when < last - times_.median_s || *when > start) continue;
      if (failure.cause == FailureCause::unknown) failure.cause = cause_of(event.event_class);
      if (failure.subject.empty() && event.scope != EventScope::job) failure.subject = event.subject;
      const bool earlier = told == nullptr || *when < *when_of(*told);
      if (*when >= last && tells_of_failure(event.event_class) && earlier) told = &event;
    }
    if (told != nullptr) {
      failure.detect_s = *when_of(*told) - last;
      failure.restart_s = start - *when_of(*told);
    }
    return failure;
  }

  void count_redone(std::size_t i) {
    if (times_.rows[i].step_class != StepClass::redone || run_.failures.empty()) return;
    run_.failures.back().redone_steps += times_.rows[i].steps;
  }

  // A run that ends in a failure has one more, whose restart nobody saw.
  void final_failure(double last) {
    for (const Event& event : log_.events) {
      const Maybe when = when_of(event);
      if (event.event_class != EventClass::failure || !when || *when < last) continue;
      ObservedFailure failure{.detect_s = *when - last, .pause_s = *when - last};
      if (event.scope != EventScope::job) failure.subject = event.subject;
      run_.failures.push_back(failure);
      return;
    }
  }

  void observe_checkpoints() {
    std::vector<double> intervals;
    const Event* before = nullptr;
    for (const Event& event : log_.events) {
      if (event.event_class != EventClass::checkpoint_save) continue;
      if (event.blocking && event.duration_s) run_.blocking_s.push_back(*event.duration_s);
      const bool same = before != nullptr && before->attempt == event.attempt && before->after_step && event.after_step;
      if (same && *event.after_step > *before->after_step) {
        intervals.push_back(static_cast<double>(*event.after_step - *before->after_step) * times_.median_s);
      }
      before = &event;
    }
    for (const TimedStep& row : times_.rows) {
      if (row.step_class == StepClass::checkpoint && row.pause_s > 0) run_.blocking_s.push_back(row.pause_s);
    }
    if (!intervals.empty()) run_.checkpoint_interval_s = median(intervals);
  }

  const RunLog& log_;
  const StepTimes& times_;
  double exposure_s_ = 0;
  ObservedRun run_;
};

}  // namespace

std::optional<ObservedRun> observe(const RunLog& log, const StepTimes& times) { return Observer(log, times).run(); }

}  // namespace nameplate
