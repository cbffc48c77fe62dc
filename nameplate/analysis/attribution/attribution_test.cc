#include "nameplate/analysis/attribution/attribution.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/kernel_work.h"
#include "nameplate/analysis/attribution/sweep.h"
#include "nameplate/analysis/attribution/timeline_for_test.h"

namespace nameplate {
namespace {

using enum DeviceEventClass;

// 2 x 1000 x 1000 x 500 = 1e9 FLOPs: 1 us at 1 PFLOP/s.
const Operands kGigaflop = {{{1000, 1000}, {1000, 500}}, {"c10::BFloat16", "c10::BFloat16"}, {}};
const AttributionOptions kPetaflop = {.peak = tflops_per_s(1000)};

RankAttribution attribute_one(const Timeline& t, const AttributionOptions& options = kPetaflop) {
  return attribute(t, t.ranks[0], group_roles(t), options);
}

// Nanoseconds of a row; -1 when it is absent.
double ns(const RankAttribution& a, LedgerRow row) {
  const auto value = a.ledger.value(row);
  return value ? *value * 1e9 : -1;
}

void expect_closes(const RankAttribution& a) {
  double sum = 0;
  for (std::size_t row = 0; row < kLedgerRows; ++row) sum += a.ledger.value(static_cast<LedgerRow>(row)).value_or(0);
  EXPECT_NEAR(sum, a.ledger.total(), 1e-9 * a.ledger.total());
}

TEST(Attribution, AnInstantIsComputeElseCommunicationElseCopyElseIdle) {
  const Timeline t = TimelineForTest()
                         .step(0, 100'000)
                         .event({"gemm", matmul, 0, 30'000})
                         .event({"nccl", collective, 20'000, 30'000, 8})
                         .event({"copy", copy, 40'000, 30'000, 9})
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_NEAR(ns(a, LedgerRow::kernel_matmul), 30'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::comm_other), 20'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::kernel_memory_bound), 20'000, 1e-3);  // copies within the device move memory
  EXPECT_NEAR(ns(a, LedgerRow::unattributed), 30'000, 1e-3);         // no host spans, no cause
  EXPECT_EQ(a.split.compute_ns, 30'000);
  EXPECT_EQ(a.split.communication_ns, 30'000);
  EXPECT_EQ(a.split.exposed_communication_ns, 20'000);
  EXPECT_EQ(a.split.copy_only_ns, 20'000);
  EXPECT_EQ(a.split.idle_ns, 30'000);
  expect_closes(a);
}

TEST(Attribution, ModelFlopsAtPeakAreModelComputeAndTheRestIsTheKernels) {
  const Timeline t = TimelineForTest()
                         .step(0, 20'000)
                         .span({"aten::linear", HostSpanClass::operation, 0, 5'000, 1, {}})
                         .span({"aten::mm", HostSpanClass::operation, 500, 4'000, 1, kGigaflop})
                         .launch(1'000, {"split_k", memory_bound, 10'000, 500})
                         .launch(2'500, {"gemm", matmul, 12'000, 4'000})
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_NEAR(ns(a, LedgerRow::model_compute), 1'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::kernel_matmul), 3'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::kernel_memory_bound), 500, 1e-3);
  EXPECT_NEAR(a.mfu.value(), 1'000.0 / 20'000, 1e-12);
  EXPECT_EQ(a.precision, Precision::bf16);
  EXPECT_EQ(a.faster_than_peak, 0);
  expect_closes(a);
}

TEST(Attribution, NoMfuWhileMoreThanATwentiethIsNotModelled) {
  TimelineForTest made;
  made.step(0, 100'000)
      .span({"aten::mm", HostSpanClass::operation, 0, 4'000, 1, kGigaflop})
      .launch(1'000, {"gemm", matmul, 10'000, 9'400})
      .event({"mystery", unclassified, 30'000, 600});
  const RankAttribution a = attribute_one(made.build());
  EXPECT_NEAR(a.unmodelled_ns / a.kernel_ns, 0.06, 1e-12);
  EXPECT_FALSE(a.mfu);
  EXPECT_NEAR(ns(a, LedgerRow::kernel_other), 600, 1e-3);
  // The architecture says what the shapes do not: 4e9 FLOPs a step are 4 us.
  AttributionOptions options = kPetaflop;
  options.model_flops_per_step = flops(4e9);
  const RankAttribution b = attribute_one(made.build(), options);
  EXPECT_NEAR(b.mfu.value(), 0.04, 1e-12);
  EXPECT_NEAR(ns(b, LedgerRow::model_compute), 4'000, 1e-3);
  EXPECT_NEAR(ns(b, LedgerRow::kernel_matmul), 5'400, 1e-3);
  expect_closes(b);
}

TEST(Attribution, FasterThanPeakMakesUnattributedNegative) {
  const Timeline t = TimelineForTest()
                         .step(0, 400)
                         .span({"aten::mm", HostSpanClass::operation, -3'000, 2'000, 1, kGigaflop})
                         .launch(-2'000, {"gemm", matmul, 0, 400})
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_EQ(a.faster_than_peak, 1);
  EXPECT_NEAR(ns(a, LedgerRow::model_compute), 1'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::kernel_matmul), 0, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::unattributed), -600, 1e-3);
  expect_closes(a);
}

TEST(Attribution, ConcurrentKernelsShareByFlopsElseEqually) {
  // Two products at once for 4 us, one of 1e9 FLOPs and one of 3e9: 1 us and 3 us.
  Operands triple = kGigaflop;
  triple.dims[0][0] = 3000;
  const Timeline known = TimelineForTest()
                             .step(0, 4'000)
                             .span({"aten::mm", HostSpanClass::operation, -20'000, 2'000, 1, kGigaflop})
                             .launch(-19'000, {"small", matmul, 0, 4'000, 1})
                             .span({"aten::mm", HostSpanClass::operation, -10'000, 2'000, 1, triple})
                             .launch(-9'000, {"large", matmul, 0, 4'000, 2})
                             .build();
  const RankAttribution a = attribute_one(known);
  ASSERT_EQ(a.kernels.size(), 2u);
  EXPECT_NEAR(a.kernels[0].exclusive_ns + a.kernels[1].exclusive_ns, 4'000, 1e-3);
  EXPECT_NEAR(std::min(a.kernels[0].exclusive_ns, a.kernels[1].exclusive_ns), 1'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::model_compute), 4'000, 1e-3);

  const Timeline unknown = TimelineForTest()
                               .step(0, 4'000)
                               .event({"a", matmul, 0, 4'000, 1})
                               .event({"b", memory_bound, 0, 4'000, 2})
                               .build();
  EXPECT_NEAR(ns(attribute_one(unknown), LedgerRow::kernel_matmul), 2'000, 1e-3);
}

TEST(Attribution, OverlapsWithinAStreamAreCountedAndBookedOnce) {
  const Timeline t = TimelineForTest()
                         .step(0, 10'000)
                         .event({"outer", memory_bound, 0, 10'000, 7})
                         .event({"nested", memory_bound, 2'000, 3'000, 7})
                         .event({"overflowing", memory_bound, 9'000, 3'000, 7})
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_EQ(a.overlaps, 2);
  EXPECT_NEAR(ns(a, LedgerRow::kernel_memory_bound), 10'000, 1e-3);
  expect_closes(a);
}

TEST(Attribution, CommunicationGoesByTheRoleOfItsGroup) {
  TestEvent tp{"nccl", collective, 10'000, 2'000};
  tp.group = 0;
  TestEvent dp{"nccl", collective, 20'000, 3'000};
  dp.group = 1;
  TestEvent pp{"nccl", collective, 30'000, 4'000};
  pp.kind = CollectiveKind::send;
  const Timeline t = TimelineForTest()
                         .step(0, 100'000)
                         .group({.id = "1", .description = "TENSOR_MODEL_PARALLEL_GROUP"})
                         .group({.id = "0", .description = "default_pg", .size = 8})
                         .event(tp)
                         .event(dp)
                         .event(pp)
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_NEAR(ns(a, LedgerRow::comm_tp), 2'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::comm_pp), 4'000, 1e-3);
  // The whole job's group beside a tensor-parallel one may carry anything.
  EXPECT_NEAR(ns(a, LedgerRow::comm_other), 3'000, 1e-3);
  EXPECT_EQ(group_roles(t)[0], (GroupUse{GroupRole::tp, RoleSource::description}));
  EXPECT_EQ(group_roles(t)[1], (GroupUse{GroupRole::other, RoleSource::none}));
}

TEST(Attribution, TheOnlyGroupThatSpansTheJobAndReducesIsDataParallel) {
  TestEvent e{"nccl", collective, 0, 2'000};
  e.group = 0;
  const Timeline t =
      TimelineForTest().step(0, 10'000).group({.id = "0", .description = "default_pg", .size = 8}).event(e).build();
  EXPECT_EQ(group_roles(t)[0], (GroupUse{GroupRole::dp, RoleSource::pattern}));
}

TEST(Attribution, DescriptionsNameTheirDimension) {
  const std::pair<const char*, GroupRole> cases[] = {
      {"mesh_tp", GroupRole::tp},
      {"EXPERT_MODEL_PARALLEL_GROUP", GroupRole::ep},
      {"EXPERT_DATA_PARALLEL_GROUP", GroupRole::dp},
      {"mesh_dp_shard", GroupRole::dp},
      {"PIPELINE_MODEL_PARALLEL_GROUP", GroupRole::pp},
      {"CONTEXT_PARALLEL_GROUP", GroupRole::cp},
      {"default_pg", GroupRole::other},
      {"", GroupRole::other},
  };
  for (const auto& [description, role] : cases) {
    Timeline t;
    t.groups = {{.id = "1", .description = description}};
    EXPECT_EQ(group_roles(t)[0].role, role) << description;
  }
}

// Two kernels with 100 us between them; `cause` says what the host did, and when the second was launched.
RankAttribution idle_between(const TestSpan& cause, std::int64_t second_launch) {
  return attribute_one(TimelineForTest()
                           .step(0, 120'000)
                           .span(cause)
                           .launch(-30'000, {"first", memory_bound, 0, 10'000})
                           .launch(second_launch, {"second", memory_bound, 110'000, 10'000})
                           .build());
}

TEST(Attribution, IdleIsClaimedByWhatTheHostDid) {
  using enum HostSpanClass;
  const std::tuple<TestSpan, LedgerRow> cases[] = {
      {{"save_checkpoint", checkpoint, 10'000, 60'000}, LedgerRow::checkpoint},
      {{"enumerate(DataLoader)", data_wait, 10'000, 60'000}, LedgerRow::data_wait},
      {{"cudaMalloc", allocator, 10'000, 60'000}, LedgerRow::memory_stall},
      {{"recv_forward", annotation, 10'000, 60'000}, LedgerRow::pipeline_bubble},
      {{"cudaStreamSynchronize", synchronise, 10'000, 60'000}, LedgerRow::sync},
  };
  for (const auto& [span, row] : cases) {
    const RankAttribution a = idle_between(span, 105'000);
    EXPECT_NEAR(ns(a, row), 60'000, 1e-3) << name(row);
    EXPECT_NEAR(ns(a, LedgerRow::host_bound), 40'000, 1e-3) << name(row);
    EXPECT_NEAR(ns(a, LedgerRow::unattributed), 0, 1e-3);
    expect_closes(a);
  }
}

TEST(Attribution, AThreadThatLaunchesNothingHoldsNobodyUp) {
  const RankAttribution a = idle_between({"save_checkpoint", HostSpanClass::checkpoint, 10'000, 60'000, 99}, 105'000);
  EXPECT_NEAR(ns(a, LedgerRow::checkpoint), 0, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::host_bound), 100'000, 1e-3);
}

TEST(Attribution, WorkThatIsQueuedWhileTheDeviceIdlesIsSync) {
  const RankAttribution a = idle_between({"aten::add", HostSpanClass::operation, 0, 1'000}, -20'000);
  EXPECT_NEAR(ns(a, LedgerRow::sync), 100'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::host_bound), 0, 1e-3);
}

TEST(Attribution, WorkLaunchedBeforeTheCaptureWasQueued) {
  // The driver's numbers grow: 1 was called before 5, the first call on record.
  const Timeline t = TimelineForTest()
                         .step(0, 20'000)
                         .event({"early", memory_bound, 10'000, 5'000, 7, 1})
                         .span({"cudaLaunchKernel", HostSpanClass::launch, 11'000, 1'000, 1, {}, 5})
                         .event({"late", memory_bound, 15'000, 5'000, 7, 5})
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_NEAR(ns(a, LedgerRow::sync), 10'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::unattributed), 0, 1e-3);
}

TEST(Attribution, AnEarlierCauseClaimsBeforeALaterOne) {
  // A loader that synchronises inside: the wait is for data.
  TimelineForTest made;
  made.step(0, 120'000)
      .span({"enumerate(DataLoader)", HostSpanClass::data_wait, 10'000, 60'000})
      .span({"cudaStreamSynchronize", HostSpanClass::synchronise, 20'000, 80'000})
      .launch(-30'000, {"first", memory_bound, 0, 10'000})
      .launch(105'000, {"second", memory_bound, 110'000, 10'000});
  const RankAttribution a = attribute_one(made.build());
  EXPECT_NEAR(ns(a, LedgerRow::data_wait), 60'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::sync), 30'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::host_bound), 10'000, 1e-3);
}

TEST(Attribution, WithoutDeviceEventsTheHostsTimeIsBooked) {
  const Timeline t = TimelineForTest()
                         .step(0, 100'000)
                         .span({"ProfilerStep#1", HostSpanClass::step, 0, 100'000})
                         .span({"enumerate(DataLoader)", HostSpanClass::data_wait, 0, 30'000})
                         .span({"## forward ##", HostSpanClass::annotation, 40'000, 50'000})
                         .span({"aten::mm", HostSpanClass::operation, 41'000, 10'000})
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_TRUE(a.host_only);
  EXPECT_NEAR(ns(a, LedgerRow::data_wait), 30'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::host_bound), 50'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::unattributed), 20'000, 1e-3);
  EXPECT_FALSE(a.ledger.value(LedgerRow::kernel_matmul));
  EXPECT_FALSE(a.mfu);
}

TEST(Attribution, CopiesGoByDirectionAndByWhoAskedForThem) {
  const Timeline t = TimelineForTest()
                         .step(0, 100'000)
                         .launch(0, {"Memcpy HtoD", copy_to_device, 10'000, 1'000})
                         .span({"Optimizer.step#CPUAdam", HostSpanClass::annotation, 15'000, 4'000})
                         .launch(16'000, {"Memcpy HtoD", copy_to_device, 20'000, 2'000})
                         .span({"aten::item", HostSpanClass::operation, 25'000, 4'000})
                         .launch(26'000, {"Memcpy DtoH", copy_to_host, 30'000, 3'000})
                         .launch(36'000, {"Memcpy DtoH", copy_to_host, 40'000, 4'000})
                         .build();
  const RankAttribution a = attribute_one(t);
  const auto idle_ns = [&](LedgerRow row) {
    double sum = 0;
    for (const IdleClaim& c : a.idle) sum += c.row == row ? static_cast<double>(c.when.length()) : 0;
    return sum;
  };
  EXPECT_NEAR(ns(a, LedgerRow::data_wait) - idle_ns(LedgerRow::data_wait), 1'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::memory_stall) - idle_ns(LedgerRow::memory_stall), 2'000 + 4'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::sync) - idle_ns(LedgerRow::sync), 3'000, 1e-3);
}

// Copies without a launch: 8 bytes are copied by the optimizer elsewhere, 16 by nobody else.
TEST(Attribution, CopiesWithoutALaunchFollowThoseThatRepeat) {
  const Timeline t = TimelineForTest()
                         .step(0, 100'000)
                         .event({"Memcpy HtoD", copy_to_device, 0, 5'000, 7, -1, 8})
                         .event({"Memcpy HtoD", copy_to_device, 5'000, 7'000, 7, -1, 16})
                         .span({"Optimizer.step#CPUAdam", HostSpanClass::annotation, 15'000, 4'000})
                         .launch(16'000, {"Memcpy HtoD", copy_to_device, 20'000, 2'000, 7, -1, 8})
                         .event({"kernel", memory_bound, 22'000, 78'000})
                         .build();
  const RankAttribution a = attribute_one(t);
  EXPECT_NEAR(ns(a, LedgerRow::memory_stall), 5'000 + 2'000, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::data_wait), 0, 1e-3);
  EXPECT_NEAR(ns(a, LedgerRow::unattributed), 7'000, 1e-3);
}

TEST(Attribution, ForwardWorkInsideABackwardPassIsRecompute) {
  const auto with_frame = [](const char* frame, const char* inner) {
    return TimelineForTest()
        .step(0, 100'000)
        .span({frame, HostSpanClass::python, 0, 50'000})
        .span({"aten::mm", HostSpanClass::operation, 1'000, 4'000, 1, kGigaflop})
        .launch(2'000, {"gemm", matmul, 10'000, 2'000})
        .span({inner, HostSpanClass::python, 20'000, 20'000})
        .span({"aten::mm", HostSpanClass::operation, 21'000, 4'000, 1, kGigaflop})
        .launch(22'000, {"gemm", matmul, 30'000, 2'000})
        .build();
  };
  const Timeline both = with_frame("torch/utils/checkpoint.py(1500): recompute_fn", "torch/nn/linear.py(1): forward");
  EXPECT_NEAR(ns(attribute_one(both), LedgerRow::recompute), 2'000, 1e-3);
  EXPECT_NEAR(ns(attribute_one(both), LedgerRow::model_compute), 0, 1e-3);
  const Timeline first =
      with_frame("torch/utils/checkpoint.py(311): backward", "torch/autograd/__init__.py(3): backward");
  EXPECT_NEAR(ns(attribute_one(first), LedgerRow::recompute), 1'000, 1e-3);
  const Timeline second =
      with_frame("autograd::engine::evaluate_function: MmBackward0", "aten::scaled_dot_product_attention");
  EXPECT_NEAR(ns(attribute_one(second), LedgerRow::recompute), 1'000, 1e-3);
  EXPECT_EQ(attribute_one(second).recompute_ns, 2'000);
}

TEST(Attribution, CountsShortKernelsAndTheQueue) {
  // Three launches at 0, 1, 2 us whose kernels begin at 10, 20, 30 us: 1, 2 and 3 wait.
  const Timeline t = TimelineForTest()
                         .step(0, 100'000)
                         .launch(0, {"a", memory_bound, 10'000, 5'000})
                         .launch(1'000, {"b", memory_bound, 20'000, 10'000})
                         .launch(2'000, {"c", memory_bound, 30'000, 9'999})
                         .build();
  const LaunchStatistics s = attribute_one(t).launches;
  EXPECT_EQ(s.kernels, 3);
  EXPECT_EQ(s.short_kernels, 2);
  EXPECT_DOUBLE_EQ(s.queue_depth.value(), 2.0);
}

}  // namespace
}  // namespace nameplate
