// How far a job has come, which of its checkpoints can be restored from, and what a stretch of computing was spent on.
//
// Work is measured in seconds at full speed. Hundreds of checkpoints lie between two failures, so a stretch is computed
// in closed form: with an interval of tau, a blocking time B(i) at the i-th checkpoint and a speed v, checkpoint n
// begins (n tau - w) / v + sum of B before it after the stretch began. Cost is the same for a second and for a year.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "nameplate/analysis/resilience/event_account.h"
#include "nameplate/analysis/resilience/event_model.h"

namespace nameplate {

// What a failure takes away of the checkpoints: a level is gone when `uniform` is not below its coverage, or when the
// domain that went down is larger than the one its copy lies outside of. Once a corruption is known, so is everything
// saved since.
struct CheckpointLoss {
  double uniform = 0;
  std::optional<DomainKind> domain;
  bool corruption_known = false;
};

class TrainingProgress {
 public:
  explicit TrainingProgress(const EventModel& model);

  // Computes from `from` to `to` (wall-clock) at `speed`, 0 to 1.
  TimeAccount compute(double from, double to, double speed);
  // Wall-clock that computing takes until `work` is reached, from a stretch's beginning.
  double time_until(double work, double speed) const;
  // Back to the newest state that can be restored at `now`; returns what loading it takes. Ends a corruption that the
  // state is older than.
  double roll_back(const CheckpointLoss& loss);
  // The state rolled back to is loaded: every faster level holds it, too.
  void loaded();
  // From here on the work is worthless.
  void corrupt();
  bool corrupted() const { return corrupted_; }
  // Work since an undetected corruption, which counts for nothing at the end.
  double worthless() const;

  double work() const { return work_; }
  double done() const { return done_; }  // the furthest that the job has been

 private:
  struct Level {
    std::int64_t newest = 0;   // checkpoint that can be restored from, counted in intervals; 0: the beginning; -1: none
    std::int64_t flying = -1;  // the newest still being written
    double usable_at = 0;
  };

  double blocking(std::int64_t first, std::int64_t last) const;  // of the checkpoints first..last
  double begin_of(std::int64_t checkpoint, double speed) const;  // after the present state, its blocking over
  std::int64_t checkpoints_within(double time, double speed) const;
  // Splits the time that work went on from `from` into what was done for the first time and what again.
  void book_computing(double time, double from, double speed, TimeAccount& account) const;
  void settle(std::int64_t before, double now, double speed);
  void settle(std::size_t level, std::int64_t before, double now, double speed);
  double restorable(std::size_t level, const CheckpointLoss& loss);  // work; -1: none
  void forget_after(double work);

  const EventModel& model_;
  double blocking_per_interval_ = 0;
  std::array<Level, kMaxCheckpointLevels> levels_{};
  std::int64_t begun_ = 0;  // checkpoints whose saving has begun
  double block_left_ = 0;   // of the one being saved
  std::size_t loaded_from_ = 0;
  double work_ = 0;
  double done_ = 0;
  double valid_ = 0;  // work at the corruption
  bool corrupted_ = false;
};

}  // namespace nameplate
