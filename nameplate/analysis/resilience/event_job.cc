#include "nameplate/analysis/resilience/event_job.h"

#include <algorithm>

#include "nameplate/core/check.h"

namespace nameplate {

SimulatedJob::SimulatedJob(const EventModel& model, std::vector<PathPoint>* path)
    : model_(model), progress_(model), path_(path), change_at_(model.startup), present_(model.nodes) {
  if (path_) path_->push_back({});
  if (model_.startup == 0) compute_from_here();
}

double SimulatedJob::next_change() const { return change_at_; }

void SimulatedJob::enter(Phase phase, double duration) {
  phase_ = phase;
  change_at_ = now_ + duration;
}

TimeAccount SimulatedJob::wait(double duration) const {
  TimeAccount spent;
  switch (phase_) {
    case Phase::startup:
      spent.startup = duration;
      break;
    case Phase::detecting:
      spent.detect = duration;
      break;
    case Phase::gathering:
      (present_ + coming_ < model_.least_nodes ? spent.queue : spent.restart) = duration;
      break;
    case Phase::restarting:
    case Phase::rejoining:
      spent.restart = duration;
      break;
    case Phase::computing:
    case Phase::over:
      NAMEPLATE_CHECK(false);
  }
  return spent;
}

TimeAccount SimulatedJob::compute(double to) {
  TimeAccount spent;
  double from = now_;
  if (path_ && progress_.work() < progress_.done()) {
    // Where redone work ends, the path bends.
    const double bend = std::min(to, from + progress_.time_until(progress_.done(), speed_));
    spent = progress_.compute(from, bend, speed_);
    path_->push_back({bend, time_.productive + spent.productive});
    from = bend;
  }
  spent += progress_.compute(from, to, speed_);
  return spent;
}

TimeAccount SimulatedJob::advance(double to) {
  if (to <= now_) return {};
  const TimeAccount spent = computing() ? compute(to) : wait(to - now_);
  time_ += spent;
  now_ = to;
  if (path_) path_->push_back({now_, time_.productive});
  return spent;
}

void SimulatedJob::compute_from_here() {
  const double ratio = std::min(1.0, static_cast<double>(present_) / static_cast<double>(model_.nodes));
  speed_ = ratio == 1 ? 1 : portable_exp((1 + model_.scaling_loss) * portable_log(ratio));
  const bool to_target = model_.end == SimulationEnd::work;
  enter(Phase::computing, to_target ? progress_.time_until(model_.length, speed_) : kNever);
}

void SimulatedJob::restart_or_gather() {
  if (present_ >= model_.least_nodes) {
    enter(Phase::restarting, restart_);
  } else {
    enter(Phase::gathering, kNever);
  }
}

void SimulatedJob::change() {
  now_ = change_at_;
  switch (phase_) {
    case Phase::computing:
      phase_ = Phase::over;
      change_at_ = kNever;
      return;
    case Phase::detecting:
      if (keeps_state_) return enter(Phase::rejoining, model_.rejoin);
      return restart_or_gather();
    case Phase::restarting:
      progress_.loaded();
      return compute_from_here();
    case Phase::startup:
    case Phase::rejoining:
      return compute_from_here();
    case Phase::gathering:
    case Phase::over:
      NAMEPLATE_CHECK(false);
  }
}

bool SimulatedJob::goes_on_with_less(const Stop& stop) const {
  const bool holds_state = computing() || phase_ == Phase::rejoining || (phase_ == Phase::detecting && keeps_state_);
  return holds_state && stop.domain && model_.least_nodes < model_.nodes && present_ >= model_.least_nodes;
}

void SimulatedJob::fail(const Stop& stop) {
  const SimulatedClass& failure = model_.classes[stop.failure];
  if (failure.silent) {
    if (!computing()) return;  // the state that it would have spoilt is loaded again anyway
    if (!progress_.corrupted()) {
      progress_.corrupt();
      corruption_due_ = now_ + failure.detect;
      corruption_class_ = stop.failure;
    }
    return;
  }
  keeps_state_ = goes_on_with_less(stop);
  if (!keeps_state_) {
    restart_ = failure.restart + progress_.roll_back({stop.uniform, stop.domain, false});
    if (!progress_.corrupted()) corruption_due_ = kNever;
  }
  enter(Phase::detecting, failure.detect);
}

void SimulatedJob::notice_corruption() {
  corruption_due_ = kNever;
  keeps_state_ = false;
  restart_ = model_.classes[corruption_class_].restart + progress_.roll_back({0, std::nullopt, true});
  restart_or_gather();
}

void SimulatedJob::set_nodes(std::int64_t present, std::int64_t coming) {
  const bool joined = present > present_;
  present_ = present;
  coming_ = coming;
  if (phase_ == Phase::gathering && present_ >= model_.least_nodes) restart_or_gather();
  if (phase_ == Phase::computing && joined) enter(Phase::rejoining, model_.rejoin);
}

void SimulatedJob::end() {
  phase_ = Phase::over;
  const double worthless = std::min(progress_.worthless(), time_.productive);
  time_.productive -= worthless;
  time_.lost_work += worthless;
}

}  // namespace nameplate
