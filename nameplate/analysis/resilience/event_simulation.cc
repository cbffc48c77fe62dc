#include "nameplate/analysis/resilience/event_simulation.h"

#include <algorithm>
#include <utility>

#include "nameplate/core/check.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

// The stream of the job itself; those of its units are counted from 0 (event_fleet.cc).
constexpr std::uint64_t kJobStream = 0xffffffff;

// The job's failures as one Poisson stream: each takes four random numbers, so the n-th failure of two models that
// differ in nothing but costs is the same.
class AggregateSource {
 public:
  AggregateSource(const EventModel& model, std::uint64_t seed, std::uint32_t number)
      : model_(model), random_(seed, std::uint64_t{number} << 32 | kJobStream) {
    for (const SimulatedClass& failure : model_.classes) rate_ += failure.job_rate;
    next_after(0);
  }

  double next() const { return next_; }

  Stop take() {
    Stop stop;
    double place = random_.next_uniform() * rate_;
    while (stop.failure + 1 < model_.classes.size() && place >= model_.classes[stop.failure].job_rate) {
      place -= model_.classes[stop.failure].job_rate;
      ++stop.failure;
    }
    const SimulatedClass& failure = model_.classes[stop.failure];
    const bool whole = random_.next_uniform() < failure.domain_share;
    if (failure.takes_nodes) stop.domain = whole ? failure.domain : DomainKind::node;
    stop.uniform = random_.next_uniform();
    next_after(next_);
    return stop;
  }

 private:
  void next_after(double now) { next_ = rate_ > 0 ? now + exponential(random_.next_uniform()) / rate_ : kNever; }

  const EventModel& model_;
  RandomStream random_;
  double rate_ = 0;
  double next_ = kNever;
};

class RecordedSource {
 public:
  RecordedSource(const EventModel& model, std::span<const RecordedFailure> recorded, std::uint64_t seed,
                 std::uint32_t number)
      : model_(model), recorded_(recorded), random_(seed, std::uint64_t{number} << 32 | kJobStream) {}

  double next() const { return recorded_.empty() ? kNever : recorded_.front().at; }

  Stop take() {
    Stop stop;
    stop.failure = recorded_.front().failure;
    NAMEPLATE_CHECK(stop.failure < model_.classes.size());
    if (model_.classes[stop.failure].takes_nodes) stop.domain = DomainKind::node;
    stop.uniform = random_.next_uniform();
    recorded_ = recorded_.subspan(1);
    return stop;
  }

 private:
  const EventModel& model_;
  std::span<const RecordedFailure> recorded_;
  RandomStream random_;
};

template <class Source>
Replication run(const EventModel& model, Source source, std::vector<PathPoint>* path) {
  Replication result;
  SimulatedJob job(model, path);
  const double horizon = model.end == SimulationEnd::wall ? model.length : model.give_up;
  while (!job.over()) {
    const double failure = source.next();
    const double at = std::min({failure, job.next_change(), job.corruption_due(), horizon});
    job.advance(at);
    if (at == horizon) break;
    if (at == failure) {
      const Stop stop = source.take();
      ++result.failures[stop.failure];
      job.fail(stop);
    } else if (at == job.corruption_due()) {
      job.notice_corruption();
    } else {
      job.change();
    }
  }
  result.finished = model.end == SimulationEnd::wall || job.over() ? 1 : 0;
  job.end();
  result.wall = job.now();
  result.work = job.work();
  result.time = job.time();
  return result;
}

}  // namespace

Replication simulate_job(const EventModel& model, std::uint64_t seed, std::uint32_t number,
                         std::vector<PathPoint>* path) {
  return run(model, AggregateSource(model, seed, number), path);
}

Replication replay_job(const EventModel& model, std::span<const RecordedFailure> recorded, std::uint64_t seed,
                       std::uint32_t number, std::vector<PathPoint>* path) {
  return run(model, RecordedSource(model, recorded, seed, number), path);
}

}  // namespace nameplate
