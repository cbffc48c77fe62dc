// Which rows of a log are steady training steps, and how long a step took in each.
//
// Duration of a row, in this order: as printed; from the printed rate and the tokens of a step; from the clock
// (difference of the timestamps over the difference of the indices); from the printed rate alone, relative (`relative`
// is then true: good for ratios and for MFU from a per-accelerator rate, not for seconds).
//
// Classes. `other_run`: an attempt whose clock went back, so another run in the same file; the run with the most rows
// counts. `redone`: a later attempt repeats an index. `invalid`: no usable duration, or so short that it would exceed
// the peak while the run does not (asynchronous dispatch makes a program print such steps). `evaluation`, `checkpoint`:
// the duration contains a pause of that kind: it follows such an event and lies over the median of its steady
// neighbours by half a step of pause and 5 robust sigma; what is over the median, times the steps of the row where the
// duration is their mean, is the pause. `warm_up`: the leading rows of an attempt, at most 20 and a quarter of it, up
// to the last that is over max(10 %, 5 robust sigma) away from the median of the rows that follow, three times as many.
// Everything else is `steady`, slow steps included.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/facts/run.h"

namespace nameplate {

enum class DurationSource { none, printed, printed_mean, rate, clock, relative_rate };
std::string_view name(DurationSource source);

// What is known about the work of one step from outside the log.
struct StepWork {
  bool ignores_logged_batch = false;  // `tokens` holds for every row, whatever it prints
  Maybe tokens;                       // of the whole job in one step
  Maybe samples;                      // sequences in one step
  Maybe tokens_per_sample;            // turns a printed batch of samples into tokens
  std::optional<std::int64_t> accelerators;
  Maybe least_duration_s;  // of one step at the peak: a shorter step is impossible
};

struct TimedStep {
  std::size_t row = 0;  // in RunLog::steps
  StepClass step_class = StepClass::steady;
  // Optimizer steps that the row stands for: those since the row before, at most the usual number. In the first row of
  // an attempt the usual interval, at most its index, where the duration is a mean; else the one step that is printed.
  std::int64_t steps = 1;
  std::int64_t unlogged_steps = 0;  // further steps since the row before, of which the log says nothing
  double duration_s = 0;            // of one step, without the pause
  double pause_s = 0;               // evaluation or checkpoint inside the duration of the row
  Maybe seconds_per_token;          // x accelerators: accelerator-seconds per token
  Maybe tokens;                     // of one step
};

struct StepTimes {
  std::vector<TimedStep> rows;  // one per row of the log, in its order
  DurationSource source = DurationSource::none;
  bool relative = false;
  double median_s = 0;        // of steady rows
  std::int64_t interval = 1;  // steps between rows, the usual one
  Defects defects;
};

StepTimes time_steps(const RunLog& log, const StepWork& work);

}  // namespace nameplate
