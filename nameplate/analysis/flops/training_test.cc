// User case 9 (LoRA and frozen weights) and 10; precision shares; checkpointing per operator.
#include "nameplate/analysis/flops/training.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/shapes_for_test.h"
#include "nameplate/facts/operator_makers.h"

namespace nameplate {
namespace {

using namespace shapes;

std::vector<std::string> words(std::initializer_list<const char*> list) { return {list.begin(), list.end()}; }

OperatorFlops step(const Architecture& a, std::int64_t length, AttentionCount count = AttentionCount::causal) {
  return step_flops(a, uniform_workload(1, length), count);
}

// Falcon 40B: 60 layers, h 8192, 128 query heads of 64 on 8 key/value heads, MLP of 4h, V 65024.
DecoderShape falcon_40b() {
  return {.layers = 60,
          .hidden = 8192,
          .heads = 128,
          .kv_heads = 8,
          .head_dim = 64,
          .ffn = 32768,
          .gated_mlp = false,
          .vocab = 65024,
          .tied_embeddings = true,
          .norm = NormKind::layer};
}

// litgpt pull request 420: two sequences of 2048, 1077.76 TFLOPs trained in full and 768.02 with frozen weights. Both
// use 2N + 4 L h s per token (full attention) for a forward pass; the latter counts the attention of trained and of
// frozen weights each, so two forward passes of attention (2 x 4 L h s) too many beside two of 2N.
TEST(Training, Falcon40bAsLitgptCountsIt) {
  const Workload two = uniform_workload(2, 2048);
  const Architecture model = build_decoder(falcon_40b());
  const double attention = 4.0 * 60 * 8192 * 2048 * 4096;
  const double table = 2.0 * 65024 * 8192 * 4096;
  const double full = to_double(step_flops(model, two, AttentionCount::full).total());
  EXPECT_NEAR((full + 3 * table) / 1e12, 1077.76, 0.0005 * 1077.76);
  const Result<Architecture> lora = with_lora(model, 1, words({"q_proj"}));
  ASSERT_TRUE(lora.ok());
  const double frozen = to_double(step_flops(*lora, two, AttentionCount::full).total());
  EXPECT_NEAR((frozen + 2 * attention + 2 * table) / 1e12, 768.02, 0.001 * 768.02);
}

// 4N + 6 N_lora per token and three passes of attention, but for the first layer: no gradient flows into its q, k, v.
TEST(Training, LoraIsFourNPlusSixNLora) {
  const DecoderShape shape = llama_3_8b();
  const Architecture model = build_decoder(shape);
  const Result<Architecture> lora = with_lora(model, 16, words({"q_proj", "v_proj"}));
  ASSERT_TRUE(lora.ok());
  const ParameterCount parameters = count_parameters(*lora);
  // Rank 16 beside 4096 x 4096 and 4096 x 1024 in 32 layers.
  const std::int64_t adapters = 32 * 16 * (4096 + 4096 + 4096 + 1024);
  EXPECT_EQ(static_cast<std::int64_t>(parameters.trained), adapters);
  const double n = 7'504'658'432, s = 2048;
  const double attention = 6.0 * 32 * 4096 * s;                    // per token, causal, three passes
  const double first_layer = 2.0 * 4096 * 4096 + 2.0 * 16 * 4096;  // q's input and its A: data of a frozen embedding
  const double expected = 4 * n + 6.0 * static_cast<double>(adapters) + attention - first_layer;
  EXPECT_DOUBLE_EQ(to_double(step(*lora, 2048).total()) / s, expected);
}

TEST(Training, AFrozenModelOnlyGoesForward) {
  const Result<Architecture> teacher = with_frozen(build_decoder(llama_3_8b()), words({"all"}));
  ASSERT_TRUE(teacher.ok());
  const OperatorFlops f = step(*teacher, 4096);
  EXPECT_EQ(f.total(), f.forward);
  EXPECT_EQ(recompute_flops(*teacher, uniform_workload(1, 4096), Recompute::full, AttentionCount::causal), 0);
}

// A teacher of 2 layers beside a student of 1, hidden 8, 2 heads of 4, 1 key/value head, ffn 16, vocabulary 32. Weights
// in matmuls of a layer: q 64, k and v 32 each, out 64, MLP 3 x 128: 576; head 256. Per token of 16, causal, attention
// forward is 2 x 16 x 8 = 256 a layer. Student 3 x (2 x 832 + 256) = 5760; teacher 2 x 1408 + 512 = 3328, no gradients.
TEST(Training, ATeacherGoesForwardInAPartOfItsOwn) {
  DecoderShape shape = llama(1, 8, 2, 1, 16, 32);
  const Architecture student = build_decoder(shape);
  shape.layers = 2;
  shape.name = "teacher";
  const Result<Architecture> both = with_forward_model(student, build_decoder(shape));
  ASSERT_TRUE(both.ok());
  OperatorFlops trained, teacher;
  for (const OperatorCount& op : count_operators(*both, uniform_workload(1, 16), AttentionCount::causal)) {
    (op.part == "teacher (forward)" ? teacher : trained) += op.flops;
  }
  EXPECT_EQ(trained.total(), 16 * 5760);
  EXPECT_EQ(teacher, (OperatorFlops{16 * 3328, 0, 0}));
  // Table and head 256 each, norms 2 x 8 a layer and 8.
  const ParameterCount n = count_parameters(*both);
  EXPECT_EQ(n.total, 256 + 256 + 576 + 24);
  EXPECT_EQ(n.trained, n.total);
  EXPECT_EQ(n.forward_only, 256 + 256 + 2 * 576 + 40);
  // Recomputing every layer repeats the student's: 2 x 576 + 256 per token.
  const auto workload = uniform_workload(1, 16);
  EXPECT_EQ(recompute_flops(*both, workload, Recompute::full, AttentionCount::causal), 16 * 1408);
  EXPECT_DOUBLE_EQ(*convention_flops("hardware_full", *both, workload), 16.0 * (5760 + 3328 + 1408));
  EXPECT_FALSE(convention_flops("six_n", *both, workload));  // not every weight is trained
}

TEST(Training, ModelsOnTheSameBatchCountItAlike) {
  Architecture images = build_decoder(llama_3_8b());
  images.unit = "image_patch";
  EXPECT_FALSE(with_forward_model(build_decoder(llama_3_8b()), images).ok());
  Architecture small, large;
  small.units = {{.name = "image_patch", .length = 10}};
  large.units = {{.name = "image_patch", .length = 20}};
  EXPECT_FALSE(with_forward_model(small, large).ok());
  EXPECT_TRUE(with_forward_model(small, small).ok());
}

// A frozen tower, a trained projector: the tower goes forward, the projector needs no gradient of its input.
TEST(Training, AFrozenTowerHasNoBackwardPass) {
  Architecture a;
  a.units = {{.name = "image_patch", .length = 10}};
  a.blocks = {{.id = "tower", .operators = {per("image_patch", linear("tower.1", 4, 8))}, .part = "vision"},
              {.id = "projector", .operators = {per("image_patch", linear("projector", 8, 16))}, .part = "vision"},
              {.id = "head", .operators = {linear("head", 16, 32)}}};
  const Result<Architecture> frozen = with_frozen(a, words({"tower"}));
  ASSERT_TRUE(frozen.ok());
  const auto counts = count_operators(*frozen, uniform_workload(1, 5), AttentionCount::causal);
  EXPECT_EQ(counts[0].flops, (OperatorFlops{2 * 4 * 8 * 10, 0, 0}));
  EXPECT_EQ(counts[1].flops, (OperatorFlops{2 * 8 * 16 * 10, 0, 2 * 8 * 16 * 10}));
  EXPECT_EQ(counts[2].flops, (OperatorFlops{2 * 16 * 32 * 5, 2 * 16 * 32 * 5, 2 * 16 * 32 * 5}));
}

TEST(Training, SelectorsMustFit) {
  const Result<Architecture> wrong = with_frozen(build_decoder(llama_3_8b()), words({"atention_core"}));
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().hint.find("attention_core"), std::string::npos);
  EXPECT_FALSE(with_lora(build_decoder(llama_3_8b()), 8, words({"norm"})).ok());
}

// Llama 3 8B's matmul weights of layers 6,979,321,856 of 7,504,658,432; at length 1 attention is 32 x 4096 x 12 / 2.
TEST(Training, PrecisionShares) {
  const Result<Architecture> mixed = with_precision(build_decoder(llama_3_8b()), Precision::fp8, words({"all-linear"}));
  ASSERT_TRUE(mixed.ok());
  const std::vector<PrecisionShare> shares = precision_shares(*mixed, uniform_workload(1, 1));
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].precision, Precision::fp8);
  const double fp8 = 6.0 * 6'979'321'856, all = 6.0 * 7'504'658'432 + 6.0 * 32 * 4096;
  EXPECT_NEAR(shares[0].share_ratio, fp8 / all, 1e-12);
  EXPECT_NEAR(shares[0].share_ratio + shares[1].share_ratio, 1, 1e-12);
}

// Recomputing every MLP of Llama 3 8B: 2 x 3 x 4096 x 14336 per layer and token.
TEST(Training, RecomputePerOperator) {
  const Result<Architecture> marked = with_recomputed(build_decoder(llama_3_8b()), words({"mlp"}));
  ASSERT_TRUE(marked.ok());
  const Int128 repeated = recompute_flops(*marked, uniform_workload(1, 1), Recompute::none, AttentionCount::causal);
  EXPECT_EQ(static_cast<std::int64_t>(repeated), std::int64_t{32} * 6 * 4096 * 14336);
}

// Two images of 10 patches beside one text of 5 tokens: each token sees the 20 patches of its sample.
TEST(Units, CrossAttentionSeesTheKeysOfItsSample) {
  Architecture a;
  a.units = {{.name = "image_patch", .length = 10, .sequences = 2}};
  AttentionShape cross{2, 2, 4, 4, {MaskKind::bidirectional, 0}, "image_patch"};
  a.blocks = {{.id = "cross", .operators = {{.id = "core", .shape = cross}}}};
  Workload w;
  w.batch = {{5, 1}, {7, 2}};  // three samples
  EXPECT_EQ(static_cast<std::int64_t>(step_flops(a, w, AttentionCount::causal).forward),
            2 * (5 * 20 + 2 * 7 * 20) * 2 * (4 + 4));
}

// |i - j| <= 2 and blocks of 4, against enumeration.
TEST(Units, BandsAndBlocks) {
  for (std::int64_t s : {1, 2, 3, 5, 9, 16}) {
    std::int64_t band = 0, blocks = 0;
    for (std::int64_t i = 0; i < s; ++i) {
      for (std::int64_t j = 0; j < s; ++j) {
        band += i - j <= 2 && j - i <= 2;
        blocks += i / 4 == j / 4;
      }
    }
    EXPECT_EQ(attention_pairs_twice({MaskKind::band, 4}, s, AttentionCount::causal), 2 * band) << s;
    EXPECT_EQ(attention_pairs_twice({MaskKind::blocks, 4}, s, AttentionCount::causal), 2 * blocks) << s;
  }
}

// An indexer of 64 heads of 128 scores every earlier key; attention sees 2048 of them at most.
TEST(Units, SelectedKeysCostAsAWindow) {
  EXPECT_EQ(attention_pairs_twice({MaskKind::selected, 2048}, 131072, AttentionCount::causal),
            attention_pairs_twice({MaskKind::sliding, 2048}, 131072, AttentionCount::causal));
  DecoderShape s = deepseek_v3(0);
  s.indexer = IndexerShape{.heads = 64, .head_dim = 128, .keys = 2048};
  ASSERT_FALSE(check(s));
  Int128 scores = 0;
  for (const OperatorCount& op : count_operators(build_decoder(s), uniform_workload(1, 4096), AttentionCount::causal)) {
    if (op.id == "indexer.scores") scores += op.flops.forward;
  }
  // 61 layers, s^2 / 2 pairs, 2 FLOPs, 64 x 128.
  EXPECT_EQ(static_cast<std::int64_t>(scores), std::int64_t{61} * 4096 * 4096 * 64 * 128);
}

}  // namespace
}  // namespace nameplate
