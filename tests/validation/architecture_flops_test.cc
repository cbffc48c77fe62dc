// FLOPs of models that are no language models, against counts written out by hand.
//
// Forward FLOPs of one sample are 2 x (multiply-adds); each case lists its terms: patches, layers, heads. Where authors
// publish a figure (DiT: 118.6 GFLOPs, ViT-L/14: 81.1, in multiply-adds) it stands beside ours.
#include <gtest/gtest.h>

#include <string>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/inputs/manifest.h"
#include "nameplate/inputs/model_config.h"
#include "nameplate/inputs/operator_list.h"

namespace nameplate {
namespace {

using Integer = std::int64_t;

Architecture from_config(const std::string& text, const ModelDimensions& dimensions = {}) {
  Result<ModelConfig> config = read_model_config(text, "config.json", dimensions);
  EXPECT_TRUE(config.ok()) << render(config.error());
  if (!config.ok()) return {};
  return config->decoder ? build_decoder(*config->decoder, config->rest) : config->rest;
}

Architecture from_example(const std::string& name, const std::string& key = {}, const std::string& value = {}) {
  Result<Manifest> manifest = Manifest::read(std::string(NAMEPLATE_SOURCE_DIR) + "/examples/operator-list/" + name);
  EXPECT_TRUE(manifest.ok()) << render(manifest.error());
  if (!key.empty()) { EXPECT_FALSE(manifest->set(key, value)); }
  Result<Architecture> model = read_operator_list(*manifest->model_in_place(), name);
  EXPECT_TRUE(model.ok()) << render(model.error());
  return model.ok() ? *model : Architecture{};
}

OperatorFlops one_sample(const Architecture& a, Integer length = 0) {
  return step_flops(a, uniform_workload(1, length > 0 ? length : a.default_length), AttentionCount::causal);
}
Integer forward(const Architecture& a, Integer length = 0) {
  return static_cast<Integer>(one_sample(a, length).forward);
}

Integer forward_of(const Architecture& a, Integer length, std::string_view part) {
  Int128 sum = 0;
  for (const OperatorCount& op : count_operators(a, uniform_workload(1, length), AttentionCount::causal)) {
    if (op.part == part) sum += op.flops.forward;
  }
  return static_cast<Integer>(sum);
}

constexpr const char* kVitLarge = R"({"model_type": "vit", "hidden_size": 1024, "num_hidden_layers": 24,
  "num_attention_heads": 16, "intermediate_size": 4096, "patch_size": 14, "image_size": 224})";

// 256 patches of 3 x 14 x 14 values; 257 tokens with the class token, h = 1024: per layer 12 h^2 weights a token, and
// q k^T and p v over 257^2 pairs. In multiply-adds 81.01e9; timm prints 81.1.
TEST(ArchitectureFlops, VitLarge14) {
  const Integer h = 1024, patches = 256, tokens = 257;
  const Integer layer = 2 * tokens * 12 * h * h + 2 * 2 * tokens * tokens * h;
  EXPECT_EQ(forward(from_config(kVitLarge)), 2 * patches * 588 * h + 24 * layer);
  EXPECT_NEAR(static_cast<double>(forward(from_config(kVitLarge))) / 2e9, 81.0, 0.05);
}

// Three passes but for the patches, whose input needs no gradient.
TEST(ArchitectureFlops, PatchesNeedNoGradientOfTheirInput) {
  const OperatorFlops f = one_sample(from_config(kVitLarge));
  EXPECT_EQ(static_cast<Integer>(f.total()), static_cast<Integer>(3 * f.forward) - 2 * 256 * 588 * 1024);
}

// 448 pixels a side: 32 x 32 patches.
TEST(ArchitectureFlops, ImageSizeIsADimension) {
  const Architecture a = from_config(kVitLarge, {{"image_size", 448}});
  EXPECT_EQ(a.default_length, 1025);
  const Result<ModelConfig> wrong = read_model_config(kVitLarge, "config.json", {{"imag_size", 448}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(render(wrong.error()).find("image_size"), std::string::npos);
}

// BERT base, 512 tokens, h = 768: 12 layers of 12 h^2 and all pairs; every token through the head (h^2, then h V);
// pooler h^2 and 2 h for the class token.
TEST(ArchitectureFlops, BertBase) {
  const Architecture a = from_config(R"({"model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12,
    "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512})");
  const Integer h = 768, s = 512;
  const Integer layers = 12 * (2 * s * 12 * h * h + 4 * s * s * h);
  const Integer head = 2 * s * (h * h + h * 30522) + 2 * (h * h + 2 * h);
  EXPECT_EQ(forward(a), layers + head);
}

// Whisper tiny, h = 384: 3000 frames of 80 bands through two convolutions of 3 (the second halves), 1500 positions in
// the encoder, 448 tokens in the decoder, which sees s/2 keys of its own and all 1500 of the encoder's.
TEST(ArchitectureFlops, WhisperTiny) {
  const Architecture a = from_config(R"({"model_type": "whisper", "d_model": 384, "vocab_size": 51865,
    "encoder_layers": 4, "encoder_attention_heads": 6, "encoder_ffn_dim": 1536, "decoder_layers": 4,
    "decoder_attention_heads": 6, "decoder_ffn_dim": 1536, "num_mel_bins": 80, "max_source_positions": 1500,
    "max_target_positions": 448})");
  const Integer h = 384, f = 1500, s = 448;
  const Integer ears = 2 * 3000 * 80 * 3 * h + 2 * f * h * 3 * h;
  const Integer encoder = 4 * (2 * f * 12 * h * h + 4 * f * f * h);
  const Integer self = 2 * s * 12 * h * h + 2 * s * s * h;
  const Integer cross = 2 * s * 2 * h * h + 2 * f * 2 * h * h + 4 * s * f * h;
  EXPECT_EQ(forward_of(a, s, "encoder"), ears + encoder);
  EXPECT_EQ(forward_of(a, s, "decoder"), 4 * (self + cross) + 2 * s * h * 51865);
}

// DiT-XL/2 (arXiv 2212.09748, table 1): 118.6 GFLOPs and 675M parameters. h = 1152, 256 patches, 28 layers, each with
// six modulation vectors of the sample.
TEST(ArchitectureFlops, DitXl2) {
  const Architecture a = from_config(R"({"model_type": "dit"})");
  const Integer h = 1152, s = 256;
  const Integer layer = 2 * s * 12 * h * h + 4 * s * s * h + 2 * 6 * h * h;
  const Integer ends = 2 * s * 16 * h + 2 * (256 * h + h * h) + 2 * 2 * h * h + 2 * s * h * 32;
  EXPECT_EQ(forward(a), 28 * layer + ends);
  EXPECT_NEAR(static_cast<double>(forward(a)) / 2e9, 118.6, 0.05);
  EXPECT_EQ(to_decimal(count_parameters(a).total), "675129632");
}

// Flux.1 dev at 1024 x 1024 pixels: 4096 image and 512 text tokens, h = 3072. A double layer has 12 h^2 weights a
// stream and 6 h^2 of modulation each; a single layer 3 h^2 + 4 h^2 + 5 h^2 over all tokens and 3 h^2 of modulation.
TEST(ArchitectureFlops, FluxDev) {
  const Architecture a = from_config(R"({"model_type": "flux", "guidance_embeds": true})");
  const Integer h = 3072, image = 4096, text = 512, both = image + text;
  const Integer core = 4 * both * both * h;
  const Integer twice = 2 * both * 12 * h * h + 2 * 2 * 6 * h * h + core;
  const Integer once = 2 * both * 12 * h * h + 2 * 3 * h * h + core;
  const Integer conditioning = 2 * (2 * (256 * h + h * h) + 768 * h + h * h);
  const Integer ends = 2 * image * 64 * h + 2 * text * 4096 * h + 2 * 2 * h * h + 2 * image * h * 64;
  EXPECT_EQ(forward(a), 19 * twice + 38 * once + conditioning + ends);
  EXPECT_EQ(to_decimal(count_parameters(a).total), "11901408320");
}

// Qwen2.5-VL's tower on an image of 448 x 448: 1024 patches of 3 x 2 x 14 x 14 values, h = 1280, a gated MLP of 3420; 4
// layers see all pairs, 28 blocks of 64 patches; a merger of 5120^2 and 5120 x 3584 on a quarter as many.
TEST(ArchitectureFlops, Qwen25VlTower) {
  const Architecture a = from_config(R"({"model_type": "qwen2_5_vl", "num_hidden_layers": 28, "hidden_size": 3584,
    "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064,
    "tie_word_embeddings": false, "vision_config": {"model_type": "qwen2_5_vl"}})");
  const Integer h = 1280, n = 1024;
  const Integer layer = 2 * n * (4 * h * h + 3 * h * 3420);
  const Integer pairs = 4 * n * n + 28 * n * 64;
  const Integer merger = 2 * 256 * (5120 * 5120 + Integer{5120} * 3584);
  EXPECT_EQ(forward_of(a, 4096, "vision"), 2 * n * 1176 * h + 32 * layer + 4 * h * pairs + merger);
  EXPECT_EQ(to_decimal(count_parameters(a).total), "8292166656");
}

// One Evoformer block with r residues and s sequences: per cell of the alignment 2 x (5 + 5) c_m^2 for the two
// attentions, 2 x 8 c_m^2 for the transition, 2 x 2 x 32 c_m for the outer product; per pair 8 c_z for the bias, s x
// 32^2 + 32^2 c_z for the outer product, 12 c_z^2 + 2 r c_z for two triangle multiplications, 2 x (5 c_z^2 + 4 c_z) + 4
// r c_z for two triangle attentions and 8 c_z^2 for the transition, in multiply-adds.
TEST(ArchitectureFlops, EvoformerBlock) {
  const Architecture a = from_example("evoformer.toml", "model.dimensions.blocks", "1");
  const Integer r = 256, s = 128, m = 256, z = 128;
  const Integer cells = s * r * (10 * m * m + 8 * m * m + 2 * 32 * m) + 2 * m * (s * r * r + r * s * s);
  const Integer pairs = r * r * (8 * z + s * 1024 + 1024 * z + 12 * z * z + 10 * z * z + 8 * z + 8 * z * z);
  const Integer triangles = 2 * r * r * r * z + 2 * 2 * r * r * r * z;
  EXPECT_EQ(forward(a), 2 * (cells + pairs + triangles));
}

// Twice the residues: the triangles' part grows eightfold.
TEST(ArchitectureFlops, TrianglesAreCubic) {
  const auto triangles = [](const std::string& residues) {
    Int128 sum = 0;
    const Architecture a = from_example("evoformer.toml", "model.dimensions.residues", residues);
    for (const OperatorCount& op : count_operators(a, uniform_workload(1, 1), AttentionCount::causal)) {
      if (op.id == "triangle.multiplication" || op.id == "triangle_attention.core") sum += op.flops.forward;
    }
    return static_cast<Integer>(sum);
  };
  EXPECT_EQ(triangles("512"), 8 * triangles("256"));
}

// Megatron-LM counts a Mamba-2 layer as 2h (2 x 2h + 2 G S + H) + 7 x 2h x S + 2 x 2h x h; the convolution of 4 taps
// over 2h + 2 G S channels comes on top here.
TEST(ArchitectureFlops, Mamba2Layer) {
  const Architecture a = from_config(R"({"model_type": "mamba2", "num_hidden_layers": 1, "hidden_size": 4096,
    "state_size": 128, "num_heads": 128, "n_groups": 8, "expand": 2, "conv_kernel": 4, "vocab_size": 32768,
    "tie_word_embeddings": false})");
  const Integer h = 4096, g = 8, state = 128, heads = 128;
  const Integer layer = 2 * h * (2 * 2 * h + 2 * g * state + heads) + 7 * 2 * h * state + 2 * 2 * h * h;
  const Integer convolution = 2 * 4 * (2 * h + 2 * g * state);
  EXPECT_EQ(forward(a, 1), layer + convolution + 2 * h * 32768);
}

// A gated delta net as Megatron-LM counts it: 2 [h (2 qk + 2 v + 2 H_v) + conv (2 qk + v) + 4 H_v d_v^2 + h v], with
// Qwen3-Next's sizes.
TEST(ArchitectureFlops, GatedDeltaNetLayer) {
  const Architecture a = from_config(R"({"model_type": "qwen3_next", "num_hidden_layers": 1, "hidden_size": 2048,
    "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256, "intermediate_size": 5120,
    "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_key_head_dim": 128,
    "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "full_attention_interval": 4, "vocab_size": 151936,
    "tie_word_embeddings": false})");
  const Integer h = 2048, qk = 16 * 128, v = 32 * 128, heads = 32, d = 128;
  const Integer layer = 2 * (h * (2 * qk + 2 * v + 2 * heads) + 4 * (2 * qk + v) + 4 * heads * d * d + h * v);
  EXPECT_EQ(forward(a, 1), layer + 2 * 3 * h * 5120 + 2 * h * 151936);
}

// DDPM-like U-Net, by hand: 9 x in x out x positions multiply-adds a convolution.
TEST(ArchitectureFlops, UnetByLevels) {
  const Architecture a = from_example("unet.toml");
  const Integer b = 128, t = 512, p32 = 1024, p16 = 256, p8 = 64;
  const Integer in = 9 * 3 * b * p32 + b * t + t * t;
  const Integer down32 = 2 * (2 * 9 * b * b * p32 + t * b);
  const Integer to16 = 9 * b * b * p16 + 9 * b * 2 * b * p16;
  const Integer down16 = 2 * (2 * 9 * 4 * b * b * p16 + t * 2 * b + p16 * 4 * 4 * b * b + 2 * p16 * p16 * 2 * b);
  const Integer bottom = 4 * (2 * 9 * 4 * b * b * p8 + t * 2 * b);
  const Integer up16 = 3 * ((9 * 8 + 9 * 4 + 8) * b * b * p16 + t * 2 * b);
  const Integer up32 = 3 * ((9 * 2 + 9 + 2) * b * b * p32 + t * b);
  const Integer out = 9 * b * 3 * p32;
  EXPECT_EQ(forward(a), 2 * (in + down32 + to16 + down16 + bottom + up16 + up32 + out));
}

// Per atom 2 x (1 + 3) c^2 in each interaction and c^2/4 + c/4 in the head; per edge the radial network and 16 terms
// for each channel.
TEST(ArchitectureFlops, PotentialOnAtomsAndEdges) {
  const Architecture a = from_example("potential.toml");
  const Integer atoms = 64, edges = 64 * 24, c = 64;
  const Integer interaction = atoms * 8 * c * c + edges * (8 * 64 + 64 * 64 + 64 * 5 * c + 16 * c);
  EXPECT_EQ(forward(a), 2 * (4 * interaction + atoms * (c * 16 + 16)));
}

}  // namespace
}  // namespace nameplate
