#include "nameplate/api/flops.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

Int128 exact(const Document& d, std::string_view id) {
  const Value* value = d.find_value(id);
  EXPECT_NE(value, nullptr) << id;
  return value == nullptr ? Int128{0} : std::get<Int128>(value->value);
}

// Llama 3 8B at 8192: 51,470,401,536 FLOP per token, 7,504,658,432 weights in matmuls.
TEST(Flops, ExactIntegersUnderTheKeysOfThePlan) {
  const Document d = flops({.model = "llama-3-8b", .sequence_length = 8192, .sequences = 1}).value();
  EXPECT_EQ(exact(d, "parameters_total"), Int128{8'030'261'248});
  EXPECT_EQ(exact(d, "parameters_active"), Int128{8'030'261'248});
  EXPECT_EQ(exact(d, "parameters_matmul"), Int128{7'504'658'432});
  EXPECT_EQ(exact(d, "flops_per_token"), Int128{51'470'401'536});
  EXPECT_EQ(exact(d, "flops_per_token_forward"), Int128{51'470'401'536 / 3});
  EXPECT_EQ(exact(d, "flops_per_step"), Int128{51'470'401'536} * 8192);
  EXPECT_NE(d.find_table("operators"), nullptr);
  EXPECT_NE(d.find_table("conventions"), nullptr);
  EXPECT_TRUE(d.assumptions.empty());
}

// 16 M tokens of a model of 405 B: beyond 2^63.
TEST(Flops, AStepBeyond64Bits) {
  const Document d = flops({.model = "llama-3.1-405b", .sequence_length = 8192, .sequences = 2048}).value();
  EXPECT_EQ(exact(d, "flops_per_step"), exact(d, "flops_per_token") * 8192 * 2048);
  EXPECT_GT(exact(d, "flops_per_step"), Int128{1} << 63);
}

// Shares are parts of one whole, parameters those of the model.
TEST(Flops, TheOperatorsSumToTheModel) {
  const Document d = flops({.model = "qwen3-30b-a3b", .sequence_length = 4096}).value();
  Int128 parameters = 0;
  double share = 0;
  for (const auto& row : d.find_table("operators")->rows) {
    parameters += std::get<Int128>(row[3]);
    share += std::get<double>(row.back());
  }
  EXPECT_EQ(parameters, exact(d, "parameters_total"));
  EXPECT_NEAR(share, 1, 1e-12);
}

TEST(Flops, TheSequenceLengthIsAssumedAloud) {
  const Document d = flops({.model = "llama-3-8b"}).value();
  ASSERT_EQ(d.assumptions.size(), 1u);
  EXPECT_EQ(d.assumptions[0].id, "flops.sequence_assumed");
  EXPECT_EQ(exact(d, "tokens_per_step"), Int128{8192});
}

TEST(Flops, AConfigurationFile) {  // the model of tiny_run_for_test.h: 9,984 FLOP per token at 16
  const TestFolder folder;
  const std::string config = folder.write("config.json", R"({"model_type": "llama", "num_hidden_layers": 2,
    "hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 32})");
  EXPECT_EQ(exact(flops({.model = config, .sequence_length = 16}).value(), "flops_per_token"), Int128{9984});
}

// Distillation of that model by itself: 9,984 trained and a third of it forward. 32 x 8 for table and head, 576 a
// layer, norms 5 x 8: 1,704 parameters each.
TEST(Flops, AModelThatRunsForwardOnTheSameBatch) {
  const TestFolder folder;
  folder.write("teacher/config.json", R"({"model_type": "llama", "num_hidden_layers": 2,
    "hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 32})");
  const std::string manifest = folder.write("run.toml", R"([model]
config = "teacher/config.json"
[training]
seq_len = 16
forward_models = ["teacher/config.json"]
)");
  const Document d = flops({.model = manifest}).value();
  EXPECT_EQ(exact(d, "flops_per_token"), Int128{9984 + 9984 / 3});
  EXPECT_EQ(exact(d, "flops_per_token_forward"), Int128{2 * 9984 / 3});
  EXPECT_EQ(exact(d, "parameters_total"), Int128{1704});
  EXPECT_EQ(exact(d, "parameters_forward_only"), Int128{1704});
  ASSERT_NE(d.find_table("parts"), nullptr);
  EXPECT_EQ(std::get<std::string>(d.find_table("parts")->rows[0][0]), "trained");
  EXPECT_EQ(std::get<Int128>(d.find_table("parts")->rows[1][3]), Int128{16 * 9984 / 3});
  // By a name of the catalogue, and what is none.
  const auto with = [](std::string name) {
    return flops({.model = "llama-3-8b", .sequence_length = 8192, .settings = {{"training.forward_models", name}}});
  };
  // 6 N_student + 2 N_teacher + attention 6 and 2 x L h s: 51,470,401,536 + (70B: 449.22e9 / 3).
  EXPECT_NEAR(to_double(exact(with("llama-3-70b").value(), "flops_per_token")) / 1e9, 51.47 + 149.74, 0.01);
  EXPECT_FALSE(with("llama-3-71b").ok());
  EXPECT_FALSE(with("no/config.json").ok());
}

TEST(Flops, WhatIsNoModel) {
  const TestFolder folder;
  EXPECT_FALSE(flops({.model = "lama-3-8b"}).ok());
  EXPECT_FALSE(flops({.model = folder.path()}).ok());
  EXPECT_FALSE(flops({.model = folder.write("config.json", "{")}).ok());
  EXPECT_FALSE(flops({.model = folder.write("notes.json", R"({"model_type": "bird"})")}).ok());
}

}  // namespace
}  // namespace nameplate
