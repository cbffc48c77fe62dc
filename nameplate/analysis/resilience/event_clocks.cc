#include "nameplate/analysis/resilience/event_clocks.h"

#include <algorithm>
#include <cmath>

#include "nameplate/analysis/resilience/event_account.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

// Purposes of a unit's random numbers; the clocks' lives are counted from 0.
constexpr std::uint32_t kClassDraw = 0x10000;
constexpr std::uint32_t kLemonDraw = 0x10001;

}  // namespace

double UnitRandom::uniform(std::size_t unit, std::uint32_t purpose, std::uint32_t n) const {
  return random_uniform(seed_, number_ << 32 | unit, std::uint64_t{purpose} << 32 | n);
}

FailureClocks::FailureClocks(const EventModel& model, std::size_t nodes, const UnitRandom& random)
    : random_(random),
      nodes_(nodes),
      fleet_age_(model.fleet_age),
      lemon_factor_(model.lemon_factor),
      lemons_(nodes, 0),
      recurs_at_(nodes, kNever),
      recurs_as_(nodes, 0) {
  make_node_clocks(model);
  make_extras(model);
  choose_lemons(model);
  begin_lives();
}

void FailureClocks::make_node_clocks(const EventModel& model) {
  Clock together;
  double rate = 0;
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    const SimulatedClass& failure = model.classes[i];
    const bool per_device = failure.unit == RateUnit::device;
    if (failure.unit_rate <= 0 || (failure.unit != RateUnit::node && !per_device)) continue;
    const std::int64_t devices = per_device ? model.devices_per_node : 1;
    if (failure.shape == 1) {
      together.classes.push_back(i);
      together.rates.push_back(failure.unit_rate * static_cast<double>(devices));
      rate += together.rates.back();
      continue;
    }
    const Clock single{weibull_of_mean(1 / failure.unit_rate, failure.shape), {i}, {}};
    node_clocks_.insert(node_clocks_.end(), static_cast<std::size_t>(devices), single);
  }
  if (together.classes.empty()) return;
  together.life = weibull_of_mean(1 / rate, 1);
  node_clocks_.insert(node_clocks_.begin(), together);
}

void FailureClocks::make_extras(const EventModel& model) {
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    const SimulatedClass& failure = model.classes[i];
    if (failure.unit_rate <= 0) continue;
    std::int64_t domains = 0;
    if (failure.unit == RateUnit::domain) {
      domains = (static_cast<std::int64_t>(nodes_) + failure.domain_nodes - 1) / failure.domain_nodes;
    }
    for (std::int64_t domain = 0; domain < domains; ++domain) extras_.push_back({i, domain});
    if (failure.unit == RateUnit::job) extras_.push_back({i, -1});
    extra_lives_.resize(extras_.size(), weibull_of_mean(1 / failure.unit_rate, failure.shape));
  }
}

void FailureClocks::choose_lemons(const EventModel& model) {
  // Exactly their share, each set of nodes as likely as any other (selection sampling, Knuth 3.4.2 S).
  auto left = static_cast<std::size_t>(std::llround(model.lemon_share * static_cast<double>(nodes_)));
  for (std::size_t node = 0; node < nodes_ && left > 0; ++node) {
    const double uniform = random_.uniform(node, kLemonDraw, 0);
    if (uniform * static_cast<double>(nodes_ - node) >= static_cast<double>(left)) continue;
    lemons_[node] = 1;
    --left;
  }
}

std::size_t FailureClocks::place(std::size_t unit, std::size_t clock) const {
  return unit < nodes_ ? unit * node_clocks_.size() + clock : nodes_ * node_clocks_.size() + unit - nodes_;
}

const Weibull& FailureClocks::life_of(std::size_t unit, std::size_t clock) const {
  return unit < nodes_ ? node_clocks_[clock].life : extra_lives_[unit - nodes_];
}

double FailureClocks::draw(std::size_t unit, std::size_t clock, const Weibull& life) {
  const std::uint32_t n = draws_[place(unit, clock)]++;
  const double time = sample(life, random_.uniform(unit, static_cast<std::uint32_t>(clock), n));
  return unit < nodes_ && lemons_[unit] ? time / lemon_factor_ : time;
}

void FailureClocks::begin_lives() {
  const std::size_t places = nodes_ * node_clocks_.size() + extras_.size();
  deaths_.assign(places, kNever);
  draws_.assign(places, 0);
  for (std::size_t unit = 0; unit < units(); ++unit) {
    for (std::size_t clock = 0; clock < clocks_of(unit); ++clock) {
      // A fleet that is not new has renewed its units all along; an exponential life does not know its age.
      const Weibull& life = life_of(unit, clock);
      double death = draw(unit, clock, life);
      if (life.shape == 1) death += fleet_age_;
      while (death <= fleet_age_) death += draw(unit, clock, life);
      deaths_[place(unit, clock)] = unit < nodes_ ? death : death - fleet_age_;
    }
  }
}

double FailureClocks::next_age(std::size_t unit) const {
  double next = unit < nodes_ ? recurs_at_[unit] : kNever;
  for (std::size_t clock = 0; clock < clocks_of(unit); ++clock) next = std::min(next, deaths_[place(unit, clock)]);
  return next;
}

std::size_t FailureClocks::strike(std::size_t unit) {
  const double age = next_age(unit);
  if (unit < nodes_ && recurs_at_[unit] == age) {
    recurs_at_[unit] = kNever;
    return recurs_as_[unit];
  }
  std::size_t clock = 0;
  while (deaths_[place(unit, clock)] != age) ++clock;
  const std::uint32_t n = draws_[place(unit, clock)];
  deaths_[place(unit, clock)] = age + draw(unit, clock, life_of(unit, clock));
  if (unit >= nodes_) return extra(unit).failure;
  const Clock& struck = node_clocks_[clock];
  if (struck.classes.size() == 1) return struck.classes.front();
  double rest = random_.uniform(unit, kClassDraw, n) / struck.life.scale;  // the scale is one over the summed rate
  std::size_t i = 0;
  for (; i + 1 < struck.classes.size() && rest >= struck.rates[i]; ++i) rest -= struck.rates[i];
  return struck.classes[i];
}

void FailureClocks::cure(std::size_t node, double age) {
  if (!lemons_[node]) return;
  lemons_[node] = 0;
  for (std::size_t clock = 0; clock < node_clocks_.size(); ++clock) {
    double& death = deaths_[place(node, clock)];
    death = age + (death - age) * lemon_factor_;
  }
}

void FailureClocks::recur(std::size_t node, std::size_t failure, double age) {
  recurs_at_[node] = std::min(recurs_at_[node], age);
  recurs_as_[node] = failure;
}

}  // namespace nameplate
