#include "nameplate/analysis/attribution/uncounted.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {
namespace {

// Four products of unknown FLOPs, longer ones first: a convolution without its stride, an operator without a formula,
// one without shapes, and a kernel without a launch.
TEST(Uncounted, EachHasItsReason) {
  TimelineForTest made;
  made.step(0, 100'000);
  made.event({"early_gemm", DeviceEventClass::matmul, 0, 1'000});
  made.span(
      {"aten::conv2d", HostSpanClass::operation, 10'000, 5'000, 1, Operands{{{8, 3, 9, 9}, {4, 3, 3, 3}}, {}, {}}});
  made.launch(11'000, {"scudnn", DeviceEventClass::convolution, 12'000, 4'000});
  made.span({"mine::product", HostSpanClass::operation, 20'000, 5'000, 1, Operands{{{8, 8}}, {}, {}}});
  made.launch(21'000, {"gemm", DeviceEventClass::matmul, 22'000, 3'000});
  made.span({"aten::mm", HostSpanClass::operation, 30'000, 5'000});
  made.launch(31'000, {"gemm", DeviceEventClass::matmul, 32'000, 2'000});
  const Timeline t = made.build();
  const std::vector<UncountedTotal> found = attribute(t, t.ranks[0], group_roles(t)).uncounted;
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].name, "aten::conv2d");
  EXPECT_EQ(found[0].reason, UncountedReason::arguments_missing);
  EXPECT_DOUBLE_EQ(found[0].ns, 4'000);
  EXPECT_EQ(found[1].name, "mine::product");
  EXPECT_EQ(found[1].reason, UncountedReason::no_formula);
  EXPECT_EQ(found[2].name, "aten::mm");
  EXPECT_EQ(found[2].reason, UncountedReason::no_shapes);
  EXPECT_EQ(found[3].name, "early_gemm");
  EXPECT_EQ(found[3].reason, UncountedReason::no_launch);
}

}  // namespace
}  // namespace nameplate
