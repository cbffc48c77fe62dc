// When the units of a fleet fail next: nodes with their devices, domains counted as such, and the job.
//
// All exponential classes of a node share one clock of their summed rate, and the class is drawn when it strikes; every
// Weibull class has its own, one for each device where it is counted per device. A clock runs in its unit's operating
// age, so standing by or under repair costs nothing here. The n-th life of a clock depends on (seed, replication, unit,
// clock, n) alone: two models keep the same lives wherever they agree.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/resilience/event_model.h"

namespace nameplate {

// Random numbers of one replication by the unit they belong to.
class UnitRandom {
 public:
  UnitRandom(std::uint64_t seed, std::uint32_t number) : seed_(seed), number_(number) {}
  // The n-th number of a unit for one purpose, below 2^24 purposes.
  double uniform(std::size_t unit, std::uint32_t purpose, std::uint32_t n) const;

 private:
  std::uint64_t seed_;
  std::uint64_t number_;
};

class FailureClocks {
 public:
  // A unit that is not a node: a domain of a class, or the job.
  struct Extra {
    std::size_t failure = 0;
    std::int64_t domain = -1;  // index among the class's domains; -1: the job
  };

  FailureClocks(const EventModel& model, std::size_t nodes, const UnitRandom& random);

  std::size_t units() const { return nodes_ + extras_.size(); }
  std::size_t nodes() const { return nodes_; }
  const Extra& extra(std::size_t unit) const { return extras_[unit - nodes_]; }
  double age(std::size_t unit) const { return unit < nodes_ ? fleet_age_ : 0; }  // at the start
  double next_age(std::size_t unit) const;                                       // operating age at its next failure
  bool lemon(std::size_t node) const { return lemons_[node] != 0; }

  std::size_t strike(std::size_t unit);     // at its next age: the class; the clock that struck begins a new life
  void cure(std::size_t node, double age);  // a lemon's defect is repaired
  void recur(std::size_t node, std::size_t failure, double age);

 private:
  struct Clock {
    Weibull life;
    std::vector<std::size_t> classes;
    std::vector<double> rates;
  };

  void make_node_clocks(const EventModel& model);
  void make_extras(const EventModel& model);
  void choose_lemons(const EventModel& model);
  void begin_lives();
  double draw(std::size_t unit, std::size_t clock, const Weibull& life);
  const Weibull& life_of(std::size_t unit, std::size_t clock) const;
  std::size_t place(std::size_t unit, std::size_t clock) const;
  std::size_t clocks_of(std::size_t unit) const { return unit < nodes_ ? node_clocks_.size() : 1; }

  UnitRandom random_;
  std::size_t nodes_;
  double fleet_age_;
  double lemon_factor_;
  std::vector<Clock> node_clocks_;
  std::vector<Extra> extras_;
  std::vector<Weibull> extra_lives_;
  std::vector<double> deaths_;        // by unit, then clock: operating age
  std::vector<std::uint32_t> draws_;  // likewise
  std::vector<std::uint8_t> lemons_;  // by node
  std::vector<double> recurs_at_;     // by node: operating age
  std::vector<std::size_t> recurs_as_;
};

}  // namespace nameplate
