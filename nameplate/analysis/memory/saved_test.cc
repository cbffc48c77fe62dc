#include "nameplate/analysis/memory/saved.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/memory/gpt_for_test.h"

namespace nameplate {
namespace {

const Block& layers_of(const Architecture& architecture) {
  for (const Block& block : architecture.blocks) {
    if (!block.layers.empty()) return block;
  }
  return architecture.blocks.front();
}

// GiB of all layers for one micro-batch.
double layers_gib(const DecoderShape& shape, const MemoryFacts& facts, const Plan& plan, Recompute recompute) {
  constexpr std::int64_t kLength = 2048;
  const Architecture architecture = build_decoder(shape);
  const BlockActivations one =
      block_activations(layers_of(architecture), {facts, plan, recompute, Precision::fp16, kLength});
  return one.kept_bytes_per_unit() * static_cast<double>(kLength * plan.micro_batch * shape.layers) / 1073741824.0;
}

// Korthikanti et al. 2022, section 6.1 and figure 7: 22B at micro-batch 4 and 1T at micro-batch 1, tp 8; the first
// stage of the 1T model's pipeline holds as many micro-batches as make up all of its layers.
TEST(SavedTensors, KorthikantiWithoutRecompute) {
  EXPECT_DOUBLE_EQ(layers_gib(gpt_shape(kGpt22B), megatron_2022(), {.tp = 8, .micro_batch = 4}, Recompute::none),
                   59.25);
  EXPECT_DOUBLE_EQ(layers_gib(gpt_shape(kGpt1T), megatron_2022(), {.tp = 8}, Recompute::none), 131.25);
}

TEST(SavedTensors, KorthikantiSequenceParallelSelective) {
  const Plan plan22 = {.tp = 8, .sp = true, .micro_batch = 4};
  // 34 s b h L / t = 34 * 2048 * 4 * 6144 * 48 / 8 B
  EXPECT_DOUBLE_EQ(layers_gib(gpt_shape(kGpt22B), megatron_2022(), plan22, Recompute::selective), 9.5625);
  EXPECT_DOUBLE_EQ(layers_gib(gpt_shape(kGpt1T), megatron_2022(), {.tp = 8, .sp = true}, Recompute::selective),
                   26.5625);
}

TEST(SavedTensors, KorthikantiFullRecompute) {
  // 2 s b h L / t with the checkpoint divided by sequence parallelism
  EXPECT_DOUBLE_EQ(
      layers_gib(gpt_shape(kGpt22B), megatron_2022(), {.tp = 8, .sp = true, .micro_batch = 4}, Recompute::full),
      9.5625 * 2 / 34);
}

// NVIDIA/Megatron-LM #1225: selective recompute was expected to save 70 % and saved 2 %, since fused attention keeps no
// scores.
TEST(SavedTensors, SelectiveRecomputeSavesNothingWithFusedAttention) {
  MemoryFacts fused = megatron_2022();
  fused.fused_attention = true;
  const double none = layers_gib(gpt_shape(kGpt22B), fused, {.tp = 8}, Recompute::none);
  const double selective = layers_gib(gpt_shape(kGpt22B), fused, {.tp = 8}, Recompute::selective);
  EXPECT_LT(selective, none);
  EXPECT_GT(selective / none, 0.97);
  const double unfused = layers_gib(gpt_shape(kGpt22B), megatron_2022(), {.tp = 8}, Recompute::none);
  EXPECT_LT(layers_gib(gpt_shape(kGpt22B), megatron_2022(), {.tp = 8}, Recompute::selective) / unfused, 0.55);
}

// Summed by hand for Llama 3 8B: norm inputs 2 * 2 * 4096, their outputs the same, q, k, v 2 * 6144, output 2 * 4096
// and log-sum-exp 4 * 32, gate and up 4 * 14336, product 2 * 14336.
TEST(SavedTensors, ModernBlockByHand) {
  const Architecture architecture = build_decoder(llama_shape());
  const BlockActivations one =
      block_activations(layers_of(architecture), {MemoryFacts{}, Plan{}, Recompute::none, Precision::bf16, 8192});
  EXPECT_DOUBLE_EQ(one.kept_bytes_per_unit(), 16384 + 16384 + 12288 + 8192 + 128 + 57344 + 28672);
}

// Frozen weights need no inputs: what stays are the norms' and the activation function's operands and attention's own.
TEST(SavedTensors, FrozenWeightsSaveNoInputs) {
  Architecture frozen = build_decoder(llama_shape());
  for (Block& block : frozen.blocks) {
    for (Operator& op : block.operators) op.trainable = false;
  }
  const MemoryFacts facts;
  const SaveRules rules{facts, Plan{}, Recompute::none, Precision::bf16, 8192};
  EXPECT_DOUBLE_EQ(block_activations(layers_of(frozen), rules).kept_bytes_per_unit(),
                   16384 + 12288 + 8192 + 128 + 57344);
}

// torchtitan's "op": block input, q, v, gate and, uncompiled, the last output, and fused attention's output.
TEST(SavedTensors, AlternateMatmuls) {
  MemoryFacts facts;
  facts.selective = {RecomputeModule::alternate_matmuls};
  const Architecture architecture = build_decoder(llama_shape());
  const SaveRules rules{facts, Plan{}, Recompute::selective, Precision::bf16, 8192};
  const double compiled = 2 * (4096 + 4096 + 1024 + 14336 + 4096) + 128;
  EXPECT_DOUBLE_EQ(block_activations(layers_of(architecture), rules).kept_bytes_per_unit(), compiled);
  facts.compiled = false;
  EXPECT_DOUBLE_EQ(block_activations(layers_of(architecture), rules).kept_bytes_per_unit(), compiled + 8192);
}

// Mamba-2 of inner width 8192, state 128, 8 groups, 128 heads on hidden 4096: norm input and projection input 2 * 4096
// each, projection output 2 * (2 * 8192 + 2 * 8 * 128 + 128), scan output and last input 2 * 8192 each.
TEST(SavedTensors, StateSpaceLayerByHand) {
  DecoderShape s = llama_shape(2);
  s.mamba = MambaShape{.inner = 8192, .state = 128, .heads = 128, .groups = 8};
  s.pattern = {{.mixer = Mixer::mamba, .feed_forward = FeedForward::none}, {.mixer = Mixer::none}};
  const Architecture architecture = build_decoder(s);
  const BlockActivations one =
      block_activations(layers_of(architecture), {MemoryFacts{}, Plan{}, Recompute::none, Precision::bf16, 8192});
  EXPECT_DOUBLE_EQ(one.kept_bytes_per_unit(), 2 * 8192 + 2 * (16384 + 2048 + 128) + 2 * 16384);
}

// Cross attention over 1500 frames for 500 tokens: keys and values are three times as many as the queries.
TEST(SavedTensors, OtherUnitsCountPerSample) {
  Block block{.id = "layers", .repeat = 1, .layers = {0}};
  block.operators = {
      {.id = "cross",
       .role = OperatorRole::attention_core,
       .shape = AttentionShape{.heads = 8, .kv_heads = 8, .qk_dim = 64, .v_dim = 64, .keys_unit = "frame"}},
      {.id = "frames.norm", .role = OperatorRole::norm, .shape = ElementwiseShape{512, 512}, .unit = "frame"}};
  const MemoryFacts facts;
  const SaveRules rules{facts, Plan{}, Recompute::none, Precision::bf16, 500, {{"frame", 3, 1500}}};
  EXPECT_DOUBLE_EQ(block_activations(block, rules).kept_bytes_per_unit(),
                   2 * (512 + 3 * 1024) + 2 * 512 + 4 * 8 + 3 * 2 * 512);
}

TEST(SavedTensors, ExpertsSaveTheTokensSentToThem) {
  const Architecture architecture = build_decoder(moe_shape());
  const Block& moe = architecture.blocks[2];
  ASSERT_EQ(moe.id, "moe_layers");
  const BlockActivations one = block_activations(moe, {MemoryFacts{}, Plan{}, Recompute::none, Precision::bf16, 4096});
  double experts = 0;
  for (const SavedTensor& tensor : one.kept) {
    if (tensor.role == OperatorRole::expert) experts += tensor.bytes_per_unit;
  }
  EXPECT_DOUBLE_EQ(experts, 4 * (2 * 4096 + 2 * 2 * 1024 + 2 * 1024));
}

// The same layers by the operators' own mark as by the module's name: gate, up and product are made again.
TEST(SavedTensors, OperatorsMarkedForRecomputation) {
  Architecture marked = build_decoder(llama_shape());
  for (Block& block : marked.blocks) {
    for (Operator& op : block.operators) op.recomputed = op.role == OperatorRole::mlp;
  }
  const MemoryFacts facts;
  const SaveRules rules{facts, Plan{}, Recompute::none, Precision::bf16, 8192};
  const double all = block_activations(layers_of(build_decoder(llama_shape())), rules).kept_bytes_per_unit();
  EXPECT_DOUBLE_EQ(block_activations(layers_of(marked), rules).kept_bytes_per_unit(), all - 6 * 14336);
}

TEST(SavedTensors, RecomputeModulesNeverAddMemory) {
  const RecomputeModule modules[] = {RecomputeModule::core_attention, RecomputeModule::norm, RecomputeModule::mlp,
                                     RecomputeModule::expert_activation, RecomputeModule::experts};
  const Architecture architecture = build_decoder(moe_shape());
  for (const Block& block : architecture.blocks) {
    MemoryFacts facts;
    const double none =
        block_activations(block, {facts, Plan{}, Recompute::none, Precision::bf16, 4096}).kept_bytes_per_unit();
    for (RecomputeModule module : modules) {
      facts.selective = {module};
      EXPECT_LE(
          block_activations(block, {facts, Plan{}, Recompute::selective, Precision::bf16, 4096}).kept_bytes_per_unit(),
          none)
          << block.id << " " << name(module);
    }
  }
}

}  // namespace
}  // namespace nameplate
