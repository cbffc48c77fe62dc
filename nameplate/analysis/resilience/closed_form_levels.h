// What several levels of checkpoints leave of the time, exactly, for any number of levels and classes of failures.
//
// Work is cut into segments of `interval`. Level 0 saves after each, level l after every `every[l]`-th (each a multiple
// of the one before). A failure whose nearest usable copy is of level l sends the job back to that level's last save.
// The chain over segments moves up by one or falls back, so the expected time from one segment to the next is
//   F(x) = (exp(L w) - 1) (1/L + V + sum_l q_l (S(x) - S(back_l(x))) + D Y)
// with L the rate of all failures, w the segment and its saves, V the mean time from a failure until the job computes
// again, q_l the share that comes back from level l, S the sum of F before x, D the mean of `redone` and Y the mean
// time that a unit of work takes. Failures also strike during detection and restart, and then the worse of the two
// levels counts. With one level this is closed_form_checkpoint.h's exact form. Holds for Poisson failures and fixed
// durations.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/core/quantity.h"

namespace nameplate {

// Failures of one kind that come back from one level.
struct RecoveryPath {
  PerSecond rate;  // of the job
  std::size_t level = 0;
  Seconds detect;
  Seconds redone;                // work lost besides that since the save
  std::vector<Seconds> restart;  // from each level, loading included
};

struct LevelPlan {
  Seconds interval;                 // work in a segment
  std::vector<Seconds> block;       // of a save to each level
  std::vector<std::int64_t> every;  // segments between two saves to each level; every[0] = 1
};

// Shares of the wall-clock; they sum to 1.
struct TimeShares {
  double work = 0;  // done for the first time: the ETTR
  double checkpoint = 0;
  double detect = 0;
  double restart = 0;
  double lost_work = 0;
};

TimeShares time_shares(const std::vector<RecoveryPath>& paths, const LevelPlan& plan);

// The plan with the largest share of work, among intervals from `least` on and at most 4,096 segments between two saves
// of the outermost level. A local optimum over the multiples; with one level the optimum of the exact form.
LevelPlan best_plan(const std::vector<RecoveryPath>& paths, const std::vector<Seconds>& block, Seconds least);
// The best interval for given multiples.
Seconds best_interval(const std::vector<RecoveryPath>& paths, const LevelPlan& plan, Seconds least);

}  // namespace nameplate
