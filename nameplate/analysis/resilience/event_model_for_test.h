// Models in three lines, for tests of the simulation.
#pragma once

#include <gtest/gtest.h>

#include "nameplate/analysis/resilience/event_model.h"

namespace nameplate {

// One class counted per job: mean time between failures, restart; one level that blocks and is usable at once.
inline SimulationInput single_job(double mttf_s, double restart_s, double block_s, double every_s) {
  SimulationInput input;
  FailureClass failure;
  failure.name = "any";
  failure.rate.rate = PerSecond::from_base(1 / mttf_s);
  failure.rate.unit = RateUnit::job;
  failure.restart.at_one_node = seconds(restart_s);
  input.failures.classes = {failure};
  CheckpointLevel level;
  level.name = "store";
  level.block = level.total = seconds(block_s);
  level.every = seconds(every_s);
  input.failures.checkpoints = {level};
  input.length = seconds(mttf_s * 1000);
  return input;
}

inline EventModel compiled(const SimulationInput& input) {
  Result<EventModel> model = compile(input);
  EXPECT_TRUE(model.ok());
  return *model;
}

}  // namespace nameplate
