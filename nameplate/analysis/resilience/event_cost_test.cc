#include "nameplate/analysis/resilience/event_cost.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/resilience/event_fleet.h"
#include "nameplate/analysis/resilience/event_model_for_test.h"

namespace nameplate {
namespace {

SimulationInput fleet(double shape, double age_lives) {
  SimulationInput input = single_job(1000, 0, 0, 0);
  input.failures.classes.front().rate.unit = RateUnit::node;
  input.failures.classes.front().shape = shape;
  input.failures.repair = {RepairStage{"shop", seconds(1), 1, 0, 0}};
  input.failures.fleet_age = seconds(1000 * age_lives);
  input.nodes = 100;
  input.length = seconds(1000 * 50);
  return input;
}

// By hand: 100 nodes over 50 mean lives have 5,000 failures, 500 for the run itself; an exponential's age costs
// nothing.
TEST(EventCost, ByHand) {
  EXPECT_NEAR(expected_events(compiled(fleet(1, 0))), 5600, 1);
  EXPECT_NEAR(expected_events(compiled(fleet(1, 1e9))), 5600, 1);
  // E[min(X, t)] of shape 0.5 and mean m is m P(2, x), x = sqrt(2 t / m) = 10: 1 - 11 e^-10 = 0.99950.
  EXPECT_NEAR(expected_events(compiled(fleet(0.5, 0))), 600 + 5000 / 0.9995006, 1);
}

// Lorden's bounds, around what a run counts: early failures are in them.
TEST(EventCost, HoldsWithinAFactorOfTwo) {
  for (const double shape : {0.2, 0.5, 2.0}) {
    const EventModel model = compiled(fleet(shape, 0));
    const auto counted = static_cast<double>(failures(simulate_fleet(model, 1, 0)));
    const double expected = expected_events(model) - 600;
    EXPECT_GT(counted, expected / 2 - 100) << shape;
    EXPECT_LT(counted, expected * 2) << shape;
  }
}

}  // namespace
}  // namespace nameplate
