#include "nameplate/analysis/mfu/wall_clock.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace nameplate {
namespace {

LedgerRow row_of(const Event& event) {
  if (event.row) return *event.row;
  switch (event.event_class) {
    case EventClass::evaluation:
      return LedgerRow::evaluation;
    case EventClass::checkpoint_save:
    case EventClass::checkpoint_load:
      return LedgerRow::checkpoint;
    default:
      return LedgerRow::unattributed;
  }
}

bool is_pause(const Event& event) {
  return event.blocking &&
         (event.event_class == EventClass::evaluation || event.event_class == EventClass::checkpoint_save);
}

// When it began, as far as its line tells.
Maybe begin_of(const Event& event) {
  if (event.begin_s || !event.end_s || !event.duration_s) return event.begin_s;
  return *event.end_s - *event.duration_s;
}

Maybe when_of(const Event& event) { return event.begin_s ? event.begin_s : event.end_s; }

bool is_start(const Event& event) {
  return event.event_class == EventClass::start || event.event_class == EventClass::restart;
}
bool is_notice(const Event& event) { return event.event_class == EventClass::failure || is_start(event); }
bool is_cause(const Event& event) {
  return event.event_class == EventClass::device_error || event.event_class == EventClass::collective_stuck;
}

class Accountant {
 public:
  Accountant(const RunLog& log, const StepTimes& times) : log_(log), times_(times) {
    for (const Event& event : log.events) events_.push_back(&event);
  }

  std::optional<WallClock> run() {
    const auto clocked = [](const Step& step) { return step.end_s.has_value(); };
    if (times_.relative || times_.median_s <= 0 || std::none_of(log_.steps.begin(), log_.steps.end(), clocked))
      return std::nullopt;
    for (std::size_t i = 0; i < times_.rows.size(); ++i) step(i);
    if (!previous_) return std::nullopt;
    tail();
    if (clock_.wall_s <= 0) return std::nullopt;
    return clock_;
  }

 private:
  // Seconds of training that end with row i: its own steps, and those before it that were not logged.
  double training_s(std::size_t i) const {
    const TimedStep& row = times_.rows[i];
    const double own = row.step_class == StepClass::invalid ? times_.median_s : row.duration_s;
    const auto steps = static_cast<double>(row.steps);
    const auto unlogged = static_cast<double>(row.unlogged_steps);
    if (times_.source == DurationSource::clock) return own * (steps + unlogged);
    if (times_.source == DurationSource::printed) return own + (steps - 1 + unlogged) * times_.median_s;
    return own * steps + unlogged * times_.median_s;  // a mean holds for all steps of the row
  }

  void book(LedgerRow row, double seconds, const std::string& evidence = {}) {
    if (seconds == 0) return;
    if (row != LedgerRow::unattributed) clock_.other_s[row] += seconds;
    std::string& known = clock_.evidence[row];
    if (known.empty()) known = evidence;
  }

  void book_training(std::size_t i, double seconds) {
    const TimedStep& row = times_.rows[i];
    if (row.step_class == StepClass::redone) {
      clock_.redone_steps += row.steps;
      book(LedgerRow::fault_lost_work, seconds);
    } else if (row.step_class == StepClass::warm_up) {
      book(LedgerRow::startup, seconds);
    } else {
      clock_.productive_s += seconds;
    }
  }

  void step(std::size_t i) {
    const Step& now = log_.steps[i];
    if (!now.end_s || times_.rows[i].step_class == StepClass::other_run) return;
    const double end = *now.end_s;
    const bool first = !previous_;
    const bool new_attempt = !first && log_.steps[*previous_].attempt != now.attempt;
    if (first || end < *log_.steps[*previous_].end_s) {
      begin_segment(i, first);
    } else if (new_attempt) {
      restart(i);
    } else {
      inside(i);
    }
    previous_ = i;
  }

  bool has_other_runs() const {
    return std::any_of(times_.rows.begin(), times_.rows.end(),
                       [](const TimedStep& row) { return row.step_class == StepClass::other_run; });
  }

  // Seconds of training that end with row i, the first of an attempt.
  double first_training_s(std::size_t i) const {
    const TimedStep& row = times_.rows[i];
    return row.step_class == StepClass::invalid ? 0 : row.duration_s * static_cast<double>(row.steps);
  }

  // The first row of the run, or one whose clock went back inside an attempt.
  void begin_segment(std::size_t i, bool first) {
    const double end = *log_.steps[i].end_s;
    const double training = first_training_s(i);
    const double pause = times_.rows[i].pause_s;
    const double start = end - training - pause;
    const bool whole_log = first && !has_other_runs();
    const double begin = whole_log && log_.first_time_s && *log_.first_time_s < start ? *log_.first_time_s : start;
    clock_.wall_s += end - begin;
    if (first) before_log(begin);
    forget_events_before(log_.steps[i].attempt);
    collect_events(i);
    if (pause > 0) {  // the events are inside the row's own duration
      book(LedgerRow::startup, start - begin);
      claim(start, start + pause, LedgerRow::unattributed);
    } else {  // of an event that tells its end only, nobody knows how much of the start-up it took
      std::erase_if(waiting_, [](const Event* event) { return !begin_of(*event); });
      claim(begin, start, LedgerRow::startup);
    }
    book_training(i, training);
  }

  void restart(std::size_t i) {
    const double last = *log_.steps[*previous_].end_s;
    const double end = *log_.steps[i].end_s;
    clock_.attempts += 1;
    clock_.wall_s += end - last;
    const double training = std::min(end - last, first_training_s(i));
    const double pause = std::min(end - last - training, times_.rows[i].pause_s);
    const double start = end - training - pause;
    const double detected = detect(last, start);
    recover(i, detected, start);
    forget_events_before(log_.steps[i].attempt);  // their time is the fault's
    collect_events(i);
    claim(start, start + pause, LedgerRow::unattributed);
    book_training(i, training);
  }

  // Until when nobody had noticed: the first line about a failure or a new start. What was recorded of the cause is
  // quoted rather than the line that followed from it.
  double detect(double last, double start) {
    const Event* told = first_between(last, start, is_notice);
    if (told == nullptr) return last;
    const double detected = *when_of(*told);
    const Event* cause = first_between(last - times_.median_s, start, is_cause);
    book(LedgerRow::fault_detect, detected - last, to_text((cause != nullptr ? cause : told)->evidence));
    return detected;
  }

  // From there to the first step: in the scheduler's queue as far as it tells, else restarting.
  void recover(std::size_t i, double detected, double start) {
    double queued = 0;
    for (const Event* event : events_) {
      if (event->event_class != EventClass::queue || !event->begin_s || !event->end_s) continue;
      const double seconds = std::min(*event->end_s, start) - std::max(*event->begin_s, detected + queued);
      if (seconds <= 0) continue;
      book(LedgerRow::queue, seconds, to_text(event->evidence));
      queued += seconds;
    }
    const Event* again = first_between(detected, start, is_start);
    book(LedgerRow::fault_restart, start - detected - queued,
         again != nullptr ? to_text(again->evidence)
                          : fmt::format("steps {} and {}", log_.steps[*previous_].index, log_.steps[i].index));
  }

  const Event* first_between(double begin, double end, bool (*wanted)(const Event&)) const {
    const Event* first = nullptr;
    for (const Event* event : events_) {
      const Maybe when = when_of(*event);
      if (!wanted(*event) || !when || *when < begin || *when > end) continue;
      if (first == nullptr || *when < *when_of(*first)) first = event;
    }
    return first;
  }

  // What the scheduler tells of the time before the log's first line: waiting in its queue, then starting.
  void before_log(double begin) {
    const Event* queue = nullptr;
    const Event* start = nullptr;
    for (const Event* event : events_) {
      if (event->event_class == EventClass::queue && event->begin_s && event->end_s && *event->end_s <= begin)
        queue = event;
      if (is_start(*event) && event->begin_s && *event->begin_s < begin) start = event;
    }
    if (queue == nullptr && start == nullptr) return;
    const double started = queue != nullptr ? *queue->end_s : *start->begin_s;
    clock_.wall_s += begin - started;
    book(LedgerRow::startup, begin - started, to_text((start != nullptr ? start : queue)->evidence));
    if (queue == nullptr) return;
    const double waited = *queue->end_s - *queue->begin_s;
    clock_.wall_s += waited;
    book(LedgerRow::queue, waited, to_text(queue->evidence));
  }

  void inside(std::size_t i) {
    const double last = *log_.steps[*previous_].end_s;
    const double gap = *log_.steps[i].end_s - last;
    const TimedStep& row = times_.rows[i];
    clock_.wall_s += gap;
    clock_.unlogged_steps += row.unlogged_steps;
    const double training = std::min(training_s(i), std::max(0.0, gap - row.pause_s));
    book_training(i, training);
    const double rest = gap - training;
    const double start = times_.source == DurationSource::printed ? *log_.steps[i].end_s - row.duration_s - rest : last;
    collect_events(i);
    claim(std::max(last, start), std::max(last, start) + rest, LedgerRow::unattributed);
  }

  void forget_events_before(std::int32_t attempt) {
    while (next_event_ < events_.size() && events_[next_event_]->attempt < attempt) ++next_event_;
  }

  // The pauses logged between the row before `i` and row `i` wait for time to claim.
  void collect_events(std::size_t i) {
    const Step& now = log_.steps[i];
    for (; next_event_ < events_.size(); ++next_event_) {
      const Event& event = *events_[next_event_];
      const bool before = event.attempt < now.attempt ||
                          (event.attempt == now.attempt && (!event.after_step || *event.after_step < now.index));
      if (!before) break;
      if (is_pause(event)) waiting_.push_back(&event);
    }
  }

  // The waiting events claim the time from `begin` to `end` in order; what they leave goes to `otherwise`. None waits
  // any longer: the time of a later gap is not theirs.
  void claim(double begin, double end, LedgerRow otherwise) {
    double cursor = begin;
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
      const Event& event = *waiting_[k];
      const double until = std::clamp(until_time(k, cursor, end), cursor, end);
      if (const Maybe started = begin_of(event); started && *started > cursor) {
        book(otherwise, std::min(*started, until) - cursor);
        cursor = std::min(*started, until);
      }
      if (until > cursor) ++clock_.pauses[row_of(event)];
      book(row_of(event), until - cursor, to_text(event.evidence) + not_told_apart(k));
      cursor = until;
    }
    waiting_.clear();
    book(otherwise, end - cursor);
  }

  // Events of other kinds that follow without a time of their own: their seconds are in the k-th event's.
  std::string not_told_apart(std::size_t k) const {
    const Event& event = *waiting_[k];
    if (event.end_s || event.duration_s || k + 1 >= waiting_.size()) return {};
    const Event& next = *waiting_[k + 1];
    if (next.begin_s || row_of(next) == row_of(event)) return {};
    return fmt::format(" (with {}, which the log does not tell apart: line {})", name(row_of(next)),
                       next.evidence.line);
  }

  // When the k-th waiting event ends: its own end or duration, else where the next one begins, else the end of the
  // pause.
  double until_time(std::size_t k, double cursor, double end) const {
    const Event& event = *waiting_[k];
    if (event.end_s) return *event.end_s;
    if (event.duration_s) return event.begin_s.value_or(cursor) + *event.duration_s;
    if (k + 1 < waiting_.size() && waiting_[k + 1]->begin_s) return *waiting_[k + 1]->begin_s;
    return end;
  }

  const Event* first_failure(double from, double until) const {
    for (const Event* event : events_) {
      const bool fails = event->event_class == EventClass::failure && event->begin_s;
      if (fails && *event->begin_s > from && *event->begin_s <= until) return event;
    }
    return nullptr;
  }

  // After the last row: the events there, up to the log's last line.
  void tail() {
    const double last = *log_.steps[*previous_].end_s;
    const double end = has_other_runs() ? last : log_.last_time_s.value_or(last);
    for (; next_event_ < events_.size(); ++next_event_) {
      if (is_pause(*events_[next_event_])) waiting_.push_back(events_[next_event_]);
    }
    if (end <= last) return;
    clock_.wall_s += end - last;
    double until = end;
    for (const Event* event : events_) {  // a line that says training is over ends what the last event may claim
      if (event->event_class == EventClass::finished && event->begin_s && *event->begin_s > last)
        until = std::min(until, *event->begin_s);
    }
    // A run that ends in a failure stood still, unnoticed, from its last step to the line that tells.
    const Event* failure = waiting_.empty() ? first_failure(last, until) : nullptr;
    const double noticed = failure == nullptr ? last : *failure->begin_s;
    if (failure != nullptr) book(LedgerRow::fault_detect, noticed - last, to_text(failure->evidence));
    claim(noticed, until, LedgerRow::unattributed);
    book(LedgerRow::idle, end - until, "after the end of training");
  }

  const RunLog& log_;
  const StepTimes& times_;
  std::vector<const Event*> events_;
  std::size_t next_event_ = 0;
  std::vector<const Event*> waiting_;
  std::optional<std::size_t> previous_;
  WallClock clock_;
};

}  // namespace

std::optional<WallClock> account_wall_clock(const RunLog& log, const StepTimes& times) {
  return Accountant(log, times).run();
}

}  // namespace nameplate
