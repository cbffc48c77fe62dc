// Do our counts reproduce the model TFLOP/s that others computed for a thousand published runs?
//
// Every row of published_runs.csv is either reproduced, causal and full, or carries a reason why it cannot be; the
// counts by reason are printed and compared with counts made by hand. The table's own figures leave
// multi-token-prediction modules out, so they are left out here, too.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/core/field_data_for_test.h"
#include "nameplate/inputs/published_runs.h"

namespace nameplate {
namespace {

constexpr double kTolerance = 0.005;
constexpr double kHalfDigit = 0.05e12;  // the table prints one decimal of TFLOP/s
// Three rows of 3 to 7 TFLOP/s miss the tolerance by the table's rounding alone: bigscience-v100-71be437 (5.36
// and 5.32, printed 5.4 and 5.3), -b35f241 (2.98 and 2.97, printed 3 and 3) and -3da6e96 (7.04 and 6.97, printed 7 and
// 7).
constexpr int kReproducedWithinRounding = 3;

FlopsPerSecond count(const PublishedRun& run, AttentionCount attention) {
  DecoderShape shape = *run.shape;
  shape.mtp_depth = 0;
  const Workload one = uniform_workload(1, *run.seq_len);
  const Flops per_sequence = flops(to_double(step_flops(build_decoder(shape), one, attention).total()));
  return per_sequence / tokens(static_cast<double>(*run.seq_len)) * *tokens_per_s_per_gpu(run);
}

double error_ratio(FlopsPerSecond ours, FlopsPerSecond printed) { return std::abs(ours / printed - 1); }

struct Tally {
  std::map<std::string, int> by_reason;
  int reproduced = 0;
  int within_rounding = 0;
  double largest_error = 0;
};

// A row without a reason: both figures, and the throughput they rest on.
void check_reproduced(const PublishedRun& run, Tally& tally) {
  ASSERT_TRUE(run.derived.flops_rate_causal_per_gpu && run.derived.flops_rate_full_per_gpu) << run.id;
  ASSERT_FALSE(check(*run.shape)) << run.id;
  if (run.derived.tokens_per_s_per_gpu) {
    EXPECT_NEAR(*tokens_per_s_per_gpu(run) / *run.derived.tokens_per_s_per_gpu, 1, kTolerance) << run.id;
  }
  const FlopsPerSecond causal = count(run, AttentionCount::causal), full = count(run, AttentionCount::full);
  const FlopsPerSecond causal_printed = *run.derived.flops_rate_causal_per_gpu;
  const FlopsPerSecond full_printed = *run.derived.flops_rate_full_per_gpu;
  const double error = std::max(error_ratio(causal, causal_printed), error_ratio(full, full_printed));
  if (error <= kTolerance) {
    ++tally.reproduced;
    tally.largest_error = std::max(tally.largest_error, error);
    return;
  }
  EXPECT_NEAR(causal.base(), causal_printed.base(), kHalfDigit) << run.id;
  EXPECT_NEAR(full.base(), full_printed.base(), kHalfDigit) << run.id;
  ++tally.within_rounding;
}

TEST(PublishedRuns, EveryRowIsReproducedOrSaysWhyNot) {
  const auto text = field_file("published_runs.csv");
  if (!text) GTEST_SKIP() << kNoFieldData;
  const auto table = read_published_runs(*text, "published_runs.csv");
  ASSERT_TRUE(table.ok()) << render(table.error());
  Tally tally;
  for (const PublishedRun& run : table->runs) {
    if (run.reasons.empty()) {
      check_reproduced(run, tally);
      continue;
    }
    // A reason holds only where the table's makers could not derive a figure either.
    EXPECT_FALSE(run.derived.flops_rate_causal_per_gpu || run.derived.flops_rate_full_per_gpu) << run.id;
    ++tally.by_reason[std::string(name(run.reasons.front()))];
  }

  std::printf("rows %zu, reproduced %d (largest error %.2f %%), within the printed digit %d\n", table->runs.size(),
              tally.reproduced, tally.largest_error * 100, tally.within_rounding);
  for (const auto& [reason, rows] : tally.by_reason) std::printf("  %-22s %d\n", reason.c_str(), rows);

  // Counted apart with Python's csv module, in this order: "hybrid" in other_arch_notes; else an empty layers, hidden,
  // heads, kv_heads, head_dim or gated_mlp, or ffn_hidden (moe_ffn_hidden with experts); else an empty vocab; else task
  // lora; sft; "sliding" in the notes; an empty seq_len; else without measured tokens or step time: derived_basis
  // tflops_*, or not. 579 rows have a derived_tflops_causal.
  const std::map<std::string, int> expected = {
      {"hybrid_layers", 12},        {"no_dimensions", 66},  {"no_vocabulary", 200},    {"lora", 53},
      {"packed_sequences", 11},     {"sliding_window", 18}, {"no_sequence_length", 2}, {"no_throughput", 35},
      {"throughput_from_flops", 31}};
  EXPECT_EQ(tally.by_reason, expected);
  EXPECT_EQ(tally.within_rounding, kReproducedWithinRounding);
  EXPECT_EQ(tally.reproduced, 579 - kReproducedWithinRounding);
  EXPECT_EQ(table->runs.size(), 1007u);
}

// They stand on rows that have no dimensions, and so no shape, anyway.
TEST(PublishedRuns, RemarksThatNoPatternCovers) {
  const auto text = field_file("published_runs.csv");
  if (!text) GTEST_SKIP() << kNoFieldData;
  const auto table = read_published_runs(*text, "published_runs.csv");
  ASSERT_TRUE(table.ok());
  std::map<std::string, std::int64_t> remarks;
  for (const Defect& defect : table->defects)
    remarks[std::get<std::string>(defect.message.args[0].second)] = defect.count;
  const std::map<std::string, std::int64_t> expected = {
      {"1 dense + 26 MLA+MoE layers (DeepSeek-V3-style)", 4}, {"39B active", 1}, {"MTP", 1}};
  EXPECT_EQ(remarks, expected);
}

}  // namespace
}  // namespace nameplate
