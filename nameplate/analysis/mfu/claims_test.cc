#include "nameplate/analysis/mfu/claims.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/mfu/log_for_test.h"
#include "nameplate/analysis/mfu/tiny_run_for_test.h"

namespace nameplate {
namespace {

ClaimCheck only_claim(const RunLog& log, const RunFacts& facts) {
  const Measurement m = measure(log, facts);
  EXPECT_EQ(m.claims.size(), 1u);
  return m.claims.empty() ? ClaimCheck{} : m.claims.front();
}

// nanoGPT prints MFU against 312 TFLOP/s whatever the part. GPT-2 with 50,304 rows counts N = 50304 x 768 + 12 x (12 x
// 768^2
// + 13 x 768) + 2 x 768 = 123,689,472 without positions; 6 N + 12 x 12 x 768 x 1024 = 855,383,040 FLOP per token. 480 x
// 1024 tokens in 0.5 s on 8: 122,880 token/s each, 105.11 TFLOP/s, 33.69 % of 312.
TEST(Claims, NanoGptAgainstItsHardCodedPeak) {
  RunFacts facts;
  facts.architecture = build_decoder(shapes::gpt(12, 768, 12, 1024, 50304));
  facts.workload = uniform_workload(480, 1024);
  facts.accelerators = 8;
  facts.peak = tflops_per_s(989);
  RunLog log = printed_log(std::vector<double>(10, 0.5));
  for (Step& step : log.steps) step.claimed_mfu = 0.3369;
  log.claims.convention = "nanogpt";
  log.claims.peak_tflops = 312;
  const ClaimCheck claim = only_claim(log, facts);
  EXPECT_EQ(claim.figure, "mfu");
  EXPECT_EQ(claim.convention, "nanogpt");
  EXPECT_FALSE(claim.convention_inferred);
  EXPECT_EQ(claim.peak_tflops, 312);
  EXPECT_NEAR(claim.recomputed, 122880.0 * 855383040 / 312e12, 1e-12);
  EXPECT_NEAR(claim.error_ratio, 0, 1e-4);
}

// Llama 3 8B at 8192, 128 sequences in 10 s on 64: 1,638.4 token/s each. Causal 51,470,401,536 FLOP per token: 84.33
// TFLOP/s; full 57,912,852,480: 94.884.
RunFacts llama_facts() {
  RunFacts facts;
  facts.architecture = build_decoder(shapes::llama_3_8b());
  facts.workload = uniform_workload(128, 8192);
  facts.accelerators = 64;
  facts.peak = tflops_per_s(989);
  return facts;
}

RunLog log_that_claims(double tflops, std::string convention) {
  RunLog log = printed_log(std::vector<double>(10, 10.0));
  for (Step& step : log.steps) step.claimed_tflops = tflops;
  log.claims.convention = std::move(convention);
  return log;
}

TEST(Claims, TheFormatsOwnConventionFits) {
  const ClaimCheck claim = only_claim(log_that_claims(84.3, "megatron_lm"), llama_facts());
  EXPECT_EQ(claim.figure, "tflops");
  EXPECT_EQ(claim.convention, "megatron_lm");
  EXPECT_FALSE(claim.convention_inferred);
  EXPECT_NEAR(claim.recomputed, 84.3291, 1e-4);
}

TEST(Claims, AnOlderVersionThatCountsFullAttentionIsFound) {
  const ClaimCheck claim = only_claim(log_that_claims(94.884, "megatron_lm"), llama_facts());
  EXPECT_TRUE(claim.convention_inferred);
  EXPECT_EQ(find_convention(claim.convention)->attention, "full");
  EXPECT_NEAR(claim.error_ratio, 0, 1e-4);
}

// 60 TFLOP/s fits nothing: the format's own convention is shown, 84.33 / 60 - 1 = 40.5 % off.
TEST(Claims, NoConventionFits) {
  const ClaimCheck claim = only_claim(log_that_claims(60, "megatron_lm"), llama_facts());
  EXPECT_EQ(claim.convention, "megatron_lm");
  EXPECT_FALSE(claim.convention_inferred);
  EXPECT_NEAR(claim.error_ratio, 0.4055, 1e-4);
  const ClaimCheck unnamed = only_claim(log_that_claims(60, ""), llama_facts());
  EXPECT_EQ(unnamed.convention, "");
  EXPECT_EQ(unnamed.recomputed, 0);
}

TEST(Claims, WithoutAModelTheClaimIsOnlyRepeated) {
  RunFacts facts = llama_facts();
  facts.architecture = {};
  const ClaimCheck claim = only_claim(log_that_claims(84.3, "megatron_lm"), facts);
  EXPECT_DOUBLE_EQ(claim.claimed, 84.3);
  EXPECT_EQ(claim.recomputed, 0);
}

// 64 tokens in 1 s on 2: 64 a second of the job, 32 of each.
TEST(Claims, TokensPerSecondInTheirScope) {
  RunLog log = printed_log(std::vector<double>(10, 1.0));
  for (Step& step : log.steps) step.claimed_tokens_per_s = 66;
  log.claims.tokens_per_s_scope = RateScope::job;
  EXPECT_DOUBLE_EQ(only_claim(log, tiny_facts()).recomputed, 64);
  log.claims.tokens_per_s_scope = RateScope::per_accelerator;
  EXPECT_DOUBLE_EQ(only_claim(log, tiny_facts()).recomputed, 32);
  log.claims.tokens_per_s_scope = RateScope::unknown;
  EXPECT_TRUE(measure(log, tiny_facts()).claims.empty());
}

// A rate per accelerator beside a step time of unknown work cannot be checked against itself.
TEST(Claims, ARateIsNotItsOwnWitness) {
  RunFacts facts = tiny_facts();
  facts.accelerators = {};
  RunLog log = printed_log(std::vector<double>(10, 1.0));
  for (Step& step : log.steps) step.claimed_tokens_per_s = 66;
  log.claims.tokens_per_s_scope = RateScope::per_accelerator;
  EXPECT_TRUE(measure(log, facts).claims.empty());
}

}  // namespace
}  // namespace nameplate
