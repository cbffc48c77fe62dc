#include "nameplate/analysis/resilience/event_run.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/resilience/event_fleet.h"
#include "nameplate/analysis/resilience/event_model_for_test.h"

namespace nameplate {
namespace {

Event failure(double at, EventScope scope, const std::string& subject) {
  Event event;
  event.event_class = EventClass::failure;
  event.scope = scope;
  event.subject = subject;
  event.begin_s = at;
  return event;
}

TEST(EventRun, ARecordBecomesFailures) {
  SimulationInput input = single_job(1000, 10, 1, 100);
  FailureClass node = input.failures.classes.front();
  node.rate.unit = RateUnit::node;
  input.failures.classes.push_back(node);
  const EventModel model = compiled(input);
  Event save = failure(150, EventScope::job, "");
  save.event_class = EventClass::checkpoint_save;
  Event timeless = failure(0, EventScope::job, "");
  timeless.begin_s = {};
  const std::vector<Event> events = {failure(300, EventScope::node, "node7"),
                                     failure(200, EventScope::job, ""),
                                     save,
                                     timeless,
                                     failure(400, EventScope::node, "node3"),
                                     failure(500, EventScope::node, "node7"),
                                     failure(600, EventScope::rank, "rank 5"),
                                     failure(50, EventScope::job, "")};
  const RecordedRun run = recorded_failures(events, 100, model);
  const std::vector<RecordedFailure> expected = {{100, 0, {}}, {200, 1, 0}, {300, 1, 1}, {400, 1, 0}, {500, 1, {}}};
  EXPECT_EQ(run.failures, expected);
  EXPECT_EQ(run.left_out, 2);
}

TEST(EventRun, TakesTheWayThatTheModelCallsFor) {
  SimulationInput input = single_job(1000, 10, 1, 100);
  const EventModel poisson = compiled(input);
  EXPECT_EQ(simulate(poisson, 1, 0), simulate_job(poisson, 1, 0));
  input.failures.classes.front().rate.unit = RateUnit::node;
  input.failures.classes.front().shape = 0.7;
  const EventModel young = compiled(input);
  EXPECT_EQ(simulate(young, 1, 0), simulate_fleet(young, 1, 0));
}

}  // namespace
}  // namespace nameplate
