#include "nameplate/analysis/resilience/event_fleet.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "nameplate/analysis/resilience/event_clocks.h"
#include "nameplate/analysis/resilience/event_repair.h"
#include "nameplate/analysis/resilience/event_spares.h"
#include "nameplate/analysis/resilience/event_tree.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

// Purposes of a unit's random numbers, beside those of event_clocks.cc and event_repair.cc.
constexpr std::uint32_t kDomainDraw = 0x10020;
constexpr std::uint32_t kCheckpointDraw = 0x10021;
constexpr std::uint32_t kDiagnosisDraw = 0x10022;
constexpr std::uint32_t kBlamedDraw = 0x10023;
constexpr std::uint32_t kRecursDraw = 0x10024;
constexpr std::uint32_t kRecurrenceDraw = 0x10025;
constexpr std::uint32_t kReplayDraw = 0x10026;

enum class NodeState : std::uint8_t { working, ready, coming, repair };

std::size_t all_nodes(const EventModel& model) {
  std::int64_t nodes = model.nodes;
  for (const SparePool& pool : model.spares) nodes += pool.nodes;
  return static_cast<std::size_t>(nodes);
}

class FleetSimulation {
 public:
  FleetSimulation(const EventModel& model, std::uint64_t seed, std::uint32_t number, std::vector<PathPoint>* path)
      : model_(model),
        random_(seed, number),
        nodes_(all_nodes(model)),
        clocks_(model, nodes_, random_),
        strikes_(clocks_.units()),
        timers_(nodes_),
        repair_(model, nodes_, random_, timers_),
        spares_(model, static_cast<std::size_t>(model.nodes)),
        job_(model, path),
        states_(nodes_, NodeState::working),
        pools_(nodes_, 0),
        ages_(clocks_.units()),
        events_(nodes_, 0),
        causes_(nodes_, 0),
        present_(model.nodes) {}

  Replication run(std::optional<std::span<const RecordedFailure>> recorded);

 private:
  void begin(bool sampled);
  double next_strike() const;
  void advance(double to);
  void book(const TimeAccount& spent, double duration, bool computing);
  void strike();
  void replay(const RecordedFailure& failure);
  void node_fails(std::size_t node, std::size_t failure);
  void domain_fails(std::size_t failure, std::int64_t domain, std::size_t first_struck);
  void stop_job(std::size_t failure, std::optional<DomainKind> domain, std::size_t unit);
  void take_down(std::size_t node, std::size_t failure);
  void send_spares(double after);
  void timer();
  void join(std::size_t node);
  void stand_by(std::size_t node);
  void stop_standing_by(std::size_t node);
  void repaired(std::size_t node, bool repaired);
  void notice_corruption();
  std::size_t blamed_for(std::size_t node, std::size_t failure);
  std::size_t random_working(std::size_t unit, std::uint32_t purpose);
  void work_from_here(std::size_t node);
  double uniform(std::size_t unit, std::uint32_t purpose);
  void tell_job() { job_.set_nodes(present_, coming_); }

  const EventModel& model_;
  UnitRandom random_;
  std::size_t nodes_;
  FailureClocks clocks_;
  EventTree strikes_;  // failures of the job's nodes and of what is no node, on the job's clock
  EventTree timers_;   // by node: a spare's failure, an arrival, the end of a repair station; wall-clock
  RepairPipeline repair_;
  SparePools spares_;
  SimulatedJob job_;
  std::vector<NodeState> states_;
  std::vector<std::size_t> pools_;  // of a node that stands by
  std::vector<double> ages_;        // operating age when its clock read zero (working), or now, or when put by (ready)
  std::vector<std::uint32_t> events_;  // how often a node drew random numbers here
  std::vector<std::size_t> causes_;    // class of the failure that a node in repair had
  std::int64_t present_;               // at work
  std::int64_t coming_ = 0;
  std::int64_t down_ = 0;
  double clock_ = 0;  // operating time of the job's nodes
  bool sampled_ = true;
  std::size_t corrupt_node_ = 0;
  Replication result_;
};

double FleetSimulation::uniform(std::size_t unit, std::uint32_t purpose) {
  const std::size_t owner = std::min(unit, nodes_ - 1);
  return random_.uniform(unit, purpose, events_[owner]++);
}

void FleetSimulation::work_from_here(std::size_t node) {
  ages_[node] -= clock_;
  strikes_.set(node, sampled_ ? clocks_.next_age(node) - ages_[node] : kNever);
}

void FleetSimulation::begin(bool sampled) {
  sampled_ = sampled;
  std::vector<double> strikes(clocks_.units(), kNever);
  for (std::size_t unit = 0; unit < clocks_.units(); ++unit) {
    ages_[unit] = clocks_.age(unit);
    const bool spare = unit >= static_cast<std::size_t>(model_.nodes) && unit < nodes_;
    if (sampled && !spare) strikes[unit] = clocks_.next_age(unit) - ages_[unit];
  }
  strikes_.assign(strikes);
  auto node = static_cast<std::size_t>(model_.nodes);
  for (std::size_t pool = 0; pool < model_.spares.size(); ++pool) {
    for (std::size_t spare : spares_.nodes(pool)) {
      pools_[spare] = pool;
      states_[spare] = NodeState::ready;
    }
  }
  for (; node < nodes_; ++node) {
    const double factor = spares_.pool(pools_[node]).failure_factor;
    if (sampled && factor > 0) timers_.set(node, (clocks_.next_age(node) - ages_[node]) / factor);
  }
}

double FleetSimulation::next_strike() const {
  const bool running = job_.computing() || model_.fails_while_stopped;
  return running ? job_.now() + std::max(0.0, strikes_.next() - clock_) : kNever;
}

void FleetSimulation::book(const TimeAccount& spent, double duration, bool computing) {
  const auto present = static_cast<double>(present_);
  TimeAccount nodes{spent.productive * present, spent.lost_work * present, spent.checkpoint * present,
                    spent.detect * present,     spent.restart * present,   spent.startup * present,
                    spent.queue * present,      spent.degraded * present};
  if (computing && present_ < model_.nodes) {
    // Work is in time of all nodes at full speed; fewer nodes at their own speed did it, and what they lack in speed
    // is left over.
    const auto all = static_cast<double>(model_.nodes);
    nodes.productive = spent.productive * all;
    nodes.lost_work = spent.lost_work * all;
    nodes.degraded = (duration - spent.checkpoint) * present - nodes.productive - nodes.lost_work;
  }
  FleetAccount& fleet = result_.fleet;
  fleet.job += nodes;
  fleet.held_spare += duration * static_cast<double>(spares_.held() + coming_);
  fleet.in_repair += duration * static_cast<double>(down_);
  fleet.lent += duration * static_cast<double>(spares_.lent());
  result_.nodes_down_time[std::min(static_cast<std::size_t>(down_), kMostNodesDown)] += duration;
}

void FleetSimulation::advance(double to) {
  const double duration = to - job_.now();
  if (duration <= 0) return;
  const bool computing = job_.computing();
  if (computing || model_.fails_while_stopped) clock_ += duration;
  book(job_.advance(to), duration, computing);
}

void FleetSimulation::strike() {
  const std::size_t unit = strikes_.slot();
  clock_ = std::max(clock_, strikes_.next());
  const std::size_t failure = clocks_.strike(unit);
  strikes_.set(unit, clocks_.next_age(unit) - ages_[unit]);
  if (unit < nodes_) return node_fails(unit, failure);
  const std::int64_t domain = clocks_.extra(unit).domain;
  if (domain < 0) return stop_job(failure, std::nullopt, unit);
  domain_fails(failure, domain, unit);
}

void FleetSimulation::replay(const RecordedFailure& failure) {
  NAMEPLATE_CHECK(failure.failure < model_.classes.size());
  const SimulatedClass& kind = model_.classes[failure.failure];
  if (!kind.takes_nodes) return stop_job(failure.failure, std::nullopt, 0);
  const bool known = failure.node && *failure.node >= 0 && static_cast<std::size_t>(*failure.node) < nodes_ &&
                     states_[static_cast<std::size_t>(*failure.node)] == NodeState::working;
  if (!known && present_ == 0) return;
  node_fails(known ? static_cast<std::size_t>(*failure.node) : random_working(0, kReplayDraw), failure.failure);
}

void FleetSimulation::node_fails(std::size_t node, std::size_t failure) {
  const SimulatedClass& kind = model_.classes[failure];
  if (kind.domain_share > 0 && !kind.silent && uniform(node, kDomainDraw) < kind.domain_share) {
    return domain_fails(failure, static_cast<std::int64_t>(node) / kind.domain_nodes, node);
  }
  const bool of_job = states_[node] == NodeState::working;
  if (kind.silent) {
    if (of_job && job_.computing() && job_.corruption_due() == kNever) corrupt_node_ = node;
  } else if (kind.takes_nodes) {
    take_down(of_job ? blamed_for(node, failure) : node, failure);
    send_spares(kind.detect);
  }
  if (of_job) stop_job(failure, kind.takes_nodes ? std::optional(DomainKind::node) : std::nullopt, node);
}

void FleetSimulation::domain_fails(std::size_t failure, std::int64_t domain, std::size_t first_struck) {
  const SimulatedClass& kind = model_.classes[failure];
  const auto first = static_cast<std::size_t>(domain * kind.domain_nodes);
  const std::size_t last = std::min(nodes_, first + static_cast<std::size_t>(kind.domain_nodes));
  bool of_job = false;
  for (std::size_t node = first; node < last; ++node) {
    const bool working = states_[node] == NodeState::working;
    if (working && !of_job && kind.silent && job_.corruption_due() == kNever) corrupt_node_ = node;
    of_job = of_job || working;
    if (kind.takes_nodes && !kind.silent && (working || states_[node] == NodeState::ready)) take_down(node, failure);
  }
  send_spares(kind.detect);
  if (of_job) stop_job(failure, kind.takes_nodes ? std::optional(kind.domain) : std::nullopt, first_struck);
}

void FleetSimulation::stop_job(std::size_t failure, std::optional<DomainKind> domain, std::size_t unit) {
  ++result_.failures[failure];
  tell_job();
  job_.fail({failure, uniform(unit, kCheckpointDraw), domain});
}

std::size_t FleetSimulation::random_working(std::size_t unit, std::uint32_t purpose) {
  for (;;) {
    const auto node = static_cast<std::size_t>(uniform(unit, purpose) * static_cast<double>(nodes_));
    if (states_[node] == NodeState::working) return node;
  }
}

std::size_t FleetSimulation::blamed_for(std::size_t node, std::size_t failure) {
  if (model_.wrong_unit <= 0 || present_ < 2 || uniform(node, kDiagnosisDraw) >= model_.wrong_unit) return node;
  std::size_t blamed = node;
  while (blamed == node) blamed = random_working(node, kBlamedDraw);
  const double age = ages_[node] + clock_;
  clocks_.recur(node, failure, age + model_.recurs_after * exponential(uniform(node, kRecurrenceDraw)));
  strikes_.set(node, sampled_ ? clocks_.next_age(node) - ages_[node] : kNever);
  return blamed;
}

void FleetSimulation::take_down(std::size_t node, std::size_t failure) {
  if (model_.repair.empty()) return;
  if (states_[node] == NodeState::working) {
    ages_[node] += clock_;
    strikes_.clear(node);
    --present_;
  } else {
    spares_.remove(node, pools_[node]);
    stop_standing_by(node);
  }
  states_[node] = NodeState::repair;
  causes_[node] = failure;
  ++down_;
  repair_.submit(node, job_.now());
}

void FleetSimulation::send_spares(double after) {
  while (present_ + coming_ < model_.nodes) {
    const std::optional<SparePools::Taken> taken = spares_.take();
    if (!taken) return;
    stop_standing_by(taken->node);
    const double delay = after + spares_.pool(taken->pool).ready.base();
    if (delay <= 0) {
      join(taken->node);
      continue;
    }
    states_[taken->node] = NodeState::coming;
    ++coming_;
    timers_.set(taken->node, job_.now() + delay);
  }
}

void FleetSimulation::timer() {
  const std::size_t node = timers_.slot();
  switch (states_[node]) {
    case NodeState::ready: {
      ages_[node] = clocks_.next_age(node);
      const std::size_t failure = clocks_.strike(node);
      const double factor = spares_.pool(pools_[node]).failure_factor;
      timers_.set(node, job_.now() + (clocks_.next_age(node) - ages_[node]) / factor);
      return node_fails(node, failure);
    }
    case NodeState::coming:
      timers_.clear(node);
      --coming_;
      join(node);
      return tell_job();
    case NodeState::repair: {
      const std::optional<bool> left = repair_.finish(node, job_.now());
      if (left) repaired(node, *left);
      return;
    }
    case NodeState::working:
      NAMEPLATE_CHECK(false);
  }
}

void FleetSimulation::join(std::size_t node) {
  states_[node] = NodeState::working;
  ++present_;
  work_from_here(node);
}

void FleetSimulation::stand_by(std::size_t node) {
  states_[node] = NodeState::ready;
  pools_[node] = spares_.put(node);
  const double factor = spares_.pool(pools_[node]).failure_factor;
  if (factor > 0 && sampled_) timers_.set(node, job_.now() + (clocks_.next_age(node) - ages_[node]) / factor);
}

void FleetSimulation::stop_standing_by(std::size_t node) {
  const double factor = spares_.pool(pools_[node]).failure_factor;
  // A node whose own clocks never strike has no age to keep: only its domain or the job fails.
  if (timers_.at(node) < kNever) {
    const double left = std::max(0.0, timers_.at(node) - job_.now());
    ages_[node] = clocks_.next_age(node) - left * factor;
  }
  timers_.clear(node);
}

void FleetSimulation::repaired(std::size_t node, bool is_repaired) {
  --down_;
  const SimulatedClass& cause = model_.classes[causes_[node]];
  if (is_repaired) clocks_.cure(node, ages_[node]);
  if (cause.recurs > 0 && uniform(node, kRecursDraw) < cause.recurs) {
    const double after = model_.recurs_after * exponential(uniform(node, kRecurrenceDraw));
    clocks_.recur(node, causes_[node], ages_[node] + after);
  }
  if (present_ + coming_ >= model_.nodes) return stand_by(node);
  join(node);
  tell_job();
}

void FleetSimulation::notice_corruption() {
  const std::size_t failure = job_.corruption_class();
  if (states_[corrupt_node_] == NodeState::working && model_.classes[failure].takes_nodes) {
    take_down(corrupt_node_, failure);
    send_spares(0);
    tell_job();
  }
  job_.notice_corruption();
}

Replication FleetSimulation::run(std::optional<std::span<const RecordedFailure>> recorded) {
  begin(!recorded);
  const double horizon = model_.end == SimulationEnd::wall ? model_.length : model_.give_up;
  std::size_t replayed = 0;
  while (!job_.over()) {
    const double struck = !recorded ? next_strike() : replayed < recorded->size() ? (*recorded)[replayed].at : kNever;
    const double at = std::min({struck, timers_.next(), job_.corruption_due(), job_.next_change(), horizon});
    advance(at);
    if (at == horizon) break;
    if (at == struck) {
      recorded ? replay((*recorded)[replayed++]) : strike();
    } else if (at == timers_.next()) {
      timer();
    } else if (at == job_.corruption_due()) {
      notice_corruption();
    } else {
      job_.change();
    }
  }
  result_.finished = model_.end == SimulationEnd::wall || job_.over() ? 1 : 0;
  job_.end();
  result_.wall = job_.now();
  result_.work = job_.work();
  result_.time = job_.time();
  return result_;
}

}  // namespace

Replication simulate_fleet(const EventModel& model, std::uint64_t seed, std::uint32_t number,
                           std::vector<PathPoint>* path) {
  return FleetSimulation(model, seed, number, path).run(std::nullopt);
}

Replication replay_fleet(const EventModel& model, std::span<const RecordedFailure> recorded, std::uint64_t seed,
                         std::uint32_t number, std::vector<PathPoint>* path) {
  return FleetSimulation(model, seed, number, path).run(recorded);
}

}  // namespace nameplate
