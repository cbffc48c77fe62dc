// Breakdowns of public traces against an independent count of the same files (unions of intervals in Python, over the
// exact times; the folder's reference.md), and what is known of each: a slow loader, activation checkpoints.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/rank_summary.h"
#include "nameplate/core/field_data_for_test.h"
#include "nameplate/inputs/trace.h"

namespace nameplate {
namespace {

struct Reference {
  const char* file;
  double window_ms, compute_ms, communication_ms, exposed_ms, copy_only_ms, idle_ms;
  std::vector<double> step_ms;
};

// clang-format off
const Reference kReferences[] = {
    {"nanogpt-8xh100/rank0.json.gz", 164.50, 120.34, 37.26, 31.03, 1.30, 11.82, {44.54, 42.55, 35.88, 41.46}},
    {"nanogpt-8xh100/rank1.json.gz", 185.54, 130.75, 23.13, 17.48, 2.04, 35.27, {50.75, 50.99, 42.64, 41.07}},
    {"nanogpt-8xh100/rank2.json.gz", 180.80, 128.77, 48.47, 40.72, 1.34, 9.98, {47.68, 47.53, 38.42, 47.1}},
    {"nanogpt-8xh100/rank3.json.gz", 151.19, 115.06, 35.86, 30.86, 1.02, 4.25, {36.69, 37.59, 34.14, 42.7}},
    {"nanogpt-8xh100/rank4.json.gz", 155.11, 117.88, 37.83, 31.90, 1.23, 4.11, {39.07, 37.95, 34.68, 43.34}},
    {"nanogpt-8xh100/rank5.json.gz", 162.87, 118.74, 44.53, 38.30, 1.37, 4.45, {41.22, 42.77, 40.03, 38.76}},
    {"nanogpt-8xh100/rank6.json.gz", 155.09, 118.36, 36.91, 31.54, 1.22, 3.98, {40.89, 41.38, 35.92, 36.84}},
    {"nanogpt-8xh100/rank7.json.gz", 178.66, 132.88, 46.33, 40.03, 1.35, 4.40, {45.04, 46.6, 42.13, 44.83}},
    {"resnet50-v100/workers0-list-form.pt.trace.json.gz", 1283.19, 626.38, 0, 0, 14.23, 642.58,
     {211.21, 211.11, 210.81, 216.8, 220.46, 212.28}},
    {"resnet50-v100/workers0.pt.trace.json.gz", 1049.32, 575.96, 0, 0, 12.02, 461.33,
     {176.08, 173.99, 176.92, 181.26, 176.47, 164.26}},
    {"resnet50-v100/workers4.pt.trace.json.gz", 838.49, 587.43, 0, 0, 19.54, 231.52,
     {181.56, 123.88, 126.82, 126.27, 163.46, 116.15}},
    {"hta-v100-2rank/df_index_resolver.json.gz", 1737.90, 620.52, 357.34, 357.34, 22.75, 737.29,
     {345.77, 365.26, 346.1, 344.27, 336.33}},
    {"hta-a100-16rank/rank0.json.gz", 1074.20, 180.23, 164.41, 162.03, 39.17, 692.77,
     {209.75, 216.48, 216.12, 215.47, 216.22}},
    {"hta-a100-8rank/control.json.gz", 465.17, 281.34, 163.53, 87.92, 19.33, 76.58,
     {75.47, 76.94, 76.21, 76.73, 78.47, 81.12}},
    {"mi300-recompute/resnet_act_checkpoint.json.gz", 48.67, 12.91, 40.11, 32.15, 1.22, 2.39, {16.8, 15.95, 15.89}},
    {"h100-vs-mi300/h100-bert-small.json.gz", 4.43, 0.31, 0, 0, 0, 4.12, {4.43}},
    {"h100-vs-mi300/h100-qwen1.5-0.5b.json.gz", 47.15, 43.07, 0, 0, 0.20, 3.88, {47.15}},
    {"h100-vs-mi300/mi300-bert-small.json.gz", 4.01, 0.39, 0, 0, 0, 3.62, {4.01}},
    {"h100-vs-mi300/mi300-qwen1.5-0.5b.json.gz", 42.74, 38.72, 0, 0, 0, 4.02, {42.74}},
};
// clang-format on

std::optional<std::string> trace_path(const std::string& file) {
  const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
  if (folder == nullptr) return std::nullopt;
  std::string path = folder + ("/traces/" + file);
  return file_exists(path) ? std::optional(path) : std::nullopt;
}

RankAttribution attribute_file(const std::string& path, const AttributionOptions& options = {}) {
  const Result<Timeline> timeline = read_traces({path});
  EXPECT_TRUE(timeline.ok()) << path;
  return attribute(*timeline, timeline->ranks.at(0), group_roles(*timeline), options);
}

TEST(AttributionField, TheReferenceIsReproduced) {
  int seen = 0;
  for (const Reference& r : kReferences) {
    const auto path = trace_path(r.file);
    if (!path) continue;
    ++seen;
    const RankAttribution a = attribute_file(*path);
    SCOPED_TRACE(r.file);
    const auto expect_ms = [](double expected, std::int64_t found_ns) {
      EXPECT_NEAR(expected, static_cast<double>(found_ns) / 1e6, 0.05);
    };
    expect_ms(r.window_ms, a.split.window.length());
    expect_ms(r.compute_ms, a.split.compute_ns);
    expect_ms(r.communication_ms, a.split.communication_ns);
    expect_ms(r.exposed_ms, a.split.exposed_communication_ns);
    expect_ms(r.copy_only_ms, a.split.copy_only_ns);
    expect_ms(r.idle_ms, a.split.idle_ns);
    ASSERT_EQ(a.steps.steps.size(), r.step_ms.size());
    for (std::size_t i = 0; i < r.step_ms.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(a.steps.steps[i].duration_ns) / 1e6, r.step_ms[i], 0.02);
    }
  }
  if (seen == 0) GTEST_SKIP() << kNoFieldData;
}

TEST(AttributionField, LedgersCloseAndLittleIsUnattributed) {
  int seen = 0;
  for (const Reference& r : kReferences) {
    const auto path = trace_path(r.file);
    if (!path) continue;
    ++seen;
    SCOPED_TRACE(r.file);
    const RankAttribution a = attribute_file(*path);
    double sum = 0;
    for (std::size_t i = 0; i < kLedgerRows; ++i) sum += a.ledger.value(static_cast<LedgerRow>(i)).value_or(0);
    EXPECT_NEAR(sum, a.ledger.total(), 1e-9 * a.ledger.total());
    EXPECT_LT(std::abs(*a.ledger.value(LedgerRow::unattributed)), 0.03 * a.ledger.total());
  }
  if (seen == 0) GTEST_SKIP() << kNoFieldData;
}

// Without times, and copied as text, which replaced most of its bytes: located errors (trace_field_test.cc).
constexpr std::string_view kNoTimes[] = {"1.0.2-chakra.0.0.4.et.json.gz", "tpu_inference.xplane.pb"};
// Cut down by hand, with hosts that did next to nothing recorded: base keeps 6 kernels and 11 calls of 745 ms; the
// other has 4 operators in 1.3 s.
constexpr std::string_view kLittleEvidence[] = {"hta-edge/base.json.gz", "hta-edge/cpu_only_rank34of300.json.gz"};

bool is_one_of(std::span<const std::string_view> names, const std::string& path) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return path.ends_with(name); });
}

TEST(AttributionField, EveryTraceGivesALedgerThatCloses) {
  const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
  const std::string traces = folder == nullptr ? "" : folder + std::string("/traces");
  if (!std::filesystem::is_directory(traces)) GTEST_SKIP() << kNoFieldData;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(traces)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.ends_with(".md") || is_one_of(kNoTimes, path)) continue;
    SCOPED_TRACE(path);
    const Result<Timeline> timeline = read_traces({path});
    ASSERT_TRUE(timeline.ok()) << render(timeline.error());
    const std::vector<GroupUse> roles = group_roles(*timeline);
    for (const RankTimeline& rank : timeline->ranks) {
      const RankAttribution a = attribute(*timeline, rank, roles, {.peak = tflops_per_s(5000)});  // beyond all
      double sum = 0;
      for (std::size_t i = 0; i < kLedgerRows; ++i) sum += a.ledger.value(static_cast<LedgerRow>(i)).value_or(0);
      EXPECT_GT(a.ledger.total(), 0);
      EXPECT_NEAR(sum, a.ledger.total(), 1e-9 * a.ledger.total());
      // Of the time that is lost or idle: what is not model FLOPs at peak.
      const double lost = a.ledger.total() - a.ledger.value(LedgerRow::model_compute).value_or(0);
      const double unattributed = a.ledger.value(LedgerRow::unattributed).value_or(0);
      std::printf("%7.3f %% of what is lost is unattributed  %s rank %lld\n", 100 * unattributed / lost,
                  entry.path().filename().c_str(), static_cast<long long>(rank.rank));
      if (rank.host.begin_ns.empty() || is_one_of(kLittleEvidence, path)) continue;
      EXPECT_LT(unattributed, 0.03 * lost);
    }
  }
}

// Time with a kernel in each step by a sweep in Python over the same file; the rows hold copies within the device, too.
// The capture has no collectives.
TEST(AttributionField, EveryStepHasItsOwnRows) {
  const auto path = trace_path("resnet50-v100/workers4.pt.trace.json.gz");
  if (!path) GTEST_SKIP() << kNoFieldData;
  const Result<Timeline> t = read_traces({*path});
  ASSERT_TRUE(t.ok());
  const RankSummary s = summarise(*t, t->ranks[0], group_roles(*t), find_steps(*t, t->ranks[0]));
  const double kernel_ms[] = {99.139, 97.379, 98.754, 101.654, 98.791, 91.518};
  ASSERT_EQ(s.steps.size(), std::size(kernel_ms));
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    const RowTimes rows = s.activity.inside({s.steps[i].begin_ns, s.steps[i].begin_ns + s.steps[i].duration_ns});
    double kernels_ns = 0;
    for (const LedgerRow row : {LedgerRow::kernel_matmul, LedgerRow::kernel_attention, LedgerRow::kernel_memory_bound,
                                LedgerRow::kernel_other}) {
      kernels_ns += rows[static_cast<std::size_t>(row)];
    }
    EXPECT_NEAR(kernels_ns / 1e6, kernel_ms[i], 0.2) << i;
  }
}

TEST(AttributionField, TheSlowLoaderIsSeenAndFallsWithWorkers) {
  const auto alone = trace_path("resnet50-v100/workers0.pt.trace.json.gz");
  const auto helped = trace_path("resnet50-v100/workers4.pt.trace.json.gz");
  if (!alone || !helped) GTEST_SKIP() << kNoFieldData;
  const Ledger before = attribute_file(*alone).ledger;
  const Ledger after = attribute_file(*helped).ledger;
  // The loader's spans take 416 ms of the six steps without workers, and 8.5 ms with four; copies of the batch 12 and
  // 19 ms.
  EXPECT_GT(*before.share(LedgerRow::data_wait), 0.3);
  EXPECT_LT(*before.value(LedgerRow::data_wait), 0.416 + 0.012);
  EXPECT_LT(*after.value(LedgerRow::data_wait), 0.0085 + 0.020);
}

TEST(AttributionField, TheRecomputeOfActivationCheckpointsIsFound) {
  const auto path = trace_path("mi300-recompute/resnet_act_checkpoint.json.gz");
  if (!path) GTEST_SKIP() << kNoFieldData;
  // MI300X, dense bf16, as its data sheet states it.
  const RankAttribution a = attribute_file(*path, {.peak = tflops_per_s(1307.4)});
  EXPECT_GT(a.recompute_ns, 1'000'000);
  EXPECT_GT(a.ledger.value(LedgerRow::recompute).value(), 0);
  const auto plain = trace_path("h100-vs-mi300/h100-qwen1.5-0.5b.json.gz");
  if (!plain) return;
  EXPECT_EQ(attribute_file(*plain).recompute_ns, 0);
}

}  // namespace
}  // namespace nameplate
