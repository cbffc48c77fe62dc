#include "nameplate/analysis/steptime/step_schedule.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

// Four stages alike, a second each for one micro-batch, a third of it forward; eight micro-batches.
StepSeconds four_stages(const CompiledStep& work) {
  StepSeconds t;
  for (int i = 0; i < 4; ++i) {
    StagePass s;
    s.forward.matmul = seconds(1.0 / 3);
    s.backward.matmul = seconds(2.0 / 3);
    s.micro_batch = seconds(1);
    t.stages.push_back(s);
  }
  t.pipeline = seconds(work.micro_batches + 3);
  t.straggler = (t.pipeline + seconds(1)) * 0.1;  // a second of update
  t.total = t.pipeline + seconds(1) + t.straggler;
  return t;
}

StepSeconds scheduled(PipelineSchedule schedule, std::int64_t virtual_pp) {
  StepSetup setup;
  setup.plan.pp = 4;
  setup.plan.virtual_pp = virtual_pp;
  setup.plan.schedule = schedule;
  CompiledStep work;
  work.micro_batches = 8;
  StepSeconds t = four_stages(work);
  const PipelineInput input = step_pipeline(setup, work, t);
  EXPECT_FALSE(check(input));
  use_schedule(run_pipeline(input), t);
  return t;
}

// The closed form that calibration uses, where it is exact: m + (p - 1) / v seconds, a third of the bubble for ZB-H1.
TEST(StepSchedule, EvenStagesGiveTheClosedForm) {
  EXPECT_NEAR(scheduled(PipelineSchedule::one_f_one_b, 1).pipeline.base(), 8 + 3, 1e-9);
  EXPECT_NEAR(scheduled(PipelineSchedule::interleaved, 2).pipeline.base(), 8 + 1.5, 1e-9);
  EXPECT_NEAR(scheduled(PipelineSchedule::zero_bubble, 1).pipeline.base(), 8 + 1, 1e-9);
}

TEST(StepSchedule, WhatFollowsThePipelineFollowsTheSchedule) {
  const StepSeconds t = scheduled(PipelineSchedule::interleaved, 2);
  EXPECT_NEAR(t.bubble.base(), 1.5, 1e-9);
  EXPECT_NEAR(t.straggler.base(), 0.1 * (9.5 + 1), 1e-9);
  EXPECT_NEAR(t.total.base(), 1.1 * (9.5 + 1), 1e-9);
}

}  // namespace
}  // namespace nameplate
