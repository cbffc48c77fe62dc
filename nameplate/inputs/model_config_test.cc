#include "nameplate/inputs/model_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nameplate {
namespace {

// A Llama of 4 layers; `more` adds keys (they must differ from these).
std::string llama(const std::string& more, const std::string& model_type = "llama") {
  return R"({"model_type": ")" + model_type +
         R"(", "num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 8, "intermediate_size": 96,
            "vocab_size": 1000)" +
         (more.empty() ? "" : ", " + more) + "}";
}

DecoderShape shape(const std::string& text) {
  const Result<ModelConfig> config = read_model_config(text, "config.json");
  EXPECT_TRUE(config.ok()) << render(config.error());
  return config.ok() && config->decoder ? *config->decoder : DecoderShape{};
}

std::vector<std::string> assumption_ids(const std::string& text) {
  const Result<ModelConfig> config = read_model_config(text, "config.json");
  EXPECT_TRUE(config.ok()) << render(config.error());
  std::vector<std::string> ids;
  if (config.ok()) {
    for (const Assumption& assumption : config->assumptions) ids.push_back(assumption.id);
  }
  return ids;
}

Error error_of(const std::string& text) {
  const Result<ModelConfig> config = read_model_config(text, "config.json");
  EXPECT_FALSE(config.ok());
  return config.ok() ? Error{} : config.error();
}

const Mask kCausal{};
Mask sliding(std::int64_t window) { return {MaskKind::sliding, window}; }

TEST(ModelConfig, Dimensions) {
  const DecoderShape s = shape(llama(R"("num_key_value_heads": 2, "head_dim": 16, "tie_word_embeddings": true)"));
  EXPECT_EQ(s, (DecoderShape{.name = "llama",
                             .layers = 4,
                             .hidden = 64,
                             .heads = 8,
                             .kv_heads = 2,
                             .head_dim = 16,
                             .ffn = 96,
                             .vocab = 1000,
                             .tied_embeddings = true}));
}

TEST(ModelConfig, NullAndAbsentKeyValueHeadsAreTheHeads) {
  EXPECT_EQ(shape(llama("")).kv_heads, 8);
  EXPECT_EQ(shape(llama(R"("num_key_value_heads": null)")).kv_heads, 8);
  EXPECT_EQ(shape(llama("", "mistral")).kv_heads, 8);  // MistralConfig's default
}

TEST(ModelConfig, NullAndAbsentHeadSizeDiffer) {
  EXPECT_EQ(shape(llama("", "llama")).head_dim, 8);
  EXPECT_EQ(shape(llama("", "qwen3")).head_dim, 128);  // Qwen3Config's default
  EXPECT_EQ(shape(llama(R"("head_dim": null)", "qwen3")).head_dim, 8);
}

TEST(ModelConfig, ThePaddedVocabularyIsTheTrainedOne) {
  EXPECT_EQ(shape(llama(R"("padded_vocab_size": 1024)")).vocab, 1024);
}

TEST(ModelConfig, WholeNumbersMayBeFloats) { EXPECT_EQ(shape(llama(R"("num_key_value_heads": 2.0)")).kv_heads, 2); }

TEST(ModelConfig, TiedEmbeddingsDefaultOfTheFamily) {
  struct Case {
    std::string model_type;
    bool tied;
  };
  for (const Case& c : std::vector<Case>{{"llama", false},
                                         {"mistral", false},
                                         {"qwen2", false},
                                         {"phi3", false},
                                         {"gpt_neox", false},
                                         {"gemma", true},
                                         {"gemma2", true},
                                         {"falcon", true},
                                         {"bloom", true},
                                         {"opt", true},
                                         {"gpt2", true}}) {
    SCOPED_TRACE(c.model_type);
    EXPECT_EQ(shape(llama("", c.model_type)).tied_embeddings, c.tied);
    EXPECT_EQ(shape(llama(R"("tie_word_embeddings": true)", c.model_type)).tied_embeddings, true);
    EXPECT_EQ(shape(llama(R"("tie_word_embeddings": false)", c.model_type)).tied_embeddings, false);
    EXPECT_EQ(shape(llama(R"("tie_word_embeddings": null)", c.model_type)).tied_embeddings, false);  // as in Python
  }
}

TEST(ModelConfig, DefaultsAreAssumptions) {
  const Result<ModelConfig> config = read_model_config(llama("", "gemma2"), "config.json");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(
      config->assumptions,
      (std::vector<Assumption>{
          {"model_config.defaults",
           {{"keys", "num_key_value_heads = 4, head_dim = 256, tie_word_embeddings = true, sliding_window = 4096"}}}}));
  EXPECT_TRUE(assumption_ids(llama(R"("tie_word_embeddings": false)")).empty());
}

TEST(ModelConfig, WindowsOfFamilies) {
  using Masks = std::vector<Mask>;
  struct Case {
    std::string model_type;
    std::string keys;
    Masks masks;
  };
  const std::vector<Case> cases = {
      {"llama", R"("sliding_window": 16)", {}},  // Llama has none, whatever the file says
      {"mistral", R"("sliding_window": 16)", {sliding(16)}},
      {"mistral", R"("sliding_window": null)", {}},
      {"mistral", "", {sliding(4096)}},
      {"phi3", R"("sliding_window": 2047)", {sliding(2047)}},
      {"qwen2", R"("sliding_window": 16, "max_window_layers": 2, "use_sliding_window": false)", {}},
      {"qwen2",
       R"("sliding_window": 16, "max_window_layers": 2, "use_sliding_window": true)",
       {kCausal, kCausal, sliding(16), sliding(16)}},
      {"qwen2", R"("sliding_window": 16, "max_window_layers": 0, "use_sliding_window": true)", {sliding(16)}},
      {"qwen2", R"("sliding_window": 16, "max_window_layers": 4, "use_sliding_window": true)", {}},
      {"gemma2", R"("sliding_window": 16)", {sliding(16), kCausal, sliding(16), kCausal}},
      {"gemma3_text", R"("sliding_window": 16)", {sliding(16)}},  // the sixth layer would be the first causal one
      {"gemma3_text",
       R"("sliding_window": 16, "sliding_window_pattern": 3)",
       {sliding(16), sliding(16), kCausal, sliding(16)}},
      {"olmo3", R"("sliding_window": 16)", {sliding(16), sliding(16), sliding(16), kCausal}},
      // a list of the layers wins over the family's rule
      {"gemma2",
       R"("sliding_window": 16, "layer_types": ["full_attention", "full_attention", "full_attention",
          "sliding_attention"])",
       {kCausal, kCausal, kCausal, sliding(16)}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.model_type + " " + c.keys);
    EXPECT_EQ(shape(llama(c.keys, c.model_type)).masks, c.masks);
  }
}

TEST(ModelConfig, GptOssAlternatesWindowsAndHasBiasesAndSinks) {
  const DecoderShape s = shape(llama(R"("num_local_experts": 4, "num_experts_per_tok": 2)", "gpt_oss"));
  EXPECT_EQ(s.masks, (std::vector<Mask>{sliding(128), kCausal, sliding(128), kCausal}));
  EXPECT_TRUE(s.qkv_bias && s.attention_out_bias);
  EXPECT_EQ(s.attention_sinks, 1);
  EXPECT_EQ(s.head_dim, 64);
  EXPECT_EQ(
      s.moe,
      (MoeShape{.experts = 4, .experts_per_token = 2, .expert_ffn = 96, .router_bias = true, .expert_bias = true}));
}

TEST(ModelConfig, Llama4ChunksThreeOfFourLayers) {
  const DecoderShape s = shape(llama(
      R"("num_local_experts": 4, "num_experts_per_tok": 1, "attention_chunk_size": 32, "intermediate_size_mlp": 128,
            "interleave_moe_layer_step": 2)",
      "llama4_text"));
  const Mask chunk{MaskKind::chunked, 32};
  EXPECT_EQ(s.masks, (std::vector<Mask>{chunk, chunk, chunk, kCausal}));
  EXPECT_EQ(s.ffn, 128);
  EXPECT_EQ(s.moe, (MoeShape{.experts = 4, .experts_per_token = 1, .expert_ffn = 96, .shared_ffn = 96, .every = 2}));
}

TEST(ModelConfig, ExpertsUnderEverySpelling) {
  for (const std::string key : {"num_experts", "n_routed_experts", "num_local_experts"}) {
    const std::string text =
        llama("\"" + key + R"(": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 32, "n_shared_experts": 2)",
              "qwen3_moe");
    EXPECT_EQ(shape(text).moe, (MoeShape{.experts = 16, .experts_per_token = 4, .expert_ffn = 32, .shared_ffn = 64}));
  }
}

TEST(ModelConfig, WhichLayersAreDense) {
  const std::string experts = R"("num_experts": 16, "num_experts_per_tok": 4, )";
  const MoeShape qwen =
      *shape(llama(experts + R"("decoder_sparse_step": 2, "mlp_only_layers": [3, 1, 3, 99])", "qwen2_moe")).moe;
  EXPECT_EQ(qwen.every, 2);
  EXPECT_EQ(qwen.dense_layers, (std::vector<std::int64_t>{1, 3}));
  const MoeShape deepseek =
      *shape(llama(experts + R"("first_k_dense_replace": 1, "moe_layer_freq": 2)", "deepseek_v3")).moe;
  EXPECT_EQ(deepseek.first_dense_layers, 1);
  EXPECT_EQ(deepseek.every, 1);
  EXPECT_EQ(deepseek.dense_layers, (std::vector<std::int64_t>{1, 3}));
  const MoeShape list = *shape(llama(experts + R"("moe_layer_freq": [0, 1, 1, 0])", "deepseek_v3")).moe;
  EXPECT_EQ(list.dense_layers, (std::vector<std::int64_t>{0, 3}));
}

TEST(ModelConfig, SharedExpertOfQwen2Moe) {
  const DecoderShape s = shape(llama(
      R"("num_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 80)",
      "qwen2_moe"));
  EXPECT_EQ(s.moe->shared_ffn, 80);
  EXPECT_TRUE(s.moe->shared_gate);
  EXPECT_TRUE(s.qkv_bias);
  EXPECT_FALSE(s.attention_out_bias);
}

TEST(ModelConfig, LatentAttentionAndMultiTokenPrediction) {
  const DecoderShape s = shape(llama(
      R"("q_lora_rank": null, "kv_lora_rank": 24, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 12,
         "num_nextn_predict_layers": 1)",
      "deepseek_v3"));
  EXPECT_EQ(s.mla, (MlaShape{.q_rank = 0, .kv_rank = 24, .nope_dim = 16, .rope_dim = 8, .v_dim = 12}));
  EXPECT_EQ(s.mtp_depth, 1);
}

TEST(ModelConfig, FalconHeadsAndNorms) {
  EXPECT_EQ(shape(llama("", "falcon")).kv_heads, 1);
  EXPECT_EQ(shape(llama("", "falcon")).norms_per_layer, 1);
  EXPECT_EQ(shape(llama(R"("multi_query": false, "parallel_attn": false, "bias": true)", "falcon")).kv_heads, 8);
  EXPECT_EQ(shape(llama(R"("multi_query": false, "parallel_attn": false)", "falcon")).norms_per_layer, 2);
  const DecoderShape grouped = shape(llama(R"("new_decoder_architecture": true, "num_kv_heads": 4)", "falcon"));
  EXPECT_EQ(grouped.kv_heads, 4);
  EXPECT_EQ(grouped.norms_per_layer, 2);
  EXPECT_FALSE(grouped.qkv_bias);
}

TEST(ModelConfig, TextPartOfAVisionLanguageModel) {
  const std::string text = R"({"model_type": "qwen3_vl", "tie_word_embeddings": true, "audio_config": {"depth": 27},
                              "text_config": )" +
                           llama(R"("tie_word_embeddings": false)", "qwen3_vl_text") + "}";
  EXPECT_EQ(shape(text).layers, 4);
  EXPECT_TRUE(shape(text).qk_norm);
  EXPECT_TRUE(shape(text).tied_embeddings);  // the outer word is the one that the output projection follows
  EXPECT_EQ(assumption_ids(text), (std::vector<std::string>{"model_config.text_only", "model_config.defaults"}));
}

TEST(ModelConfig, UnknownTypeWithTheGenericKeysIsReadLikeLlama) {
  const std::string text =
      llama(R"("tie_word_embeddings": false, "num_experts": 4, "num_experts_per_tok": 2)", "new_lm");
  EXPECT_EQ(assumption_ids(text), (std::vector<std::string>{"model_config.read_as"}));
  EXPECT_EQ(shape(text).moe->experts, 4);
}

TEST(ModelConfig, UnknownTypeSaysWhichKeysItNeeds) {
  const Error e = error_of(R"({"model_type": "lama", "num_hidden_layers": 4, "hidden_size": 64})");
  EXPECT_EQ(e.found, "unknown model_type 'lama', and no 'num_attention_heads', 'intermediate_size', 'vocab_size'");
  EXPECT_NE(e.hint.find("'llama'"), std::string::npos) << e.hint;
  EXPECT_NE(e.hint.find("[model] in run.toml"), std::string::npos) << e.hint;
}

TEST(ModelConfig, OtherModelsAreRefused) {
  struct Case {
    std::string model_type;
    std::string keys;
    std::string found;
    std::string path;
  };
  const std::vector<Case> cases = {
      {"bamba", "", "model_type 'bamba' has layers that are not attention + MLP; not counted yet", "/model_type"},
      {"electra", "", "model_type 'electra' is an encoder, not a decoder; not counted yet", "/model_type"},
      {"bart", "", "model_type 'bart' is an encoder-decoder; not counted yet", "/model_type"},
      {"new_lm", R"("mamba_d_state": 16)",
       "model_type 'new_lm' has layers that are not attention + MLP; not counted yet", "/mamba_d_state"},
      {"new_lm", R"("is_encoder_decoder": true)", "model_type 'new_lm' is an encoder-decoder; not counted yet",
       "/is_encoder_decoder"},
      {"new_lm", R"("architectures": ["NewForMaskedLM"])",
       "model_type 'new_lm' is an encoder, not a decoder; not counted yet", "/architectures"},
      {"qwen2", R"("use_sliding_window": true, "layer_types": ["conv", "conv", "conv", "conv"])",
       "'conv' layers, which are not attention + MLP; not counted yet", "/layer_types"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.found);
    const Error e = error_of(llama(c.keys, c.model_type));
    EXPECT_EQ(e.found, c.found);
    EXPECT_EQ(e.place.file, "config.json");
    EXPECT_EQ(e.place.path, c.path);
  }
}

TEST(ModelConfig, WrongValuesAreLocated) {
  struct Case {
    std::string text;
    std::string found;
    std::string path;
  };
  const std::vector<Case> cases = {
      {llama(R"("num_key_value_heads": -1)"), "'num_key_value_heads' is -1", "/num_key_value_heads"},
      {llama(R"("num_key_value_heads": 1e300)"), "'num_key_value_heads' is 1e+300", "/num_key_value_heads"},
      {llama(R"("num_key_value_heads": "two")"), "'num_key_value_heads' is a string", "/num_key_value_heads"},
      {llama(R"("num_key_value_heads": 3)"), "8 attention heads and 3 key/value heads", "/num_key_value_heads"},
      {llama(R"("num_nextn_predict_layers": 65)", "deepseek_v3"), "'num_nextn_predict_layers' is 65",
       "/num_nextn_predict_layers"},
      {R"({"dim": 64, "n_layers": 4, "n_heads": 8, "vocab_size": 1000, "multiple_of": 16, "ffn_dim_multiplier": -1})",
       "'ffn_dim_multiplier' is -1", "/ffn_dim_multiplier"},
      {R"({"dim": 16777216, "n_layers": 4, "n_heads": 8, "vocab_size": 1000, "multiple_of": 16})",
       "an MLP of width 44739248", "/ffn_dim_multiplier"},
      {llama(R"("head_dim": 0)"), "'head_dim' is 0", "/head_dim"},
      {llama(R"("tie_word_embeddings": "no")"), "'tie_word_embeddings' is a string", "/tie_word_embeddings"},
      {llama(R"("num_experts": 2, "num_experts_per_tok": 3)"), "3 experts per token of only 2", "/num_experts_per_tok"},
      {llama(R"("num_experts": 2)"), "no 'num_experts_per_tok'", ""},
      {llama(R"("layer_types": ["full_attention"])", "gemma2"), "1 layer types for 4 layers", "/layer_types"},
      {llama(R"("mlp_only_layers": [-1], "num_experts": 2, "num_experts_per_tok": 1)"), "'mlp_only_layers' contains -1",
       "/mlp_only_layers"},
      {R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": -5}})",
       "'hidden_size' is -5", "/text_config/hidden_size"},
      {R"({"model_type": "llama", "num_hidden_layer": 4})", "no 'num_hidden_layers'", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Error e = error_of(c.text);
    EXPECT_EQ(e.found, c.found);
    EXPECT_EQ(e.place.path, c.path);
  }
  EXPECT_EQ(error_of(cases.back().text).hint, "did you mean 'num_hidden_layer'?");
}

TEST(ModelConfig, WhatIsNoJsonObjectIsAnError) {
  for (const std::string& text : {std::string(), std::string("[1, 2]"),
                                  std::string("\x7f"
                                              "ELF\0\x01",
                                              6),
                                  std::string(100000, '['), std::string(R"({"model_type": "llama")")}) {
    EXPECT_EQ(error_of(text).place.file, "config.json");
  }
}

TEST(ModelConfig, LooksLikeOneByContent) {
  const auto looks = [](const std::string& text) { return looks_like_model_config(parse_json(text, "x")->root); };
  EXPECT_TRUE(looks(R"({"model_type": "bert"})"));
  EXPECT_TRUE(looks(R"({"dim": 7168, "n_layers": 61, "n_heads": 128})"));
  EXPECT_FALSE(looks(R"({"log_history": [], "global_step": 5})"));
  EXPECT_FALSE(looks(R"({"train_batch_size": 8, "zero_optimization": {"stage": 3}})"));
  EXPECT_FALSE(looks(R"([{"model_type": "llama"}])"));
}

}  // namespace
}  // namespace nameplate
