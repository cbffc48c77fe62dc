#include "nameplate/analysis/audit/audit.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/flops/shapes_for_test.h"

namespace nameplate {
namespace {

// Llama 3 8B at 8192, 128 sequences in 8.192 s on 64 H100: 2,000 token/s each. Causal attention takes 51,470,401,536
// FLOP per token, so 102.94 TFLOP/s; full attention 57,912,852,480, so 115.83 TFLOP/s, 11.711 % of 989.
AuditRow llama() {
  AuditRow row{.id = "llama",
               .source = "source",
               .model = "llama3-8b",
               .shape = shapes::llama_3_8b(),
               .seq_len = 8192,
               .global_batch = 128,
               .accelerators = 64,
               .precision = Precision::bf16,
               .step_time = seconds(8.192)};
  row.peaks = {{.precision = Precision::bf16, .rate = tflops_per_s(989.4)},
               {.precision = Precision::fp8, .rate = tflops_per_s(1979)},
               {.precision = Precision::bf16, .sparsity = Sparsity::sparse, .rate = tflops_per_s(1979)}};
  return row;
}

std::vector<Comparison> comparisons(const AuditRow& row) { return audit(std::vector{row}).front().comparisons; }

Comparison only(const AuditRow& row) {
  const std::vector<Comparison> all = comparisons(row);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Comparison{} : all.front();
}

TEST(Audit, NothingToCompare) {
  EXPECT_TRUE(comparisons({.id = "empty"}).empty());
  EXPECT_TRUE(comparisons(llama()).empty());
  EXPECT_TRUE(audit({}).empty());
}

TEST(Audit, StepTimeAgainstTokens) {
  AuditRow row = llama();
  row.tokens_per_s_per_gpu = tokens_per_s(2000);
  EXPECT_EQ(only(row).verdict, AuditVerdict::consistent);
  row.tokens_per_s_per_gpu = tokens_per_s(1000);  // as for half the batch
  const Comparison c = only(row);
  EXPECT_EQ(c.verdict, AuditVerdict::step_time_tokens_mismatch);
  EXPECT_NEAR(c.recomputed, 2000, 1e-9);
  EXPECT_NEAR(error_ratio(c).value(), 1, 1e-12);
}

TEST(Audit, TheConventionThatMakesARateRight) {
  AuditRow row = llama();
  row.flops_rate_per_gpu = tflops_per_s(102.9);
  EXPECT_EQ(only(row).verdict, AuditVerdict::consistent_in_convention);
  EXPECT_EQ(only(row).convention, "nameplate");
  EXPECT_NEAR(only(row).recomputed, 102.9408, 1e-4);
  row.flops_rate_per_gpu = tflops_per_s(115.8);
  EXPECT_EQ(only(row).verdict, AuditVerdict::consistent_in_convention);
  EXPECT_EQ(only(row).convention, "full");
}

// A second forward: 4/3 of 57,912,852,480, so 154.4 TFLOP/s; only where the row recomputes in full.
TEST(Audit, FullRecomputeInTheRate) {
  AuditRow row = llama();
  row.flops_rate_per_gpu = tflops_per_s(154.4);
  row.recompute = Recompute::full;
  EXPECT_EQ(only(row).convention, "full * 4/3");
}

// Forward and input gradient only: 2/3 of 102.94.
TEST(Audit, FrozenWeights) {
  AuditRow row = llama();
  row.frozen_weights = true;
  row.flops_rate_per_gpu = tflops_per_s(68.627);
  EXPECT_EQ(only(row).convention, "nameplate * 2/3");
  EXPECT_EQ(only(row).verdict, AuditVerdict::consistent_in_convention);
}

TEST(Audit, AShareIsDividedByTheStatedPeak) {
  AuditRow row = llama();
  row.stated_peaks = {tflops_per_s(312), tflops_per_s(989)};
  row.mfu = 0.1171;
  EXPECT_EQ(only(row).convention, "full");
  EXPECT_NEAR(only(row).recomputed, 2000 * 57912852480 / 989e12, 1e-9);
}

// Divided by the fp8 peak of 1979 although the run was bf16: half of 11.707 %.
TEST(Audit, RightAgainstAnotherPeakOnly) {
  AuditRow row = llama();
  row.mfu = 0.05853;
  const Comparison c = only(row);
  EXPECT_EQ(c.verdict, AuditVerdict::wrong_peak);
  EXPECT_EQ(c.convention, "fp8 peak 1979 TFLOP/s");
  EXPECT_NEAR(c.recomputed, 2000 * 57912852480 / 989.4e12, 1e-9);
  row.precision = Precision::fp8;  // then it is the usual peak
  EXPECT_EQ(only(row).verdict, AuditVerdict::consistent_in_convention);
}

TEST(Audit, OutsideOfWhatAnyConventionCounts) {
  AuditRow row = llama();
  row.flops_rate_per_gpu = tflops_per_s(80);  // the least, 6N without embeddings, is 2000 * 6 * 7.505e9 = 90.1
  EXPECT_EQ(only(row).verdict, AuditVerdict::flops_mismatch);
  row.flops_rate_per_gpu = tflops_per_s(125);  // between full attention and a recompute: 137 and more
  EXPECT_EQ(only(row).verdict, AuditVerdict::between_conventions);
}

// Three rows that count 125 / 2000 per token establish that; a fourth that does not is a slip, though 125 itself has
// no convention.
TEST(Audit, PeersEstablishACount) {
  std::vector<AuditRow> rows(4, llama());
  for (std::size_t i = 0; i < 4; ++i) {
    rows[i].step_time = seconds(8.192 * static_cast<double>(i + 1));
    rows[i].flops_rate_per_gpu = tflops_per_s(125.0 / static_cast<double>(i + 1));
  }
  for (const RowAudit& row : audit(rows)) {
    EXPECT_EQ(row.comparisons.front().verdict, AuditVerdict::consistent_in_source);
  }
  rows[3].flops_rate_per_gpu = tflops_per_s(32.5);
  const Comparison slip = audit(rows)[3].comparisons.front();
  EXPECT_EQ(slip.verdict, AuditVerdict::flops_mismatch);
  EXPECT_NEAR(slip.recomputed, 125.0 / 4, 0.1);
  rows[3].source = "another";  // alone, nothing is known against it
  EXPECT_EQ(audit(rows)[3].comparisons.front().verdict, AuditVerdict::between_conventions);
}

TEST(Audit, PeersOfAModelWithoutDimensions) {
  std::vector<AuditRow> rows(4, llama());
  for (AuditRow& row : rows) row.shape = {};
  for (AuditRow& row : rows) row.mfu = 0.374;
  rows[3].mfu = 0.187;
  const std::vector<RowAudit> audits = audit(rows);
  EXPECT_EQ(audits[0].comparisons.front().verdict, AuditVerdict::consistent_in_source);
  EXPECT_EQ(audits[3].comparisons.front().verdict, AuditVerdict::wrong_peak);  // half: the fp8 peak
  EXPECT_NEAR(audits[3].comparisons.front().recomputed, 0.374, 1e-12);
}

TEST(Audit, RateOverShareIsAPeak) {
  AuditRow row = llama();
  row.step_time = {};
  row.flops_rate_per_gpu = tflops_per_s(400);
  row.mfu = 0.404;  // 400 / 989.4 = 40.43 %
  EXPECT_EQ(only(row).verdict, AuditVerdict::consistent);
  row.mfu = 0.202;
  EXPECT_EQ(only(row).verdict, AuditVerdict::wrong_peak);
  row.mfu = 0.3;
  EXPECT_EQ(only(row).verdict, AuditVerdict::mfu_tflops_peak_mismatch);
  row.hfu = 0.404;  // the rate counts recomputed work
  EXPECT_EQ(only(row).verdict, AuditVerdict::consistent);
}

TEST(Audit, AboveThePeak) {
  AuditRow row = llama();
  row.flops_rate_per_gpu = tflops_per_s(1200);
  EXPECT_EQ(only(row).verdict, AuditVerdict::impossible_above_peak);
  row = llama();
  row.mfu = 1.2;
  EXPECT_EQ(only(row).verdict, AuditVerdict::impossible_above_peak);
  // 989.4e12 / (6 * 7.505e9) = 21,972 token/s at most; 0.1 s a step would be 163,840.
  row = llama();
  row.step_time = seconds(0.1);
  EXPECT_EQ(only(row).figure, AuditFigure::tokens_per_s_per_gpu);
  EXPECT_EQ(only(row).verdict, AuditVerdict::impossible_above_peak);
  EXPECT_NEAR(only(row).recomputed, 21972, 5);
}

struct DegreesCase {
  AuditDegrees degrees;
  AuditFigure figure;
  AuditVerdict verdict;
};

// 64 devices, 32 heads, 32 layers, 128 sequences.
TEST(AuditDegrees, EachRule) {
  const DegreesCase cases[] = {
      {{.tp = 2, .pp = 4, .dp = 8}, AuditFigure::accelerators, AuditVerdict::consistent},
      {{.tp = 2, .pp = 4, .dp = 8, .cp = 2}, AuditFigure::accelerators, AuditVerdict::degrees_product},
      {{.tp = 2, .pp = 4}, AuditFigure::accelerators, AuditVerdict::consistent},
      {{.pp = 6}, AuditFigure::accelerators, AuditVerdict::degrees_product},
      {{.tp = 1'000'000'000'000, .pp = 1'000'000'000'000}, AuditFigure::accelerators, AuditVerdict::degrees_product},
      {{.tp = 2, .pp = 4, .dp = 8, .ep = 16}, AuditFigure::ep, AuditVerdict::consistent},
      {{.tp = 2, .pp = 4, .dp = 8, .ep = 32}, AuditFigure::ep, AuditVerdict::expert_degree},
      {{.pp = 16, .virtual_pp = 2}, AuditFigure::pp, AuditVerdict::consistent},
      {{.pp = 17, .virtual_pp = 2}, AuditFigure::pp, AuditVerdict::consistent},  // embedding and head on their own
      {{.pp = 8, .virtual_pp = 5}, AuditFigure::pp, AuditVerdict::too_many_stages},
      {{.tp = 32}, AuditFigure::tp, AuditVerdict::consistent},
      {{.tp = 64}, AuditFigure::tp, AuditVerdict::heads_per_rank},
      {{.dp = 64, .micro_batch = 2}, AuditFigure::batch, AuditVerdict::consistent},
      {{.dp = 64, .micro_batch = 4}, AuditFigure::batch, AuditVerdict::batch_per_rank},
  };
  for (const DegreesCase& each : cases) {
    AuditRow row = llama();
    row.degrees = each.degrees;
    int found = 0;
    for (const Comparison& c : audit_degrees(row)) {
      if (c.figure != each.figure) continue;
      EXPECT_EQ(c.verdict, each.verdict) << name(each.figure) << " " << c.stated << " " << c.recomputed;
      ++found;
    }
    EXPECT_EQ(found, 1) << name(each.figure);
  }
}

}  // namespace
}  // namespace nameplate
