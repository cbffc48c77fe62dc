// Every recorded trace: the numbers of kernels, communication kernels and steps, and the rank, as counted by Python's
// json module when the traces were collected (their README). Prints the share of device time without a class.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>

#include "nameplate/core/field_data_for_test.h"
#include "nameplate/inputs/trace.h"

namespace nameplate {
namespace {

struct Case {
  const char* file;
  std::size_t kernels;
  std::size_t nccl;
  std::size_t steps;
  std::optional<std::int64_t> rank;  // nothing: the file does not say
  std::int64_t ranks_total = 1;
};

constexpr Case kCases[] = {
    {"nanogpt-8xh100/rank0.json.gz", 2917, 76, 4, 0, 8},
    {"nanogpt-8xh100/rank1.json.gz", 3023, 76, 4, 1, 8},
    {"nanogpt-8xh100/rank2.json.gz", 2979, 76, 4, 2, 8},
    {"nanogpt-8xh100/rank3.json.gz", 3236, 76, 4, 3, 8},
    {"nanogpt-8xh100/rank4.json.gz", 3349, 81, 4, 4, 8},
    {"nanogpt-8xh100/rank5.json.gz", 3295, 84, 4, 5, 8},
    {"nanogpt-8xh100/rank6.json.gz", 3305, 84, 4, 6, 8},
    {"nanogpt-8xh100/rank7.json.gz", 3305, 84, 4, 7, 8},
    {"resnet50-v100/workers0.pt.trace.json.gz", 8772, 0, 6, {}},
    {"resnet50-v100/workers4.pt.trace.json.gz", 8868, 0, 6, {}},
    {"resnet50-v100/workers0-list-form.pt.trace.json.gz", 9538, 0, 6, {}},
    {"hta-v100-2rank/df_index_resolver.json.gz", 19370, 2020, 5, 1, 2},
    {"hta-a100-16rank/rank0.json.gz", 6080, 80, 5, 0, 16},
    {"hta-a100-8rank/control.json.gz", 8568, 60, 6, 3, 8},
    {"hta-sampled-2of128/sampled_rank-0.json.gz", 1154, 10, 2, 0, 128},
    {"hta-sampled-2of128/sampled_rank-1.json.gz", 1104, 10, 2, 1, 128},
    {"hta-ns-resolution/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 4350, 0, 5, 0, 1},
    {"hta-edge/distributed_info_not_found.json.gz", 0, 0, 1, {}},
    {"hta-edge/rank_not_found.json.gz", 0, 0, 1, {}},
    {"hta-edge/cpu_only_rank34of300.json.gz", 0, 0, 1, 34, 300},
    {"hta-edge/cupti_ranges.json.gz", 0, 0, 0, 0},
    {"hta-edge/base.json.gz", 6, 0, 2, 1},
    {"hta-amd/mi250_minitoy_train_ROCm6_2_kineto.json.gz", 14, 0, 2, {}},
    {"hta-critical-path/simple_add.json.gz", 79, 0, 0, 0},
    {"hta-critical-path/event_sync_trace.json.gz", 4, 0, 1, 0},
    {"mi300-recompute/resnet_act_checkpoint.json.gz", 2995, 17, 3, 0, 8},
    {"h100-vs-mi300/h100-qwen1.5-0.5b.json.gz", 1465, 0, 1, {}},
    {"h100-vs-mi300/mi300-qwen1.5-0.5b.json.gz", 1516, 0, 1, {}},
    {"h100-vs-mi300/h100-bert-small.json.gz", 60, 0, 1, {}},
    {"h100-vs-mi300/mi300-bert-small.json.gz", 60, 0, 1, {}},
    {"b200/eager_trace.json.gz", 768, 1, 0, 0, 8},
    {"mi210-gpu-only/gpu_only_trace.json.gz", 562, 0, 0, {}},
    {"torch-compile-triton/trace.json.gz", 12, 0, 0, {}},
};

std::optional<std::string> trace_path(const std::string& file) {
  const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
  if (folder == nullptr) return std::nullopt;
  const std::string path = std::string(folder) + "/traces/" + file;
  return file_exists(path) ? std::optional(path) : std::nullopt;
}

struct Counts {
  std::size_t kernels = 0;
  std::size_t nccl = 0;
  double device_ns = 0;
  double unclassified_ns = 0;
};

Counts count(const Timeline& timeline) {
  using enum DeviceEventClass;
  Counts counts;
  const DeviceEvents& device = timeline.ranks[0].device;
  for (std::size_t i = 0; i < device.begin_ns.size(); ++i) {
    const DeviceEventClass c = device.event_class[i];
    const bool moves = c == copy || c == copy_to_device || c == copy_to_host || c == memset;
    const std::string& name = timeline.names[static_cast<std::size_t>(device.name_id[i])];
    counts.kernels += !moves;
    counts.nccl += c == collective && name.starts_with("nccl");
    counts.device_ns += static_cast<double>(device.duration_ns[i]);
    if (c == unclassified) counts.unclassified_ns += static_cast<double>(device.duration_ns[i]);
  }
  return counts;
}

void expect_case(const Case& expected, const std::string& path) {
  const auto timeline = read_traces({path});
  ASSERT_TRUE(timeline.ok()) << render(timeline.error());
  const RankTimeline& rank = timeline->ranks.at(0);
  const Counts counts = count(*timeline);
  EXPECT_EQ(counts.kernels, expected.kernels);
  EXPECT_EQ(counts.nccl, expected.nccl);
  EXPECT_EQ(rank.steps.size(), expected.steps);
  EXPECT_EQ(rank.rank_source == RankSource::file, expected.rank.has_value());
  EXPECT_EQ(rank.rank, expected.rank.value_or(0));
  EXPECT_EQ(timeline->ranks_total, expected.ranks_total);
  const double share = counts.device_ns > 0 ? counts.unclassified_ns / counts.device_ns : 0;
  std::printf("%6.2f %% without a class  %s\n", 100 * share, expected.file);
  EXPECT_LT(share, 0.02);
}

TEST(TraceField, CountsAndRanks) {
  bool any = false;
  for (const Case& expected : kCases) {
    SCOPED_TRACE(expected.file);
    if (const auto path = trace_path(expected.file)) {
      any = true;
      expect_case(expected, *path);
    }
  }
  if (!any) GTEST_SKIP() << kNoFieldData;
}

// The README's counts by what the host says: 6 all-reduces and 6 broadcasts are recorded around their launches; the
// other 5 were launched before the capture began.
TEST(TraceField, GenericCollectivesAreNamedByTheHost) {
  const auto path = trace_path("mi300-recompute/resnet_act_checkpoint.json.gz");
  if (!path) GTEST_SKIP() << kNoFieldData;
  const auto timeline = read_traces({*path});
  ASSERT_TRUE(timeline.ok());
  std::size_t all_reduces = 0, broadcasts = 0;
  for (const CollectiveKind kind : timeline->ranks[0].collectives.kind) {
    all_reduces += kind == CollectiveKind::all_reduce;
    broadcasts += kind == CollectiveKind::broadcast;
  }
  EXPECT_EQ(all_reduces, 9u);
  EXPECT_EQ(broadcasts, 8u);
}

TEST(TraceField, OneFolderIsOneJobOnAnyNumberOfThreads) {
  const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
  if (folder == nullptr || !is_directory(std::string(folder) + "/traces/nanogpt-8xh100")) GTEST_SKIP() << kNoFieldData;
  const std::string job = std::string(folder) + "/traces/nanogpt-8xh100";
  const auto one = read_traces({job}, {.threads = 1});
  const auto many = read_traces({job}, {.threads = 3});
  ASSERT_TRUE(one.ok() && many.ok());
  ASSERT_EQ(one->ranks.size(), 8u);
  EXPECT_EQ(one->ranks_total, 8);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(one->ranks[i].base_time_ns, 1759300074000000000);
  EXPECT_EQ(one->ranks, many->ranks);
  EXPECT_EQ(one->names, many->names);
  EXPECT_EQ(one->groups, many->groups);
}

// Counted by SQLite's own shell: SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY deviceId,
// of MEMCPY and MEMSET; all-to-alls are the kernels named nccl% whose launch lies inside an NVTX range
// nccl:all_to_all%.
struct NsightCase {
  const char* file;
  std::size_t rank;
  std::size_t kernels;
  std::int64_t kernels_ns;
  std::size_t copies;
  std::size_t memsets;
  std::size_t all_to_alls;
};
constexpr NsightCase kNsightCases[] = {{"nsys-sqlite/h100_2gpu_1s.sqlite", 0, 1721, 22385163, 452, 11, 0},
                                       {"nsys-sqlite/h100_2gpu_1s.sqlite", 1, 1721, 22444359, 452, 11, 0},
                                       {"nsys-sqlite/mfu_2gpu_before.sqlite", 0, 1993, 270875926, 510, 133, 32},
                                       {"nsys-sqlite/mfu_2gpu_before.sqlite", 1, 2017, 264324724, 510, 136, 32}};

TEST(TraceField, NsightExports) {
  using enum DeviceEventClass;
  for (const NsightCase& expected : kNsightCases) {
    const auto path = trace_path(expected.file);
    if (!path) GTEST_SKIP() << kNoFieldData;
    SCOPED_TRACE(expected.file + std::string(" ") + std::to_string(expected.rank));
    const auto timeline = read_traces({*path});
    ASSERT_TRUE(timeline.ok()) << render(timeline.error());
    ASSERT_EQ(timeline->ranks.size(), 2u);
    const RankTimeline& rank = timeline->ranks[expected.rank];
    EXPECT_EQ(rank.rank_source, RankSource::order);
    std::size_t kernels = 0, copies = 0, memsets = 0;
    std::int64_t kernels_ns = 0;
    for (std::size_t i = 0; i < rank.device.begin_ns.size(); ++i) {
      const DeviceEventClass c = rank.device.event_class[i];
      EXPECT_NE(c, unclassified) << timeline->names[static_cast<std::size_t>(rank.device.name_id[i])];
      const bool copy_event = c == copy || c == copy_to_device || c == copy_to_host;
      copies += copy_event;
      memsets += c == memset;
      if (copy_event || c == memset) continue;
      ++kernels;
      kernels_ns += rank.device.duration_ns[i];
    }
    EXPECT_EQ(kernels, expected.kernels);
    EXPECT_EQ(kernels_ns, expected.kernels_ns);
    EXPECT_EQ(copies, expected.copies);
    EXPECT_EQ(memsets, expected.memsets);
    const auto& kinds = rank.collectives.kind;
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), CollectiveKind::all_to_all), expected.all_to_alls);
  }
}

// Counted by a decoder of the wire format written for this in Python: events of the lines "Stream #…" of each plane
// /device:GPU:n, and the sums of their durations, begin and end rounded down to a nanosecond.
struct XPlaneCase {
  const char* file;
  std::vector<std::pair<std::size_t, std::int64_t>> ranks;  // events, nanoseconds
};

TEST(TraceField, XPlaneProfiles) {
  const XPlaneCase cases[] = {{"jax-xplane/gpu_multi_worker.xplane.pb", {{759, 15023814}, {778, 15104499}}},
                              {"jax-xplane/mi300-conv.xplane.pb",
                               {{60, 4000165},
                                {25, 3345845},
                                {25, 3524285},
                                {25, 3403364},
                                {25, 3493365},
                                {25, 3464884},
                                {25, 3403004},
                                {25, 3502165}}}};
  for (const XPlaneCase& expected : cases) {
    const auto path = trace_path(expected.file);
    if (!path) GTEST_SKIP() << kNoFieldData;
    SCOPED_TRACE(expected.file);
    const auto timeline = read_traces({*path});
    ASSERT_TRUE(timeline.ok()) << render(timeline.error());
    ASSERT_EQ(timeline->ranks.size(), expected.ranks.size());
    for (std::size_t i = 0; i < expected.ranks.size(); ++i) {
      const DeviceEvents& device = timeline->ranks[i].device;
      EXPECT_EQ(device.begin_ns.size(), expected.ranks[i].first);
      EXPECT_EQ(std::accumulate(device.duration_ns.begin(), device.duration_ns.end(), std::int64_t{0}),
                expected.ranks[i].second);
      EXPECT_EQ(std::count(device.event_class.begin(), device.event_class.end(), DeviceEventClass::unclassified), 0);
    }
  }
}

// The Chakra file has no times; the profile of the TPU was copied as text, which replaced most of its bytes.
TEST(TraceField, WhatCannotBeReadIsALocatedError) {
  for (const char* file : {"chakra/1.0.2-chakra.0.0.4.et.json.gz", "jax-xplane/tpu_inference.xplane.pb"}) {
    const auto path = trace_path(file);
    if (!path) GTEST_SKIP() << kNoFieldData;
    const auto timeline = read_traces({*path});
    ASSERT_FALSE(timeline.ok()) << file;
    EXPECT_EQ(timeline.error().place.file, *path);
  }
}

}  // namespace
}  // namespace nameplate
