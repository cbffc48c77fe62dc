// Parameter totals of published models, from the facts of their config.json to the exact integer.
//
// Every total is the number of weights of the published checkpoint, counted by hand from the dimensions; the terms
// stand beside each case. h hidden, n heads, k key/value heads, d head size, f feed-forward width, V vocabulary, L
// layers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/inputs/model_config.h"

namespace nameplate {
namespace {

struct Case {
  std::string model;
  std::string config;
  std::string total;
  std::string mtp = "0";
};

const std::vector<Case> kCases = {
    // V h + 1024 h + L (12 h^2 + 13 h) + 2 h
    {"GPT-2 124M",
     R"({"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768, "n_inner": null, "n_positions": 1024,
         "vocab_size": 50257})",
     "124439808"},
    // 2 V h + h + L (2 h^2 + 2 h k d + 3 h f + 2 h)
    {"Llama 3 8B",
     R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": false})",
     "8030261248"},
    {"Mistral 7B",
     R"({"model_type": "mistral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "sliding_window": 4096})",
     "7241732096"},
    // + (n + 2 k) d per layer for the biases of q, k, v
    {"Qwen2 7B",
     R"({"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584, "num_attention_heads": 28,
         "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064, "tie_word_embeddings": false,
         "use_sliding_window": false, "sliding_window": 131072, "max_window_layers": 28})",
     "7615616512"},
    // V h once; n d = 2048 = 2 h; + 2 d per layer for the norms of q and k
    {"Qwen3 0.6B",
     R"({"model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16,
         "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936,
         "tie_word_embeddings": true})",
     "596049920"},
    // per layer 128 experts of 3 h 768 and a router of 128 h
    {"Qwen3 30B-A3B",
     R"({"model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32,
         "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768,
         "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [],
         "vocab_size": 151936, "tie_word_embeddings": false})",
     "30532122624"},
    // per layer 60 experts of 3 h 1408, a router of 60 h, a shared expert of 3 h 5632 and its gate of h
    {"Qwen1.5-MoE A2.7B",
     R"({"model_type": "qwen2_moe", "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 16,
         "num_key_value_heads": 16, "intermediate_size": 5632, "moe_intermediate_size": 1408, "num_experts": 60,
         "shared_expert_intermediate_size": 5632, "num_experts_per_tok": 4, "decoder_sparse_step": 1,
         "vocab_size": 151936, "tie_word_embeddings": false})",
     "14315784192"},
    // per layer 8 experts of 3 h f and a router of 8 h
    {"Mixtral 8x7B",
     R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 8, "intermediate_size": 14336, "num_local_experts": 8, "num_experts_per_tok": 2,
         "vocab_size": 32000, "sliding_window": null, "tie_word_embeddings": false})",
     "46702792704"},
    // V h once; four norms per layer; n d = 4096
    {"Gemma 2 9B",
     R"({"model_type": "gemma2", "num_hidden_layers": 42, "hidden_size": 3584, "num_attention_heads": 16,
         "num_key_value_heads": 8, "head_dim": 256, "intermediate_size": 14336, "vocab_size": 256000,
         "sliding_window": 4096})",
     "9241705984"},
    {"Phi-3 mini",
     R"({"model_type": "phi3", "num_hidden_layers": 32, "hidden_size": 3072, "num_attention_heads": 32,
         "num_key_value_heads": 32, "intermediate_size": 8192, "vocab_size": 32064, "sliding_window": 2047})",
     "3821079552"},
    // 2 V h + V + 2 h + L (12 h^2 + 9 h + 2 h): one norm per layer
    {"Phi-2",
     R"({"model_type": "phi", "num_hidden_layers": 32, "hidden_size": 2560, "num_attention_heads": 32,
         "num_key_value_heads": null, "intermediate_size": 10240, "vocab_size": 51200})",
     "2779683840"},
    // 2 V h + 2 h + L (12 h^2 + 13 h)
    {"GPT-NeoX 20B",
     R"({"model_type": "gpt_neox", "num_hidden_layers": 44, "hidden_size": 6144, "num_attention_heads": 64,
         "intermediate_size": 24576, "vocab_size": 50432, "tie_word_embeddings": false})",
     "20554567680"},
    // V h + 2 h + L (h (n + 2) d + h^2 + 8 h^2 + 2 h)
    {"Falcon 7B",
     R"({"model_type": "falcon", "num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71,
         "num_kv_heads": 71, "multi_query": true, "new_decoder_architecture": false, "parallel_attn": true,
         "bias": false, "alibi": false, "vocab_size": 65024})",
     "6921720704"},
    // + V h: the checkpoint stores the output projection, too
    {"Falcon 7B, untied",
     R"({"model_type": "falcon", "num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71,
         "multi_query": true, "vocab_size": 65024, "tie_word_embeddings": false})",
     "7217189760"},
    // V h + 2 h + L (h (n + 2 k) d + h^2 + 8 h^2 + 4 h), in the keys of the first release
    {"Falcon 40B",
     R"({"model_type": "RefinedWeb", "n_layer": 60, "hidden_size": 8192, "n_head": 128, "n_head_kv": 8,
         "parallel_attn": true, "bias": false, "alibi": false, "vocab_size": 65024})",
     "41303293952"},
    // V h + 2 h (norm of the embedding) + 2 h + L (12 h^2 + 13 h)
    {"BLOOM 176B",
     R"({"model_type": "bloom", "n_layer": 70, "n_head": 112, "hidden_size": 14336, "vocab_size": 250880})",
     "176247271424"},
    // V h + 2050 h + L (12 h^2 + 13 h) + 2 h
    {"OPT 125M",
     R"({"model_type": "opt", "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12, "ffn_dim": 3072,
         "max_position_embeddings": 2048, "vocab_size": 50272, "word_embed_proj_dim": 768})",
     "125239296"},
    // 512 V + 2 * 512 h + 2050 h + L (12 h^2 + 13 h), no final norm
    {"OPT 350M",
     R"({"model_type": "opt", "num_hidden_layers": 24, "hidden_size": 1024, "num_attention_heads": 16, "ffn_dim": 4096,
         "max_position_embeddings": 2048, "vocab_size": 50272, "word_embed_proj_dim": 512,
         "do_layer_norm_before": false})",
     "331196416"},
    // 61 layers of latent attention: h 1536 + 1536 + 1536 n 192 + h 576 + 512 + 512 n 256 + n 128 h; 3 dense of 3 h
    // 18432;
    // 58 of 257 experts of 3 h 2048, a router of 256 h and its bias of 256. The MTP module adds 2 h^2 + 3 h and a
    // layer.
    {"DeepSeek-V3",
     R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128,
         "num_key_value_heads": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
         "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1,
         "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
         "topk_method": "noaux_tc", "num_nextn_predict_layers": 1, "vocab_size": 129280,
         "tie_word_embeddings": false})",
     "671026419200", "11610068224"},
    // no query compression: h n 192; 1 dense layer of 3 h 10944; 64 experts of 3 h 1408, 2 shared
    {"DeepSeek-V2-Lite",
     R"({"model_type": "deepseek_v2", "num_hidden_layers": 27, "hidden_size": 2048, "num_attention_heads": 16,
         "num_key_value_heads": 16, "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64,
         "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1, "moe_layer_freq": 1,
         "q_lora_rank": null, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
         "vocab_size": 102400, "tie_word_embeddings": false})",
     "15706484224"},
    // 2 V h + h + L (h (n + 2 k) d + (n + 2 k) d + n d h + 3 h f + 2 h)
    {"ChatGLM3 6B",
     R"({"model_type": "chatglm", "num_layers": 28, "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128,
         "multi_query_attention": true, "multi_query_group_num": 2, "ffn_hidden_size": 13696,
         "padded_vocab_size": 65024, "add_bias_linear": false, "add_qkv_bias": true, "rmsnorm": true,
         "tie_word_embeddings": false})",
     "6243584000"},
    {"GLM-4 9B chat",
     R"({"model_type": "chatglm", "num_layers": 40, "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128,
         "multi_query_attention": true, "multi_query_group_num": 2, "ffn_hidden_size": 13696,
         "padded_vocab_size": 151552, "add_bias_linear": false, "add_qkv_bias": true, "rmsnorm": true,
         "tie_word_embeddings": false})",
     "9399951360"},
    // + 2 h per layer: four norms
    {"GLM-4 9B 0414",
     R"({"model_type": "glm4", "num_hidden_layers": 40, "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 13696, "attention_bias": true,
         "vocab_size": 151552, "tie_word_embeddings": false})",
     "9400279040"},
    // per layer: attention with biases and 64 sinks, router 32 h + 32, experts of 2 h^2 + 2 h and h^2 + h
    {"GPT-OSS 20B",
     R"({"model_type": "gpt_oss", "num_hidden_layers": 24, "hidden_size": 2880, "num_attention_heads": 64,
         "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "num_local_experts": 32,
         "num_experts_per_tok": 4, "sliding_window": 128, "attention_bias": true, "vocab_size": 201088,
         "tie_word_embeddings": false})",
     "20914757184"},
    // 2 V h + 2 h + L (4 h^2 + 3 h f + 4 h)
    {"StableLM 3B 4E1T",
     R"({"model_type": "stablelm", "num_hidden_layers": 32, "hidden_size": 2560, "num_attention_heads": 32,
         "num_key_value_heads": 32, "intermediate_size": 6912, "use_qkv_bias": false, "vocab_size": 50304,
         "tie_word_embeddings": false})",
     "2795443200"},
    // V h + h + L (4 h^2 + 3 h f + h): one norm, without bias
    {"Command R",
     R"({"model_type": "cohere", "num_hidden_layers": 40, "hidden_size": 8192, "num_attention_heads": 64,
         "num_key_value_heads": 64, "intermediate_size": 22528, "vocab_size": 256000})",
     "34980831232"},
    // as GPT-2 with one key/value head: L (10 h^2 + 2 h d + ...) and 8192 positions
    {"StarCoder",
     R"({"model_type": "gpt_bigcode", "n_layer": 40, "n_head": 48, "n_embd": 6144, "n_inner": 24576,
         "n_positions": 8192, "multi_query": true, "vocab_size": 49152})",
     "15517456384"},
    // 2 V h + 2 h + L (h (n + 2 k) d + n d h + 2 h f + biases of each + 4 h)
    {"StarCoder2 15B",
     R"({"model_type": "starcoder2", "num_hidden_layers": 40, "hidden_size": 6144, "num_attention_heads": 48,
         "num_key_value_heads": 4, "intermediate_size": 24576, "use_bias": true, "sliding_window": 4096,
         "vocab_size": 49152, "tie_word_embeddings": false})",
     "15957889024"},
    // the MLP's width: 1.3 * 8 h / 3 = 14199, rounded up to 14336
    {"Llama 3 8B, params.json",
     R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256, "multiple_of": 1024,
         "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05, "rope_theta": 500000.0})",
     "8030261248"},
    // norms have no weights: 2 V h + L (4 h^2 + 3 h f)
    {"OLMo 7B",
     R"({"model_type": "olmo", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 50304, "tie_word_embeddings": false})",
     "6888095744"},
    // + 2 h per layer for the norms of q and k over all heads
    {"OLMo 2 7B",
     R"({"model_type": "olmo2", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 100352, "tie_word_embeddings": false})",
     "7298617344"},
};

TEST(ModelConfigParameters, TotalsOfPublishedModels) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.model);
    const Result<ModelConfig> config = read_model_config(c.config, "config.json");
    ASSERT_TRUE(config.ok()) << render(config.error());
    if (config->decoder) { ASSERT_FALSE(check(*config->decoder)) << render(*check(*config->decoder)); }
    const ParameterCount counted =
        count_parameters(config->decoder ? build_decoder(*config->decoder, config->rest) : config->rest);
    EXPECT_EQ(to_decimal(counted.total), c.total);
    EXPECT_EQ(to_decimal(counted.mtp), c.mtp);
  }
}

}  // namespace
}  // namespace nameplate
