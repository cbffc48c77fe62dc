#include "nameplate/inputs/decoder_keys.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

Result<DecoderShape> read(const std::string& toml) {
  Result<Node> table = parse_toml(toml, "run.toml");
  return table.ok() ? read_decoder_shape(*table, "run.toml") : Result<DecoderShape>(table.error());
}

const std::string kLlama = "layers = 32\nhidden = 4096\nheads = 32\nffn = 14336\nvocab = 128256\n";

// Without `line`, which must be one of kLlama's.
std::string llama_without(const std::string& line) {
  std::string text = kLlama;
  return text.erase(text.find(line), line.size());
}

TEST(DecoderKeysTest, WhatIsLeftOutHasOneMeaning) {
  Result<DecoderShape> shape = read(kLlama);
  ASSERT_TRUE(shape.ok()) << render(shape.error());
  DecoderShape expected;
  expected.layers = 32;
  expected.hidden = 4096;
  expected.heads = 32;
  expected.kv_heads = 32;
  expected.head_dim = 128;
  expected.ffn = 14336;
  expected.vocab = 128256;
  EXPECT_EQ(*shape, expected);
}

TEST(DecoderKeysTest, HybridsHaveALetterPerLayer) {
  const std::string hybrid = "layers = 4\nhidden = 64\nheads = 4\nffn = 128\nvocab = 100\nlayer_pattern = \"M-*-\"\n";
  const std::string mamba = "mamba_heads = 2\nmamba_head_dim = 64\nmamba_state = 16\n";
  Result<DecoderShape> shape = read(hybrid + mamba);
  ASSERT_TRUE(shape.ok()) << render(shape.error());
  EXPECT_EQ(shape->mamba->inner, 128);
  ASSERT_EQ(shape->pattern.size(), 4u);
  EXPECT_EQ(shape->pattern[0].mixer, Mixer::mamba);
  EXPECT_EQ(shape->pattern[2].feed_forward, FeedForward::none);
  EXPECT_FALSE(read(hybrid).ok());  // M without its sizes
  EXPECT_FALSE(read(hybrid + "mamba_heads = 2\n").ok());
  EXPECT_FALSE(read(kLlama + "layer_pattern = \"**\"\n").ok());
}

TEST(DecoderKeysTest, EveryKeyArrives) {
  Result<DecoderShape> shape = read(kLlama + R"(
kv_heads = 8
head_dim = 256
gated_mlp = false
tied_embeddings = true
learned_positions = 2048
embedding_width = 512
biases = true
mlp_bias = false
output_bias = true
norm = "layer"
norms_per_layer = 4
final_norm = false
embedding_norm = true
qk_norm = true
output_gate = true
attention_sinks = true
mtp_depth = 1
)");
  ASSERT_TRUE(shape.ok()) << render(shape.error());
  EXPECT_EQ(shape->kv_heads, 8);
  EXPECT_EQ(shape->head_dim, 256);
  EXPECT_FALSE(shape->gated_mlp);
  EXPECT_TRUE(shape->tied_embeddings);
  EXPECT_EQ(shape->learned_positions, 2048);
  EXPECT_EQ(shape->embedding_width, 512);
  EXPECT_TRUE(shape->qkv_bias && shape->attention_out_bias && shape->output_bias);
  EXPECT_FALSE(shape->mlp_bias);
  EXPECT_EQ(shape->norm, NormKind::layer);
  EXPECT_EQ(shape->norms_per_layer, 4);
  EXPECT_FALSE(shape->final_norm);
  EXPECT_TRUE(shape->embedding_norm && shape->qk_norm && shape->output_gate);
  EXPECT_EQ(shape->attention_sinks, 1);
  EXPECT_EQ(shape->mtp_depth, 1);
}

TEST(DecoderKeysTest, Experts) {
  Result<DecoderShape> shape = read(kLlama + R"(
experts = 64
experts_per_token = 6
expert_ffn = 1408
shared_ffn = 2816
shared_gate = true
first_dense_layers = 1
moe_every = 2
dense_layers = [3, 5]
router_bias = true
expert_bias = true
)");
  ASSERT_TRUE(shape.ok()) << render(shape.error());
  EXPECT_EQ(shape->moe, (MoeShape{64, 6, 1408, 2816, true, 1, 2, {3, 5}, true, true}));
}

TEST(DecoderKeysTest, LatentAttention) {
  Result<DecoderShape> shape =
      read(kLlama + "q_rank = 1536\nkv_rank = 512\nnope_dim = 128\nrope_dim = 64\nv_dim = 128");
  ASSERT_TRUE(shape.ok()) << render(shape.error());
  EXPECT_EQ(shape->mla, (MlaShape{1536, 512, 128, 64, 128}));
  EXPECT_EQ(shape->head_dim, 192);
}

TEST(DecoderKeysTest, Windows) {
  EXPECT_EQ(read(kLlama + "window = 4096")->masks, (std::vector<Mask>{{MaskKind::sliding, 4096}}));
  EXPECT_EQ(read(kLlama + "chunk = 8192")->masks, (std::vector<Mask>{{MaskKind::chunked, 8192}}));
  std::vector<Mask> masks = read(kLlama + "window = 1024\nwindow_pattern = \"5:1\"")->masks;
  ASSERT_EQ(masks.size(), 32u);
  for (std::size_t layer = 0; layer < masks.size(); ++layer) {
    EXPECT_EQ(masks[layer].kind, layer % 6 == 5 ? MaskKind::causal : MaskKind::sliding) << layer;
  }
}

TEST(DecoderKeysTest, AWrongTableIsALocatedError) {
  struct Case {
    std::string text;
    const char* message;
  };
  for (const Case& c : {
           Case{kLlama + "layer = 3", "run.toml:6:"},
           Case{kLlama + "kv_head = 3", "did you mean 'kv_heads'"},
           Case{llama_without("layers = 32\n"), "'layers' is missing"},
           Case{llama_without("vocab = 128256\n"), "'vocab' is missing"},
           Case{llama_without("ffn = 14336\n"), "'ffn' is missing"},
           Case{llama_without("layers = 32\n") + "layers = 0", "0, expected an integer between 1 and 1000000000"},
           Case{llama_without("layers = 32\n") + "layers = -4", "-4, expected"},
           Case{llama_without("layers = 32\n") + "layers = 100001", "at most 100000 layers"},
           Case{llama_without("layers = 32\n") + "layers = \"32\"", "'32', expected an integer"},
           Case{llama_without("hidden = 4096\n") + "hidden = 5000000000", "5000000000, expected"},
           Case{llama_without("hidden = 4096\n") + "hidden = 4095", "'head_dim' to be given"},
           Case{kLlama + "kv_heads = 5", "a divisor of heads"},
           Case{kLlama + "norm = \"batch\"", "\"rms\" or \"layer\""},
           Case{kLlama + "kv_rank = 512", "latent attention needs"},
           Case{kLlama + "experts = 8", "'experts_per_token' is missing"},
           Case{kLlama + "experts_per_token = 2", "'experts' is missing"},
           Case{kLlama + "experts = 8\nexperts_per_token = 9", "at most as many as there are experts"},
           Case{llama_without("ffn = 14336\n") + "experts = 8\nexperts_per_token = 2", "'expert_ffn' is missing"},
           Case{llama_without("ffn = 14336\n") + "experts = 8\nexperts_per_token = 2\nexpert_ffn = 64\nmoe_every = 2",
                "'ffn' is missing"},
           Case{kLlama + "window = 128\nwindow_pattern = \"5\"", "as in \"5:1\""},
           Case{kLlama + "window_pattern = \"5:1\"", "without 'window'"},
           Case{kLlama + "window = 128\nchunk = 128", "both 'window' and 'chunk'"},
       }) {
    Result<DecoderShape> shape = read(c.text);
    ASSERT_FALSE(shape.ok()) << c.text;
    EXPECT_NE(render(shape.error()).find(c.message), std::string::npos) << c.text << "\n" << render(shape.error());
  }
}

}  // namespace
}  // namespace nameplate
