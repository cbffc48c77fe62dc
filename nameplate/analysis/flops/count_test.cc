// Golden values: shared facts of the field, from papers, frameworks' own printouts and hand calculation; each says
// which.
#include "nameplate/analysis/flops/count.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/shapes_for_test.h"

namespace nameplate {
namespace {

using namespace shapes;

std::int64_t per_token(const DecoderShape& shape, std::int64_t seq, AttentionCount count) {
  EXPECT_FALSE(check(shape).has_value());
  const Int128 total = step_flops(build_decoder(shape), uniform_workload(1, seq), count).total();
  EXPECT_EQ(static_cast<std::int64_t>(total % seq), 0);
  return static_cast<std::int64_t>(total / seq);
}

std::int64_t matmul_parameters(const DecoderShape& shape) {
  return static_cast<std::int64_t>(count_parameters(build_decoder(shape)).matmul_active);
}

double giga(std::int64_t count) { return static_cast<double>(count) / 1e9; }

double giga_per_token_without_router(const DecoderShape& shape, std::int64_t seq, AttentionCount count) {
  double sum = 0;
  for (const OperatorCount& op : count_operators(build_decoder(shape), uniform_workload(1, seq), count)) {
    if (op.role != OperatorRole::router) sum += to_double(op.flops.total());
  }
  return sum / static_cast<double>(seq) / 1e9;
}

// Llama 3 at 8192 (torchtitan counts 57.91 GFLOP/token full; causal is half the attention part less).
TEST(Count, Llama3) {
  EXPECT_EQ(matmul_parameters(llama_3_8b()), 7'504'658'432);
  EXPECT_EQ(per_token(llama_3_8b(), 8192, AttentionCount::causal), 51'470'401'536);
  EXPECT_EQ(per_token(llama_3_8b(), 8192, AttentionCount::full), 57'912'852'480);
  EXPECT_NEAR(giga(per_token(llama_3_70b(), 8192, AttentionCount::causal)), 449.22, 0.005);
  EXPECT_NEAR(giga(per_token(llama_3_70b(), 8192, AttentionCount::full)), 481.43, 0.005);
  EXPECT_NEAR(giga(per_token(llama_3_1_405b(), 8192, AttentionCount::causal)), 2523.96, 0.005);
  EXPECT_NEAR(giga(per_token(llama_3_1_405b(), 8192, AttentionCount::full)), 2625.42, 0.005);
}

// By hand: tables 2 x 128256 x 4096, per layer 2 x 4096^2 + 2 x 4096 x 1024 + 3 x 4096 x 14336 + 2 x 4096, final norm
// 4096.
TEST(Count, Llama3Parameters) {
  EXPECT_EQ(static_cast<std::int64_t>(count_parameters(build_decoder(llama_3_8b())).total), 8'030'261'248);
}

TEST(Count, Qwen3Moe) {
  EXPECT_EQ(per_token(qwen3_30b_a3b(), 8192, AttentionCount::full), 37'577'293'824);
  EXPECT_EQ(per_token(qwen3_30b_a3b(), 8192, AttentionCount::causal), 27'913'617'408);
}

// MaxText pull request 678: Mixtral's matmul weights, 46.57e9 in all against 12.75e9 used (2 of 8 experts).
TEST(Count, MixtralActiveExperts) {
  EXPECT_NEAR(giga(matmul_parameters(mixtral_8x7b())), 12.75, 0.005);
  EXPECT_EQ(static_cast<std::int64_t>(count_parameters(build_decoder(mixtral_8x7b())).total), 46'702'792'704);
}

TEST(Count, DeepSeekV3) {
  const ParameterCount p = count_parameters(build_decoder(deepseek_v3(0)));
  EXPECT_NEAR(to_double(p.matmul_active - p.router) / 1e9, 36.52, 0.005);
  EXPECT_NEAR(to_double(p.matmul_active) / 1e9, 36.62, 0.005);
  EXPECT_NEAR(giga_per_token_without_router(deepseek_v3(0), 4096, AttentionCount::causal), 249.8, 0.05);
  EXPECT_NEAR(giga_per_token_without_router(deepseek_v3(0), 4096, AttentionCount::full), 280.5, 0.05);
  EXPECT_NEAR(giga_per_token_without_router(deepseek_v3(1), 4096, AttentionCount::causal), 260.0, 0.05);
  EXPECT_NEAR(giga(per_token(deepseek_v3(0), 4096, AttentionCount::causal)), 250.45, 0.005);
  EXPECT_NEAR(giga(per_token(deepseek_v3(0), 4096, AttentionCount::full)), 281.15, 0.005);
  EXPECT_NEAR(giga(per_token(deepseek_v3(1), 4096, AttentionCount::causal)), 260.64, 0.005);
}

// Narayanan et al. 2021 count 3.3862e18 for a step of 1536 sequences with full attention and no recompute.
TEST(Count, Gpt3Step) {
  const Int128 step =
      step_flops(build_decoder(gpt3_175b()), uniform_workload(1536, 2048), AttentionCount::full).total();
  EXPECT_NEAR(to_double(step) / 1e18, 3.3862, 0.00005);
}

TEST(Count, Gpt2Parameters) {
  EXPECT_EQ(static_cast<std::int64_t>(count_parameters(build_decoder(gpt2())).total),
            124'439'808);  // as Hugging Face prints
}

// Megatron-LM issue 1725. s = 2048, W = 512: rows 1..512 see 1..512 keys, 1536 rows see 512.
TEST(Pairs, SlidingWindowIsExact) {
  const Mask window{MaskKind::sliding, 512};
  EXPECT_EQ(static_cast<std::int64_t>(attention_pairs_twice(window, 2048, AttentionCount::causal)), 2 * 917'760);
  EXPECT_EQ(static_cast<std::int64_t>(attention_pairs_twice({}, 2048, AttentionCount::exact)), 2 * 2'098'176);
  const double keys =
      to_double(attention_pairs_twice({MaskKind::sliding, 128}, 131072, AttentionCount::causal)) / 2 / 131072;
  EXPECT_NEAR(keys, 127.94, 0.005);
  EXPECT_NEAR(65536 / keys, 512, 0.5);
}

TEST(Pairs, WindowNotNarrowerThanTheSequenceIsPlainCausal) {
  EXPECT_EQ(attention_pairs_twice({MaskKind::sliding, 2048}, 2048, AttentionCount::causal),
            attention_pairs_twice({}, 2048, AttentionCount::causal));
}

// Chunks of 256 in 2048: 8 x 256 x 257 / 2 pairs; 7.97 times fewer than (s+1)/2 keys per query.
TEST(Pairs, Chunks) {
  const Mask chunk{MaskKind::chunked, 256};
  EXPECT_EQ(static_cast<std::int64_t>(attention_pairs_twice(chunk, 2048, AttentionCount::causal)), 8 * 256 * 257);
  EXPECT_NEAR(2.0 * 2'098'176 / (8 * 256 * 257), 7.97, 0.005);
  // A last, shorter chunk: 2000 = 7 x 256 + 208.
  EXPECT_EQ(static_cast<std::int64_t>(attention_pairs_twice(chunk, 2000, AttentionCount::causal)),
            7 * 256 * 257 + 208 * 209);
}

// Brute force over all pairs, an independent count.
TEST(Pairs, AgreeWithEnumeration) {
  for (std::int64_t s : {1, 2, 7, 16, 33}) {
    for (std::int64_t w : {1, 2, 5, 16}) {
      std::int64_t sliding = 0, chunked = 0;
      for (std::int64_t i = 0; i < s; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          sliding += i - j < w;
          chunked += i / w == j / w;
        }
      }
      EXPECT_EQ(static_cast<std::int64_t>(attention_pairs_twice({MaskKind::sliding, w}, s, AttentionCount::exact)),
                2 * sliding);
      EXPECT_EQ(static_cast<std::int64_t>(attention_pairs_twice({MaskKind::chunked, w}, s, AttentionCount::exact)),
                2 * chunked);
    }
  }
}

// xformers pull request 1404: 8 query heads on 2 key/value heads cost what 8 on 8 do, not a quarter. By hand for s =
// 256 and head size 64: scores and values, 2 x 2 x 256^2 x 64 x 8.
TEST(Operators, GroupedQueriesDoNotShrinkScores) {
  Operator core{.role = OperatorRole::attention_core,
                .shape = AttentionShape{8, 2, 64, 64, {MaskKind::bidirectional, 0}}};
  const OperatorFlops grouped = operator_flops(core, uniform_workload(1, 256), AttentionCount::full);
  EXPECT_EQ(static_cast<std::int64_t>(grouped.forward), 134'217'728);
}

// Packing: two documents of 1024 attend to half as many pairs as one of 2048 and have the same token terms.
TEST(Operators, PackedSequencesSumSquares) {
  Workload packed;
  packed.batch = {{1024, 2}};
  const Architecture model = build_decoder(llama_3_8b());
  const auto one = step_flops(model, uniform_workload(1, 2048), AttentionCount::causal).total();
  const auto two = step_flops(model, packed, AttentionCount::causal).total();
  // 6 x L x heads x head_dim x (sum of squares): 6 x 32 x 4096 x (2048^2 - 2 x 1024^2).
  EXPECT_EQ(static_cast<std::int64_t>(one - two), std::int64_t{6} * 32 * 4096 * (2048 * 2048 - 2 * 1024 * 1024));
}

TEST(Operators, FrozenWeightsHaveNoWeightGradient) {
  Operator op{.shape = MatmulShape{16, 32}, .trainable = false};
  const OperatorFlops f = operator_flops(op, uniform_workload(1, 8), AttentionCount::causal);
  EXPECT_EQ(static_cast<std::int64_t>(f.total()), 2 * 2 * 16 * 32 * 8);
}

TEST(Decoder, LayerPatterns) {
  DecoderShape s = deepseek_v3(0);
  const Architecture a = build_decoder(s);
  ASSERT_EQ(a.blocks.size(), 4u);  // embedding, 3 dense layers, 58 MoE layers, head
  EXPECT_EQ(a.blocks[1].repeat, 3);
  EXPECT_EQ(a.blocks[2].repeat, 58);
  EXPECT_EQ(a.blocks[2].layers.front(), 3);
}

TEST(Decoder, ContradictionsAreErrors) {
  DecoderShape s = llama_3_8b();
  s.kv_heads = 5;
  ASSERT_TRUE(check(s).has_value());
  EXPECT_EQ(check(s)->found, "32 attention heads do not divide over 5 key/value heads");
  s = llama_3_8b();
  s.layers = -1;
  EXPECT_TRUE(check(s).has_value());
  s = qwen3_30b_a3b();
  s.moe->experts_per_token = 1000;
  EXPECT_TRUE(check(s).has_value());
}

}  // namespace
}  // namespace nameplate
