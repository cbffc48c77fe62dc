#include "nameplate/analysis/attribution/host_device.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/host_tree.h"
#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {
namespace {

// A linear layer of 100 us around a product of 80, a loader with an operator of its own, an update in an optimizer.
TimelineForTest training_step() {
  TimelineForTest made;
  made.span({"get_batch", HostSpanClass::data_wait, 0, 30'000});
  made.span({"aten::stack", HostSpanClass::operation, 10'000, 10'000});
  // [100, 200] x [200, 300]: 12 MFLOP.
  made.span({"aten::linear", HostSpanClass::operation, 30'000, 100'000, 1, Operands{{{100, 200}, {300, 200}}, {}, {}}});
  made.span({"aten::t", HostSpanClass::operation, 35'000, 5'000});
  made.span({"aten::addmm", HostSpanClass::operation, 45'000, 80'000});
  made.span({"Optimizer.step#AdamW.step", HostSpanClass::annotation, 140'000, 50'000});
  made.span({"aten::add_", HostSpanClass::operation, 150'000, 30'000});
  made.step(0, 200'000);
  return made;
}

TEST(HostDevice, OperatorsOwnTimeIsTheDevices) {
  const Timeline t = training_step().build();
  const RankTimeline& rank = t.ranks[0];
  const DeviceEvents device = host_as_device(t, rank, enclosing_spans(rank.host));
  struct Expected {
    const char* name;
    std::int64_t begin_ns, duration_ns;
    DeviceEventClass event_class;
  };
  const Expected expected[] = {{"aten::linear", 30'000, 5'000, DeviceEventClass::matmul},
                               {"aten::t", 35'000, 5'000, DeviceEventClass::memory_bound},
                               {"aten::linear", 40'000, 5'000, DeviceEventClass::matmul},
                               {"aten::addmm", 45'000, 80'000, DeviceEventClass::matmul},
                               {"aten::linear", 125'000, 5'000, DeviceEventClass::matmul},
                               {"aten::add_", 150'000, 30'000, DeviceEventClass::optimizer}};
  ASSERT_EQ(device.begin_ns.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(t.names[static_cast<std::size_t>(device.name_id[i])], expected[i].name);
    EXPECT_EQ(device.begin_ns[i], expected[i].begin_ns);
    EXPECT_EQ(device.duration_ns[i], expected[i].duration_ns);
    EXPECT_EQ(device.event_class[i], expected[i].event_class);
  }
}

TEST(HostDevice, ACpuGetsAWholeLedger) {
  const Timeline t = training_step().build();
  Accelerator cpu;
  cpu.kind = DeviceKind::cpu;
  const RankAttribution r = attribute(t, t.ranks[0], group_roles(t),
                                      {.accelerator = &cpu, .peak = tflops_per_s(0.2), .model_flops_per_step = {}});
  EXPECT_TRUE(r.host_is_device);
  EXPECT_FALSE(r.host_only);
  // 12 MFLOP at 200 GFLOP/s are 60 us of the 95 us of matrix work; 30 us each of loader and update; 10 + 10 + 20 us of
  // gaps before, inside and after the optimizer's step, of which the last has no end.
  EXPECT_NEAR(*r.ledger.value(LedgerRow::model_compute), 60e-6, 1e-12);
  EXPECT_NEAR(*r.ledger.value(LedgerRow::kernel_matmul), 35e-6, 1e-12);
  EXPECT_NEAR(*r.ledger.value(LedgerRow::kernel_memory_bound), 35e-6, 1e-12);
  EXPECT_NEAR(*r.ledger.value(LedgerRow::data_wait), 30e-6, 1e-12);
  EXPECT_NEAR(*r.ledger.value(LedgerRow::host_bound), 20e-6, 1e-12);
  EXPECT_NEAR(*r.ledger.value(LedgerRow::unattributed), 20e-6, 1e-12);
  EXPECT_NEAR(*r.mfu, 0.3, 1e-9);
}

}  // namespace
}  // namespace nameplate
