#include "nameplate/api/validate_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "nameplate/api/published_memory.h"

namespace nameplate {
namespace {

constexpr std::string_view kHeader =
    "id,source_id,year,model_name,layers,hidden,ffn_hidden,heads,kv_heads,head_dim,vocab,gated_mlp,seq_len,global_"
    "batch_sequences,"
    "micro_batch,accelerator,num_gpus,dtype,tp,pp,dp,cp,recompute,framework,outcome,measured_mem_gb,overlap_notes,"
    "gate\n";

std::string row(std::string id, std::string batch, std::string gpus, std::string outcome, std::string measured,
                std::string notes = "", std::string recompute = "none") {
  return id + ",s,2026,m,32,4096,14336,32,8,128,128256,1,8192," + batch + ",1,H100-SXM-80GB," + gpus + ",bf16,1,1,,1," +
         recompute + ",Megatron-LM + TE," + outcome + "," + measured + "," + notes + ",1\n";
}

Document validated(const std::string& rows) {
  return validate_memory(read_published_runs(std::string(kHeader) + rows, "runs.csv").value(), Catalogue::embedded(),
                         MemoryCalibration::embedded());
}

double value(const Document& d, std::string_view id) { return as_double(d.find_value(id)->value); }

TEST(ValidateMemory, RowsOfOneConfigurationCountOnce) {
  const Document d = validated(row("a", "64", "8", "ok", "60") + row("b", "128", "8", "ok", "62") +
                               row("c", "64", "16", "ok", "50") + row("d", "64", "16", "ok", ""));
  EXPECT_EQ(value(d, "rows_total"), 4);
  EXPECT_EQ(value(d, "rows_eligible"), 3);
  EXPECT_EQ(value(d, "rows_predicted"), 3);
  EXPECT_EQ(value(d, "rows_left_out"), 1);
  EXPECT_EQ(value(d, "configurations_total"), 2);
  const Table& errors = *d.find_table("errors");
  ASSERT_EQ(errors.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(std::get<double>(errors.rows[0][4]), 61e9);  // the median of a and b
  EXPECT_EQ(std::get<std::string>(d.find_table("left_out")->rows[0][0]), "no_measurement");
}

TEST(ValidateMemory, FailedRunsShowRiskAndNoError) {
  const Document d = validated(row("a", "64", "8", "ok", "60") + row("b", "8", "8", "oom", "70"));
  EXPECT_EQ(value(d, "configurations_total"), 1);
  EXPECT_EQ(value(d, "rows_eligible"), 1);
  const Table& errors = *d.find_table("errors");
  ASSERT_EQ(errors.rows.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(errors.rows[1][6]));
  EXPECT_TRUE(std::holds_alternative<double>(errors.rows[1][8]));
}

TEST(ValidateMemory, RecomputeModulesOfTheNotes) {
  const PublishedRuns runs =
      read_published_runs(std::string(kHeader) +
                              row("a", "64", "8", "ok", "60", "recompute modules: mlp+layernorm", "selective") +
                              row("b", "64", "8", "ok", "60", "recompute modules: brain", "selective"),
                          "runs.csv")
          .value();
  const auto known = memory_case(runs.runs[0], Catalogue::embedded(), MemoryCalibration::embedded());
  ASSERT_TRUE(std::holds_alternative<MemoryCase>(known));
  EXPECT_EQ(std::get<MemoryCase>(known).facts.selective,
            (std::vector<RecomputeModule>{RecomputeModule::mlp, RecomputeModule::norm}));
  const auto unknown = memory_case(runs.runs[1], Catalogue::embedded(), MemoryCalibration::embedded());
  EXPECT_EQ(std::get<std::string>(unknown), "unknown_recompute_module");
}

// DeepSeek-V3 cut to 4 layers, 1 of them dense: 37.0e9 parameters (36.96e9 counted by hand: embedding and head 1.853e9,
// attention 0.748e9, dense MLP 0.396e9, experts, shared expert and router of 3 layers 33.96e9). The remark is the full
// model's.
TEST(ValidateMemory, ParametersRefuteARemarkOnTheFullModel) {
  const std::string text =
      "id,source_id,model_name,layers,hidden,ffn_hidden,heads,kv_heads,head_dim,vocab,gated_mlp,experts,experts_per_"
      "token,moe_ffn_hidden,"
      "other_arch_notes,seq_len,micro_batch,accelerator,num_gpus,tp,pp,dp,ep,framework,measured_mem_gb,derived_params_"
      "b\n"
      "a,s,deepseek-v3 (4 layers),4,7168,18432,128,128,128,129280,1,256,8,2048,\"MLA (q_lora 1536, kv_lora 512, "
      "qk_nope 128, qk_rope 64, "
      "v 128); 1 shared expert; first 3 layers dense; MTP depth 1\",4096,1,B200,8,1,2,4,4,Megatron-LM + TE,122,36.98\n";
  const PublishedRuns runs = read_published_runs(text, "runs.csv").value();
  const auto found = memory_case(runs.runs[0], Catalogue::embedded(), MemoryCalibration::embedded());
  ASSERT_TRUE(std::holds_alternative<MemoryCase>(found));
  EXPECT_EQ(std::get<MemoryCase>(found).architecture.decoder->moe->first_dense_layers, 1);
  EXPECT_EQ(std::get<MemoryCase>(found).architecture.decoder->mtp_depth, 0);
}

}  // namespace
}  // namespace nameplate
