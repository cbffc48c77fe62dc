// Where is a run, and how fast, by the progress bar it draws? Reads the bars of tqdm, which Hugging Face, Lightning and
// Composer all use: "12%|#2  | 120/1000 [01:30<11:00,  1.33it/s, loss=2.3]" (tqdm/std.py, format_meter).
//
// Pitfalls: the clock shows whole seconds; the rate is smoothed over the last few redraws and has three digits;
// evaluation and data loading draw bars of the same look.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nameplate/core/maybe.h"

namespace nameplate {

struct ProgressBar {
  std::string_view label;  // before the percentage, "Epoch 0:"; often empty
  std::int64_t done = 0;
  std::int64_t total = 0;
  double elapsed_s = 0;
  Maybe step_time_s;         // from the printed rate
  std::string_view postfix;  // "loss=2.3, v_num=1"
};

// The last bar in `text`; nothing when there is none with count, total and clock.
std::optional<ProgressBar> parse_progress_bar(std::string_view text);

// Step times from a clock that is shown beside a step count.
class ProgressClock {
 public:
  // Seconds a step since the row before. The clock's own difference is taken where its resolution allows 2 %, else the
  // printed time a step. The first row, and a first row after the count went back, has only the latter: where the bar
  // began to count is not known (a resumed run starts it at the checkpoint's step).
  Maybe step_time(std::int64_t step, double elapsed_s, double resolution_s, Maybe printed);
  // No steps were made for so long since the last row (an evaluation).
  void pause(double seconds) { paused_s_ += seconds; }

 private:
  std::optional<std::int64_t> step_;
  double elapsed_s_ = 0;
  double paused_s_ = 0;
};

}  // namespace nameplate
