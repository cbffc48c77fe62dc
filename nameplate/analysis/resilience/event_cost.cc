#include "nameplate/analysis/resilience/event_cost.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "nameplate/analysis/resilience/event_sampling.h"

namespace nameplate {
namespace {

constexpr double kOfJobAlone = 0.2;
constexpr double kOfReplication = 500;  // the least that one is worth: its place in memory

double span_of(const EventModel& model) {
  return model.end == SimulationEnd::wall ? model.length : std::min(model.give_up, model.length);
}

// Lives that one clock of this mean and shape handles; the exponential ones of a node share one, which is counted once.
double lives(double mean, const SimulatedClass& failure, const EventModel& model) {
  const double span = span_of(model);
  if (failure.shape == 1) return span / mean;
  const double time = span + model.fleet_age;
  const double scale = weibull_of_mean(mean, failure.shape).scale;
  return time / (mean * boost::math::gamma_p(1 / failure.shape, std::pow(time / scale, failure.shape)));
}

double clocks_of(const SimulatedClass& failure, const EventModel& model, double nodes) {
  switch (failure.unit) {
    case RateUnit::device:
      return nodes * static_cast<double>(model.devices_per_node);
    case RateUnit::node:
      return nodes;
    case RateUnit::domain:
      return nodes / static_cast<double>(failure.domain_nodes);
    case RateUnit::job:
      return 1;
  }
  return 0;
}

double events_of(const SimulatedClass& failure, const EventModel& model, double nodes) {
  if (failure.unit_rate <= 0) return 0;
  const double lemons = failure.unit == RateUnit::job ? 1 : 1 + model.lemon_share * (model.lemon_factor - 1);
  const double mean = 1 / (failure.unit_rate * lemons), span = span_of(model);
  const double most_returns = 1 + span / std::max(1.0, model.recurs_after);
  const double returns = failure.recurs < 1 ? std::min(1 / (1 - failure.recurs), most_returns) : most_returns;
  // Of a domain every node goes down.
  const double each = failure.domain_share > 0 ? static_cast<double>(failure.domain_nodes) : 1;
  return clocks_of(failure, model, nodes) * lives(mean, failure, model) * returns * each;
}

}  // namespace

double expected_events(const EventModel& model) {
  double events = kOfReplication;
  if (is_memoryless(model)) {
    for (const SimulatedClass& failure : model.classes) events += kOfJobAlone * failure.job_rate * span_of(model);
    return events;
  }
  auto nodes = static_cast<double>(model.nodes);
  for (const SparePool& pool : model.spares) nodes += static_cast<double>(pool.nodes);
  events += nodes;
  for (const SimulatedClass& failure : model.classes) events += events_of(failure, model, nodes);
  return events;
}

}  // namespace nameplate
