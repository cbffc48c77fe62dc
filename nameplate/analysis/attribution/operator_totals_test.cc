#include "nameplate/analysis/attribution/operator_totals.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/merge_ranks.h"
#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {
namespace {

// A product in the forward pass, the same in a node of autograd, an update in the optimizer's step; the device is done
// with each before the next.
Timeline timeline() {
  TimelineForTest made;
  // [256, 512] x [512, 128] in bf16: 2 x 256 x 512 x 128 = 33,554,432 FLOP; 256 x 512 + 512 x 128 + 256 x 128 elements
  // of two bytes are 458,752 bytes.
  const Operands product{{{256, 512}, {512, 128}}, {"c10::BFloat16", "c10::BFloat16"}, {}};
  made.span({"aten::mm", HostSpanClass::operation, 0, 10'000, 1, product});
  made.launch(1'000, {"gemm", DeviceEventClass::matmul, 5'000, 20'000});
  made.span({"autograd::engine::evaluate_function: MmBackward0", HostSpanClass::operation, 30'000, 20'000});
  made.span({"aten::mm", HostSpanClass::operation, 31'000, 10'000, 1, product});
  made.launch(32'000, {"gemm", DeviceEventClass::matmul, 40'000, 30'000});
  made.span({"Optimizer.step#SGD.step", HostSpanClass::annotation, 60'000, 20'000});
  made.span({"aten::add_", HostSpanClass::operation, 61'000, 5'000});
  made.launch(62'000, {"add", DeviceEventClass::memory_bound, 75'000, 10'000});
  made.step(0, 100'000);
  return made.build();
}

TEST(OperatorTotals, KernelsGoToTheOperatorThatLaunchedThem) {
  const Timeline t = timeline();
  const std::vector<OperatorTotal> operators = merge_operators({attribute(t, t.ranks[0], group_roles(t))});
  ASSERT_EQ(operators.size(), 2u);
  EXPECT_EQ(operators[0].name, "aten::mm");
  EXPECT_EQ(operators[0].shapes, "[256, 512] [512, 128]");
  EXPECT_EQ(operators[0].calls, 2);
  EXPECT_EQ(operators[0].device_ns, 50'000);
  EXPECT_DOUBLE_EQ(operators[0].flops, 2 * 33'554'432.0);
  EXPECT_DOUBLE_EQ(*operators[0].bytes, 2 * 458'752.0);
  EXPECT_EQ(operators[1].name, "aten::add_");
  EXPECT_FALSE(operators[1].bytes);
}

// The same kernel once with a launch and once without: rates go over the time of the one whose FLOPs are known.
TEST(OperatorTotals, TimeOfUnknownFlopsIsApart) {
  TimelineForTest made;
  const Operands product{{{256, 512}, {512, 128}}, {"c10::BFloat16", "c10::BFloat16"}, {}};
  made.event({"gemm", DeviceEventClass::matmul, 1'000, 5'000});
  made.span({"aten::mm", HostSpanClass::operation, 7'000, 10'000, 1, product});
  made.launch(8'000, {"gemm", DeviceEventClass::matmul, 10'000, 20'000});
  made.step(0, 100'000);
  const Timeline t = made.build();
  const RankAttribution a = attribute(t, t.ranks[0], group_roles(t));
  ASSERT_EQ(a.kernels.size(), 1u);
  EXPECT_EQ(a.kernels[0].time_ns, 25'000);
  EXPECT_EQ(a.kernels[0].unknown_ns, 5'000);
  EXPECT_DOUBLE_EQ(a.kernels[0].flops, 33'554'432);
  ASSERT_EQ(a.operators.size(), 1u);
  EXPECT_EQ(a.operators[0].unknown_ns, 0);
}

TEST(OperatorTotals, PhasesGoByWhatIsAroundTheLaunch) {
  const Timeline t = timeline();
  const std::vector<PhaseTotal> phases = attribute(t, t.ranks[0], group_roles(t)).phases;
  ASSERT_EQ(phases.size(), kPhases);
  EXPECT_DOUBLE_EQ(phases[static_cast<std::size_t>(Phase::forward)].kernel_ns, 20'000);
  EXPECT_DOUBLE_EQ(phases[static_cast<std::size_t>(Phase::forward)].flops, 33'554'432);
  EXPECT_DOUBLE_EQ(phases[static_cast<std::size_t>(Phase::backward)].kernel_ns, 30'000);
  EXPECT_DOUBLE_EQ(phases[static_cast<std::size_t>(Phase::backward)].flops, 33'554'432);
  EXPECT_DOUBLE_EQ(phases[static_cast<std::size_t>(Phase::optimizer)].kernel_ns, 10'000);
}

TEST(OperatorTotals, FragmentationIsWhatWasReservedAndNotAllocated) {
  MemoryEvents memory{{1, 2, 3, 4}, {10, 20, -5, 1}, {10, 30, 24, 25}, {40, 40, 60, 60}};
  const MemoryUse use = memory_use(memory, {}, {});
  EXPECT_EQ(use.most_allocated, 30);
  EXPECT_EQ(use.most_reserved, 60);
  EXPECT_EQ(use.allocated_then, 25);
  ASSERT_EQ(use.points.size(), 4u);
  EXPECT_EQ(use.points[1].allocated, 30);
}

}  // namespace
}  // namespace nameplate
