#include "nameplate/analysis/mfu/step_times.h"

#include <algorithm>
#include <cmath>

#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

constexpr std::size_t kMostWarmUp = 20;
constexpr std::size_t kSettled = 3;  // so many ordinary rows in a row end the warm-up

// [begin, end) of the rows of one attempt.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Span> attempts(const RunLog& log) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < log.steps.size(); ++i) {
    if (i == 0 || log.steps[i].attempt != log.steps[i - 1].attempt) spans.push_back({i, i});
    spans.back().end = i + 1;
  }
  return spans;
}

// The usual distance between the indices of neighbouring rows: the median over all attempts.
std::int64_t usual_interval(const RunLog& log) {
  std::vector<double> deltas;
  for (std::size_t i = 1; i < log.steps.size(); ++i) {
    const Step& a = log.steps[i - 1];
    const Step& b = log.steps[i];
    if (a.attempt == b.attempt && b.index > a.index) deltas.push_back(static_cast<double>(b.index - a.index));
  }
  return deltas.empty() ? 1 : std::max<std::int64_t>(1, std::llround(quantile(deltas, 0.5)));
}

Maybe step_tokens(const Step& step, const StepWork& work) {
  if (work.ignores_logged_batch) return work.tokens;
  if (step.tokens) return step.tokens;
  if (step.samples && work.tokens_per_sample) return *step.samples * *work.tokens_per_sample;
  return work.tokens;
}

// Tokens per second of the whole job that the row claims.
Maybe job_rate(const Step& step, const RunLog& log, const StepWork& work) {
  if (!step.claimed_tokens_per_s) return {};
  switch (log.claims.tokens_per_s_scope) {
    case RateScope::job:
      return step.claimed_tokens_per_s;
    case RateScope::per_accelerator:
      return work.accelerators ? Maybe(*step.claimed_tokens_per_s * static_cast<double>(*work.accelerators)) : Maybe();
    case RateScope::unknown:
      return {};
  }
  return {};
}

Maybe clock_duration(const RunLog& log, std::size_t i) {
  if (i == 0) return {};
  const Step& a = log.steps[i - 1];
  const Step& b = log.steps[i];
  if (a.attempt != b.attempt || b.index <= a.index || !a.end_s || !b.end_s || *b.end_s <= *a.end_s) return {};
  return (*b.end_s - *a.end_s) / static_cast<double>(b.index - a.index);
}

Maybe duration_by(DurationSource source, const RunLog& log, const StepWork& work, std::size_t i) {
  const Step& step = log.steps[i];
  switch (source) {
    case DurationSource::printed:
    case DurationSource::printed_mean:
      return step.duration_s;
    case DurationSource::rate: {
      const Maybe tokens = step_tokens(step, work);
      const Maybe rate = job_rate(step, log, work);
      return tokens && rate && *rate > 0 ? Maybe(*tokens / *rate) : Maybe();
    }
    case DurationSource::clock:
      return clock_duration(log, i);
    case DurationSource::relative_rate: {
      const Maybe rate = step.claimed_tokens_per_s;
      return rate && *rate > 0 ? Maybe(1 / *rate) : Maybe();
    }
    case DurationSource::none:
      break;
  }
  return {};
}

DurationSource best_source(const RunLog& log, const StepWork& work) {
  const DurationSource printed = log.claims.duration_is_mean ? DurationSource::printed_mean : DurationSource::printed;
  for (DurationSource source : {printed, DurationSource::rate, DurationSource::clock, DurationSource::relative_rate}) {
    std::size_t usable = 0;
    for (std::size_t i = 0; i < log.steps.size() && usable < 2; ++i)
      usable += duration_by(source, log, work, i).has_value();
    if (usable > 0) return source;
  }
  return DurationSource::none;
}

// Accelerator-seconds per token: from a per-accelerator rate where only that is absolute, else from the duration.
Maybe seconds_per_token(const Step& step, const RunLog& log, const StepWork& work, double duration_s, bool absolute) {
  const bool per_accelerator = log.claims.tokens_per_s_scope == RateScope::per_accelerator && step.claimed_tokens_per_s;
  const Maybe tokens = step_tokens(step, work);
  if (!step.duration_s && per_accelerator && *step.claimed_tokens_per_s > 0) return 1 / *step.claimed_tokens_per_s;
  if (absolute && tokens && *tokens > 0 && work.accelerators) {
    return duration_s * static_cast<double>(*work.accelerators) / *tokens;
  }
  if (per_accelerator && *step.claimed_tokens_per_s > 0) return 1 / *step.claimed_tokens_per_s;
  return {};
}

std::int64_t steps_of_row(const RunLog& log, const StepTimes& times, std::size_t i) {
  const std::int64_t index = log.steps[i].index;
  const bool first = i == 0 || log.steps[i - 1].attempt != log.steps[i].attempt;
  if (!first && index > log.steps[i - 1].index) return index - log.steps[i - 1].index;
  if (times.source == DurationSource::printed) return 1;
  return std::clamp<std::int64_t>(index, 1, times.interval);
}

std::vector<TimedStep> first_pass(const RunLog& log, const StepWork& work, StepTimes& times) {
  std::vector<TimedStep> rows(log.steps.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Step& step = log.steps[i];
    TimedStep& row = rows[i];
    row.row = i;
    row.tokens = step_tokens(step, work);
    const std::int64_t since = steps_of_row(log, times, i);
    row.steps = std::min(since, times.interval);
    row.unlogged_steps = since - row.steps;
    const Maybe duration = duration_by(times.source, log, work, i);
    if (!duration || *duration <= 0 || step.step_class == StepClass::invalid) {
      row.step_class = StepClass::invalid;
      continue;
    }
    row.duration_s = *duration;
    row.seconds_per_token = seconds_per_token(step, log, work, row.duration_s, !times.relative);
  }
  return rows;
}

// Attempts whose clock went back are other runs in the same file. The run with the most rows is reported, the first of
// equals; rows of the others are set aside.
void mark_other_runs(const RunLog& log, const std::vector<Span>& spans, StepTimes& times) {
  std::vector<Span> runs;
  for (std::size_t a = 0; a < spans.size(); ++a) {
    const Maybe start = log.steps[spans[a].begin].end_s;
    const Maybe before = a == 0 ? Maybe() : log.steps[spans[a - 1].end - 1].end_s;
    if (a == 0 || (start && before && *start < *before)) runs.push_back(spans[a]);
    runs.back().end = spans[a].end;
  }
  if (runs.size() < 2) return;
  const auto kept = std::max_element(runs.begin(), runs.end(),
                                     [](const Span& a, const Span& b) { return a.end - a.begin < b.end - b.begin; });
  for (const Span& run : runs) {
    if (run.begin == kept->begin) continue;
    for (std::size_t i = run.begin; i < run.end; ++i) times.rows[i].step_class = StepClass::other_run;
  }
  add_defect(times.defects,
             {"log.other_runs",
              {{"runs", static_cast<std::int64_t>(runs.size())},
               {"first", log.steps[kept->begin].index},
               {"last", log.steps[kept->end - 1].index}}},
             Severity::info);
}

// Later attempts that repeat indices redo work.
void mark_redone(const RunLog& log, const std::vector<Span>& spans, StepTimes& times) {
  std::int64_t furthest = -1;
  for (const Span& span : spans) {
    std::int64_t reached = furthest;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      TimedStep& row = times.rows[i];
      if (row.step_class == StepClass::other_run) continue;
      if (log.steps[i].index <= furthest && row.step_class == StepClass::steady) row.step_class = StepClass::redone;
      reached = std::max(reached, log.steps[i].index);
    }
    furthest = reached;
  }
}

std::vector<double> steady_durations(const std::vector<TimedStep>& rows, Span span) {
  std::vector<double> durations;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (rows[i].step_class == StepClass::steady) durations.push_back(rows[i].duration_s);
  }
  return durations;
}

void mark_warm_up(Span span, StepTimes& times) {
  const std::size_t rows = span.end - span.begin;
  if (rows < 3) return;
  const std::size_t most = std::max<std::size_t>(1, std::min(kMostWarmUp, rows / 4));
  const Span settled = {span.begin + most, std::min(span.end, span.begin + 4 * most)};
  const std::vector<double> durations = steady_durations(times.rows, settled);
  if (durations.empty()) return;
  const double middle = median(durations);
  const double tolerance = std::max(0.1 * middle, 5 * robust_sigma(durations));
  std::size_t last = 0;
  for (std::size_t i = 0; i < most && i - last < kSettled; ++i) {
    const TimedStep& row = times.rows[span.begin + i];
    if (row.step_class == StepClass::steady && std::fabs(row.duration_s - middle) > tolerance) last = i + 1;
  }
  for (std::size_t i = 0; i < last; ++i) {
    TimedStep& row = times.rows[span.begin + i];
    if (row.step_class == StepClass::steady) row.step_class = StepClass::warm_up;
  }
}

std::optional<StepClass> pause_class(EventClass event) {
  if (event == EventClass::evaluation) return StepClass::evaluation;
  if (event == EventClass::checkpoint_save) return StepClass::checkpoint;
  return std::nullopt;
}

// The row that follows an event, if the event lies between two rows of its attempt (or before the first).
std::optional<std::size_t> row_after(const RunLog& log, const std::vector<Span>& spans, const Event& event) {
  for (const Span& span : spans) {
    if (log.steps[span.begin].attempt != event.attempt) continue;
    if (!event.after_step) return span.begin;
    const auto begin = log.steps.begin() + static_cast<std::ptrdiff_t>(span.begin);
    const auto end = log.steps.begin() + static_cast<std::ptrdiff_t>(span.end);
    const auto next = std::upper_bound(begin, end, *event.after_step,
                                       [](std::int64_t index, const Step& step) { return index < step.index; });
    if (next == end) return std::nullopt;
    return static_cast<std::size_t>(next - log.steps.begin());
  }
  return std::nullopt;
}

constexpr std::size_t kNeighbours = 5;

// The median duration of up to kNeighbours steady rows before and after row `i`, itself left out.
std::optional<double> median_around(const std::vector<TimedStep>& rows, std::size_t i) {
  std::vector<double> near;
  for (std::size_t j = i; j-- > 0 && near.size() < kNeighbours;) {
    if (rows[j].step_class == StepClass::steady) near.push_back(rows[j].duration_s);
  }
  const std::size_t before = near.size();
  for (std::size_t j = i + 1; j < rows.size() && near.size() < before + kNeighbours; ++j) {
    if (rows[j].step_class == StepClass::steady) near.push_back(rows[j].duration_s);
  }
  return near.empty() ? std::nullopt : std::optional(median(near));
}

std::vector<double> neighbour_differences(const std::vector<double>& values) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i) differences.push_back(values[i] - values[i - 1]);
  if (differences.empty()) differences.push_back(0);
  return differences;
}

// Splits the pause off rows whose time contains one. A mean over an interval hides one pause among `steps` steps.
void mark_pauses(const RunLog& log, const std::vector<Span>& spans, StepTimes& times) {
  const std::vector<double> durations = steady_durations(times.rows, {0, times.rows.size()});
  if (durations.empty()) return;
  const double overall = median(durations);
  // Around its neighbours, not around the run: a slow stretch is no pause.
  const double noise = 5 * robust_sigma(neighbour_differences(durations));
  for (const Event& event : log.events) {
    const auto pause = pause_class(event.event_class);
    const auto after = pause && event.blocking ? row_after(log, spans, event) : std::nullopt;
    if (!after) continue;
    TimedStep& row = times.rows[*after];
    if (row.step_class == StepClass::checkpoint && *pause == StepClass::evaluation) row.step_class = *pause;
    const std::int64_t spanned = row.steps + (times.source == DurationSource::clock ? row.unlogged_steps : 0);
    const auto steps = static_cast<double>(times.source == DurationSource::printed ? 1 : spanned);
    const double middle = median_around(times.rows, *after).value_or(overall);
    const double over = row.duration_s - middle;
    if (row.step_class != StepClass::steady || over <= std::max(0.5 * middle / steps, noise)) continue;
    row.step_class = *pause;
    row.pause_s = over * steps;
    row.duration_s = middle;
  }
}

void mark_impossible(const StepWork& work, StepTimes& times) {
  if (!work.least_duration_s || times.relative) return;
  const std::vector<double> durations = steady_durations(times.rows, {0, times.rows.size()});
  if (durations.empty() || median(durations) < *work.least_duration_s)
    return;  // the whole run is too fast: not a row's fault
  std::int64_t count = 0;
  for (TimedStep& row : times.rows) {
    if (row.step_class == StepClass::steady && row.duration_s < *work.least_duration_s) {
      row.step_class = StepClass::invalid;
      ++count;
    }
  }
  if (count > 0) add_defect(times.defects, {"log.step_faster_than_peak", {}}, Severity::data_loss, count);
}

}  // namespace

std::string_view name(DurationSource source) {
  switch (source) {
    case DurationSource::none:
      return "none";
    case DurationSource::printed:
      return "printed";
    case DurationSource::printed_mean:
      return "printed mean";
    case DurationSource::rate:
      return "printed rate";
    case DurationSource::clock:
      return "timestamps";
    case DurationSource::relative_rate:
      return "printed rate, relative";
  }
  return {};
}

StepTimes time_steps(const RunLog& log, const StepWork& work) {
  StepTimes times;
  times.interval = usual_interval(log);
  times.source = best_source(log, work);
  times.relative = times.source == DurationSource::relative_rate;
  times.rows = first_pass(log, work, times);
  const std::vector<Span> spans = attempts(log);
  mark_other_runs(log, spans, times);
  mark_redone(log, spans, times);
  mark_impossible(work, times);
  for (const Span& span : spans) mark_warm_up(span, times);
  mark_pauses(log, spans, times);
  const std::vector<double> steady = steady_durations(times.rows, {0, times.rows.size()});
  times.median_s = steady.empty() ? 0 : median(steady);
  return times;
}

}  // namespace nameplate
