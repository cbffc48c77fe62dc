#include "nameplate/inputs/trace_cut.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

void add(EventColumns& columns, EventKind kind, std::int64_t begin_ns, std::int64_t duration_ns) {
  columns.begin_ns.push_back(begin_ns);
  columns.duration_ns.push_back(duration_ns);
  columns.name.push_back(0);
  columns.correlation.push_back(-1);
  columns.kind.push_back(kind);
}

void add_host(TraceEvents& events, EventKind kind, std::int64_t begin_ns, std::int64_t duration_ns) {
  add(events.host, kind, begin_ns, duration_ns);
  events.host.thread.push_back(0);
  events.host.operands.push_back(-1);
}

void add_kernel(TraceEvents& events, std::int64_t begin_ns, std::int64_t duration_ns) {
  add(events.device, EventKind::kernel, begin_ns, duration_ns);
  events.device.device.push_back(0);
  events.device.stream.push_back(7);
  events.device.bytes.push_back(-1);
  events.device.collective.push_back(-1);
}

// Operators to 1,000 ns, a step of 500 ns and one of 400; kernels end at 650.
TEST(TraceCut, EndsWhereTheDeviceEnds) {
  TraceEvents events;
  for (const std::int64_t begin : {0, 300, 600, 900}) add_host(events, EventKind::operation, begin, 100);
  add_host(events, EventKind::annotation, 0, 500);
  add_host(events, EventKind::annotation, 500, 400);
  add_host(events, EventKind::runtime, 600, 10);
  events.host.collective_of = {{3, 5}, {6, 7}};
  add_kernel(events, 20, 100);
  add_kernel(events, 620, 30);
  Defects defects;
  keep_recorded_part(events, "a.json", defects);
  EXPECT_EQ(events.host.begin_ns, (std::vector<std::int64_t>{0, 300, 0, 600}));
  EXPECT_EQ(events.device.begin_ns, (std::vector<std::int64_t>{20, 620}));
  // The call is the fourth span now; the operator of the other record is gone.
  EXPECT_EQ(events.host.collective_of, (std::vector<std::pair<std::int64_t, std::int32_t>>{{3, 7}}));
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_EQ(defects[0].message.id, "trace.window_cut");
  EXPECT_EQ(defects[0].severity, Severity::data_loss);
}

TEST(TraceCut, WithoutTheDeviceNothingIsKnownOfIt) {
  TraceEvents events;
  add_host(events, EventKind::operation, 0, 100);
  Defects defects;
  keep_recorded_part(events, "a.json", defects);
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_EQ(defects[0].message.id, "trace.device_lost");
}

}  // namespace
}  // namespace nameplate
