#include "nameplate/analysis/flops/conventions.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/shapes_for_test.h"

namespace nameplate {
namespace {

using namespace shapes;

double per_token(std::string_view id, const DecoderShape& shape, std::int64_t seq) {
  const auto flops = convention_flops(id, build_decoder(shape), uniform_workload(1, seq));
  EXPECT_TRUE(flops.has_value()) << id;
  return flops.value_or(0) / static_cast<double>(seq);
}

// Narayanan et al. 2021 and Korthikanti et al. 2022 as published, on 312 TFLOP/s parts. Table 5 of the latter: batch,
// GPUs, time per iteration with selective recompute and sequence parallelism; MFU and HFU in percent.
struct Table5Row {
  DecoderShape shape;
  std::int64_t batch, gpus;
  double seconds, mfu, hfu_published_formula, hfu_strict, mfu_causal;
};

TEST(Conventions, KorthikantiTable5) {
  // Shapes of the paper's table 3; vocabulary 51,200, sequence 2048. Times 1.10, 13.75, 37.83 and 71.49 s. The HFU and
  // the causal figures are hand calculations from the published formula (training-physics, 4.1), printed to one digit.
  const Table5Row rows[] = {
      {gpt(48, 6144, 64, 2048, 51200), 4, 8, 1.10, 41.7, 43.8, 42.4, 40.6},
      {gpt(96, 12288, 96, 2048, 51200), 64, 64, 13.75, 51.4, 52.8, 51.8, 50.7},
      {gpt(105, 20480, 128, 2048, 51200), 280, 280, 37.83, 56.0, 57.0, 56.4, 55.6},
      {gpt(128, 25600, 160, 2048, 51200), 512, 512, 71.49, 56.3, 57.0, 56.5, 55.9},
  };
  for (const Table5Row& row : rows) {
    const Architecture a = build_decoder(row.shape);
    const Workload w = uniform_workload(row.batch, 2048);
    const double peak = 312e12 * static_cast<double>(row.gpus) * row.seconds;
    EXPECT_NEAR(*convention_flops("korthikanti_model", a, w) / peak * 100, row.mfu, 0.06);
    EXPECT_NEAR(*convention_flops("korthikanti_selective", a, w) / peak * 100, row.hfu_published_formula, 0.06);
    EXPECT_NEAR(*convention_flops("korthikanti_selective_strict", a, w) / peak * 100, row.hfu_strict, 0.06);
    EXPECT_NEAR(*convention_flops("nameplate", a, w) / peak * 100, row.mfu_causal, 0.06);
    // The formula in h, L and V and the sum over operators are the same count.
    EXPECT_DOUBLE_EQ(*convention_flops("korthikanti_model", a, w), *convention_flops("full", a, w));
  }
}

// Table 1 of Narayanan et al. 2021: GPT 175B, 1024 GPUs in groups, 140 TFLOP/s per GPU: 96 B s L h^2 (...) by hand for
// B = 1.
TEST(Conventions, Megatron2021) {
  const double h = 12288, l = 96, s = 2048, v = 51200;
  EXPECT_NEAR(per_token("megatron_2021", gpt3_175b(), 2048) / (96 * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))),
              1, 1e-12);
}

// TorchTitan prints 37,578,559,488 FLOP per token for Qwen3-30B-A3B at 8192: norms are in its N, the embedding is not.
TEST(Conventions, TorchTitanCountsNorms) {
  EXPECT_NEAR(per_token("torchtitan", qwen3_30b_a3b(), 8192), 37'578'559'488.0, 1);
}

// torchtitan issue 341: 12 L H Q T against the causal half; Llama 3 8B: 57.91 and 51.47 GFLOP per token, plus 6 x
// norms.
TEST(Conventions, TorchTitanLlama) {
  EXPECT_NEAR(per_token("torchtitan", llama_3_8b(), 8192), 57'912'852'480.0 + 6 * 65 * 4096, 1);
}

// nanoGPT counts 124.37M - 0.79M positions for its GPT-2 with 50,304 rows: 6 x 123.65e6 + 12 x 12 x 12 x 64 x 1024 by
// hand: N without positions = 50304 x 768 + 12 x (12 x 768^2 + 13 x 768) + 2 x 768 = 123,653,376 with biases.
TEST(Conventions, NanoGpt) {
  const double n = 50304.0 * 768 + 12 * (12.0 * 768 * 768 + 13 * 768) + 2 * 768;
  EXPECT_DOUBLE_EQ(per_token("nanogpt", gpt(12, 768, 12, 1024, 50304), 1024), 6 * n + 12.0 * 12 * 768 * 1024);
}

// Sliding windows: Megatron-LM ignores them (issue 1725), 2.29 times too many attention FLOPs at s = 2048 and W = 512.
TEST(Conventions, MegatronIgnoresWindows) {
  DecoderShape windowed = llama_3_8b();
  windowed.masks = {Mask{MaskKind::sliding, 512}};
  EXPECT_DOUBLE_EQ(per_token("megatron_lm", windowed, 2048), per_token("nameplate", llama_3_8b(), 2048));
  EXPECT_LT(per_token("nameplate", windowed, 2048), per_token("nameplate", llama_3_8b(), 2048));
}

TEST(Conventions, MegatronLeavesTheRouterOut) {
  const double router = 6.0 * 48 * 2048 * 128;
  EXPECT_NEAR(per_token("nameplate", qwen3_30b_a3b(), 4096) - per_token("megatron_lm", qwen3_30b_a3b(), 4096), router,
              1);
}

TEST(Conventions, SixN) {
  EXPECT_DOUBLE_EQ(per_token("six_n", llama_3_8b(), 8192), 6.0 * 8'030'261'248);
  EXPECT_DOUBLE_EQ(per_token("six_n_no_embedding", llama_3_8b(), 8192), 6.0 * (8'030'261'248 - 128256.0 * 4096));
}

// Full recompute repeats the layers and not the logits: 4/3 of the layers' share.
TEST(Conventions, FullRecompute) {
  const double layers = 51'470'401'536.0 - 6.0 * 128256 * 4096;
  EXPECT_DOUBLE_EQ(per_token("hardware_full", llama_3_8b(), 8192), 51'470'401'536.0 + layers / 3);
}

// Flash attention's backward is 2.5 times its forward: 7 instead of 6 units of L H Q T when causal.
TEST(Conventions, FlashAttention) {
  const double unit = 32.0 * 4096 * 8192;
  EXPECT_DOUBLE_EQ(per_token("hardware_flash", llama_3_8b(), 8192), 51'470'401'536.0 + unit);
}

TEST(Conventions, FormulasForGptDoNotApplyToOthers) {
  EXPECT_FALSE(convention_flops("megatron_2021", build_decoder(llama_3_8b()), uniform_workload(1, 8192)));
  EXPECT_FALSE(convention_flops("no_such_convention", build_decoder(llama_3_8b()), uniform_workload(1, 8192)));
}

TEST(Conventions, IdsAreUniqueAndTheFirstIsTheDefault) {
  EXPECT_EQ(conventions().front().id, kDefaultConvention);
  for (const Convention& c : conventions()) EXPECT_EQ(find_convention(c.id)->formula, c.formula);
}

}  // namespace
}  // namespace nameplate
