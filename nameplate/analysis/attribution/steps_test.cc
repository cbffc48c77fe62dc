#include "nameplate/analysis/attribution/steps.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {
namespace {

Steps steps_of(const TimelineForTest& made) {
  const Timeline t = made.build();
  return find_steps(t, t.ranks[0]);
}

TEST(Steps, TheProfilersMarksComeFirst) {
  const Steps s = steps_of(TimelineForTest()
                               .step(100, 50)
                               .step(0, 90)
                               .span({"train_step 1", HostSpanClass::annotation, 0, 10})
                               .span({"train_step 2", HostSpanClass::annotation, 20, 10}));
  EXPECT_EQ(s.source, StepSource::profiler);
  EXPECT_EQ(s.whole, (Stretch{0, 150}));
  EXPECT_EQ(s.steps.front().begin_ns, 0);
}

TEST(Steps, ThenAnnotations) {
  const Steps s = steps_of(TimelineForTest()
                               .span({"train_step 1", HostSpanClass::annotation, 0, 10})
                               .span({"train_step 2", HostSpanClass::annotation, 20, 10})
                               .span({"Optimizer.step#Adam.step", HostSpanClass::annotation, 5, 2})
                               .span({"Optimizer.step#Adam.step", HostSpanClass::annotation, 25, 2}));
  EXPECT_EQ(s.source, StepSource::annotation);
  EXPECT_EQ(s.steps.size(), 2u);
  EXPECT_EQ(s.whole, (Stretch{0, 30}));
}

TEST(Steps, ThenFromOptimizerToOptimizer) {
  TimelineForTest made;
  for (std::int64_t i = 0; i < 4; ++i)
    made.span({"Optimizer.step#Adam.step", HostSpanClass::annotation, 90 + 100 * i, 10});
  const Steps s = steps_of(made);
  EXPECT_EQ(s.source, StepSource::optimizer);
  ASSERT_EQ(s.steps.size(), 3u);
  EXPECT_EQ(s.whole, (Stretch{100, 400}));
  EXPECT_EQ(s.steps[1].duration_ns, 100);
}

TEST(Steps, ThenKernelsThatRepeat) {
  TimelineForTest made;
  made.event({"once", DeviceEventClass::memory_bound, 0, 5});
  for (std::int64_t i = 0; i < 9; ++i)
    made.event({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", DeviceEventClass::matmul, 10 + 10 * i, 5});
  const Steps s = steps_of(made);
  EXPECT_EQ(s.source, StepSource::kernels);
  ASSERT_EQ(s.steps.size(), 3u);
  EXPECT_EQ(s.whole, (Stretch{10, 95}));
}

TEST(Steps, ElseOneWindow) {
  const Steps s = steps_of(
      TimelineForTest().event({"a", DeviceEventClass::matmul, 10, 5}).event({"b", DeviceEventClass::matmul, 20, 5}));
  EXPECT_EQ(s.source, StepSource::none);
  EXPECT_EQ(s.whole, (Stretch{10, 25}));
  EXPECT_TRUE(s.steps.empty());
}

TEST(Steps, StepsThatCompileAreWarmUp) {
  const Steps s = steps_of(TimelineForTest()
                               .step(0, 1000)
                               .step(1000, 100)
                               .step(1100, 100)
                               .span({"compile", HostSpanClass::compile, 100, 500})
                               .span({"compile", HostSpanClass::compile, 1120, 50}));
  EXPECT_EQ(s.warm_up, 1u);
  EXPECT_EQ(s.steady, (Stretch{1000, 1200}));
  EXPECT_EQ(s.whole, (Stretch{0, 1200}));
}

}  // namespace
}  // namespace nameplate
