// A gang job as a machine of phases: it computes, notices a failure, waits for nodes, restarts, and computes again.
// Whoever drives it says when failures come and how many nodes it has; every second between is booked once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/analysis/resilience/event_account.h"
#include "nameplate/analysis/resilience/event_model.h"
#include "nameplate/analysis/resilience/event_progress.h"

namespace nameplate {

// A point of a job's path: how much it had achieved when.
struct PathPoint {
  double at = 0;  // wall-clock
  double productive = 0;
  bool operator==(const PathPoint&) const = default;
};

// A failure as the job sees it.
struct Stop {
  std::size_t failure = 0;           // index of its class
  double uniform = 0;                // decides which checkpoints survive
  std::optional<DomainKind> domain;  // what went down; none: no node did
};

class SimulatedJob {
 public:
  explicit SimulatedJob(const EventModel& model, std::vector<PathPoint>* path = nullptr);

  double now() const { return now_; }
  bool over() const { return phase_ == Phase::over; }
  bool computing() const { return phase_ == Phase::computing; }
  // When the job changes by itself; infinite while it waits for nodes.
  double next_change() const;
  // When a corruption is noticed; infinite without one. The driver calls notice_corruption() then.
  double corruption_due() const { return corruption_due_; }
  std::size_t corruption_class() const { return corruption_class_; }

  // Books [now, to], which holds no change. Returns what was booked.
  TimeAccount advance(double to);
  void change();  // at next_change()
  void fail(const Stop& stop);
  void notice_corruption();
  // The nodes at work and those on their way, whenever either changes.
  void set_nodes(std::int64_t present, std::int64_t coming);
  void end();  // what is undetected comes out

  const TimeAccount& time() const { return time_; }
  double work() const { return progress_.done() - progress_.worthless(); }
  double speed() const { return speed_; }

 private:
  enum class Phase { startup, computing, detecting, gathering, restarting, rejoining, over };

  void enter(Phase phase, double duration);
  void restart_or_gather();
  void compute_from_here();
  bool goes_on_with_less(const Stop& stop) const;
  TimeAccount compute(double to);
  TimeAccount wait(double duration) const;

  const EventModel& model_;
  TrainingProgress progress_;
  TimeAccount time_;
  std::vector<PathPoint>* path_;
  Phase phase_ = Phase::startup;
  double now_ = 0;
  double change_at_;
  double restart_ = 0;        // what the restart under way takes
  bool keeps_state_ = false;  // the nodes that are left hold all of it
  double speed_ = 1;
  std::int64_t present_;
  std::int64_t coming_ = 0;
  double corruption_due_ = kNever;
  std::size_t corruption_class_ = 0;
};

}  // namespace nameplate
