#include "nameplate/analysis/resilience/event_progress.h"

#include <algorithm>
#include <cmath>

namespace nameplate {

TrainingProgress::TrainingProgress(const EventModel& model) : model_(model) {
  for (const SimulatedLevel& level : model_.levels) {
    if (level.every > 0) blocking_per_interval_ += level.block / static_cast<double>(level.every);
  }
}

double TrainingProgress::blocking(std::int64_t first, std::int64_t last) const {
  double time = 0;
  for (const SimulatedLevel& level : model_.levels) {
    if (level.every == 0) continue;
    const std::int64_t saves = last / level.every - (first - 1) / level.every;
    time += level.block * static_cast<double>(saves);
  }
  return time;
}

double TrainingProgress::begin_of(std::int64_t checkpoint, double speed) const {
  return (static_cast<double>(checkpoint) * model_.interval - work_) / speed + blocking(begun_ + 1, checkpoint - 1);
}

std::int64_t TrainingProgress::checkpoints_within(double time, double speed) const {
  if (!std::isfinite(model_.interval)) return 0;
  const double into = (work_ - static_cast<double>(begun_) * model_.interval) / speed;
  auto count = static_cast<std::int64_t>((time + into) / (model_.interval / speed + blocking_per_interval_));
  // The estimate takes the blocking as evenly spread.
  while (begin_of(begun_ + count + 1, speed) <= time) ++count;
  while (count > 0 && begin_of(begun_ + count, speed) > time) --count;
  return count;
}

// A stretch of one kind takes its whole time, so that rounding leaves no crumbs in the other.
void TrainingProgress::book_computing(double time, double from, double speed, TimeAccount& account) const {
  const double useful = speed == 1 ? time : work_ - from;
  account.degraded = time - useful;
  if (done_ <= from) {
    account.productive = useful;
  } else if (work_ <= done_) {
    account.lost_work = useful;
  } else {
    account.productive = work_ - done_;
    account.lost_work = useful - account.productive;
  }
}

TimeAccount TrainingProgress::compute(double from, double to, double speed) {
  TimeAccount account;
  const double time = to - from;
  const double blocked = std::min(time, block_left_);
  block_left_ -= blocked;
  account.checkpoint = blocked;
  const std::int64_t before = begun_;
  const double start = work_;
  const double rest = time - blocked;
  const std::int64_t count = checkpoints_within(rest, speed);
  if (count == 0) {
    work_ += rest * speed;
  } else {
    const std::int64_t last = begun_ + count;
    const double since = rest - begin_of(last, speed);
    const double block = blocking(last, last);
    account.checkpoint += blocking(begun_ + 1, last - 1) + std::min(since, block);
    begun_ = last;
    block_left_ = std::max(0.0, block - since);
    work_ = static_cast<double>(last) * model_.interval + std::max(0.0, since - block) * speed;
  }
  book_computing(time - account.checkpoint, start, speed, account);
  done_ = std::max(done_, work_);
  settle(before, to, speed);
  return account;
}

void TrainingProgress::settle(std::int64_t before, double now, double speed) {
  for (std::size_t i = 0; i < model_.levels.size(); ++i) {
    if (model_.levels[i].every > 0) settle(i, before, now, speed);
  }
}

void TrainingProgress::settle(std::size_t level, std::int64_t before, double now, double speed) {
  const SimulatedLevel& plan = model_.levels[level];
  Level& state = levels_[level];
  if (state.flying >= 0 && state.usable_at <= now) {
    state.newest = state.flying;
    state.flying = -1;
  }
  std::int64_t flying = -1;
  for (std::int64_t i = begun_ / plan.every * plan.every; i > before; i -= plan.every) {
    const double age = (work_ - static_cast<double>(i) * model_.interval) / speed + blocking(i, begun_) - block_left_;
    const double left = std::max(plan.latency - age, i == begun_ ? block_left_ : 0.0);
    if (left <= 0) {
      state.newest = i;
      break;
    }
    if (flying >= 0) continue;
    flying = i;
    state.usable_at = now + left;
  }
  if (flying >= 0) state.flying = flying;
}

double TrainingProgress::time_until(double work, double speed) const {
  double time = block_left_ + (work - work_) / speed;
  if (!std::isfinite(model_.interval)) return time;
  // A checkpoint that falls on the end itself is not waited for.
  const auto last = static_cast<std::int64_t>(std::ceil(work / model_.interval)) - 1;
  return last > begun_ ? time + blocking(begun_ + 1, last) : time;
}

double TrainingProgress::restorable(std::size_t level, const CheckpointLoss& loss) {
  const SimulatedLevel& plan = model_.levels[level];
  Level& state = levels_[level];
  const bool gone = loss.uniform >= plan.covers || (loss.domain && plan.outside && *loss.domain > *plan.outside);
  if (gone) state.newest = -1;
  const bool limited = corrupted_ && loss.corruption_known;
  if (plan.every == 0) return gone ? -1 : (limited ? valid_ : work_);
  if (state.newest < 0) return -1;
  const double position = static_cast<double>(state.newest) * model_.interval;
  if (!limited || position <= valid_) return position;
  // Only the last level keeps generations older than the corruption.
  const bool last = level + 1 == model_.levels.size();
  state.newest = last ? static_cast<std::int64_t>(valid_ / model_.interval) / plan.every * plan.every : -1;
  return last ? static_cast<double>(state.newest) * model_.interval : -1;
}

void TrainingProgress::forget_after(double work) {
  const auto at = std::isfinite(model_.interval) ? static_cast<std::int64_t>(work / model_.interval + 1e-9) : 0;
  begun_ = at;
  block_left_ = 0;
  for (std::size_t i = 0; i < model_.levels.size(); ++i) {
    levels_[i].flying = -1;
    if (levels_[i].newest > at) levels_[i].newest = -1;
  }
}

void TrainingProgress::loaded() {
  for (std::size_t i = 0; i < loaded_from_; ++i) levels_[i].newest = begun_;
}

double TrainingProgress::roll_back(const CheckpointLoss& loss) {
  double best = -1;
  loaded_from_ = model_.levels.size();
  for (std::size_t i = 0; i < model_.levels.size(); ++i) {
    const double position = restorable(i, loss);
    if (position <= best) continue;
    best = position;
    loaded_from_ = i;
  }
  work_ = std::max(0.0, best);
  forget_after(work_);
  if (corrupted_ && work_ <= valid_) corrupted_ = false;
  return best < 0 ? 0 : model_.levels[loaded_from_].load;
}

void TrainingProgress::corrupt() {
  if (corrupted_) return;
  corrupted_ = true;
  valid_ = work_;
}

double TrainingProgress::worthless() const { return corrupted_ ? std::max(0.0, done_ - valid_) : 0; }

}  // namespace nameplate
