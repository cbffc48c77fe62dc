#include "nameplate/inputs/published_notes.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(PublishedNotes, PatternsAreRead) {
  const struct {
    std::string_view text;
    ArchitectureNotes notes;
  } cases[] = {
      {"", {}},
      {"tied embeddings; learned positions (position table grows with seq_len); no biases",
       {.tied_embeddings = true, .learned_positions = true}},
      {"squared ReLU; untied embeddings", {}},
      {"MLA (q_lora 1536, kv_lora 512, qk_nope 128, qk_rope 64, v 128); 1 shared expert; first 3 layers dense; MTP "
       "depth 1",
       {.latent_attention = true,
        .latent = {1536, 512, 128, 64, 128},
        .shared_experts = 1,
        .first_dense_layers = 3,
        .mtp_depth = 1}},
      {"MLA (q_lora 1536, kv_lora 512); 2 shared experts; first layer dense",
       {.latent_attention = true, .latent = {1536, 512, 0, 0, 0}, .shared_experts = 2, .first_dense_layers = 1}},
      {"MLA; Muon optimizer in NVIDIA runs", {.latent_attention = true}},
      {"hybrid Mamba-2 / attention", {.hybrid = true}},
      {"alternating sliding-window(128)/full attention; attention sinks",
       {.alternating_window = 128, .attention_sinks = true}},
      {"MTP; tied embeddings", {.tied_embeddings = true, .not_understood = {"MTP"}}},
      {"tied embeddings?", {.not_understood = {"tied embeddings?"}}},
  };
  for (const auto& c : cases) EXPECT_EQ(read_architecture_notes(c.text), c.notes) << c.text;
}

// A number too long for 64 bits, a pattern cut short: nothing, and no crash.
TEST(PublishedNotes, HostileNumbers) {
  EXPECT_EQ(read_architecture_notes("MTP depth 99999999999999999999999").mtp_depth, 0);
  EXPECT_EQ(read_architecture_notes("MLA (q_lora ").latent, MlaShape{});
  EXPECT_EQ(read_architecture_notes(";;; ;"), ArchitectureNotes{});
}

TEST(PublishedNotes, LatentDimensionsByModel) {
  // Kimi-K2's config.json: q_lora_rank 1536, kv_lora_rank 512, qk_nope 128, qk_rope 64, v_head_dim 128.
  ASSERT_NE(find_latent_dims("kimi-k2"), nullptr);
  EXPECT_EQ(find_latent_dims("kimi-k2")->shape, (MlaShape{1536, 512, 128, 64, 128}));
  EXPECT_NE(find_latent_dims("deepseek-v2 (4 layers)"), nullptr);
  EXPECT_EQ(find_latent_dims("llama3-8b"), nullptr);
}

}  // namespace
}  // namespace nameplate
