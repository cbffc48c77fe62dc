#include "nameplate/inputs/published_runs.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

PublishedRuns read(const std::string& text) {
  auto runs = read_published_runs(text, "runs.csv");
  EXPECT_TRUE(runs.ok()) << (runs.ok() ? "" : render(runs.error()));
  return runs.ok() ? *runs : PublishedRuns{};
}

constexpr const char* kDims = "id,model_name,layers,hidden,ffn_hidden,heads,kv_heads,head_dim,vocab,gated_mlp";

TEST(PublishedRuns, ReadsTypedFacts) {
  const PublishedRuns table =
      read(std::string(kDims) +
           ",task,seq_len,global_batch_sequences,micro_batch,accelerator,num_gpus,dtype,tp,sequence_parallel,recompute,"
           "outcome,"
           "measured_step_time_s,measured_tflops_per_gpu,measured_mfu_pct,measured_mem_gb,derived_basis,confidence,"
           "gate,gate_note\n"
           "a,llama3-8b,32,4096,14336,32,8,128,128256,1,pretrain,8192,16,2,H100-SXM-80GB,8,fp8,1,0,selective,oom,"
           "2.5,386,39,80,step_time,high,0,\"smoke, run\"\n");
  ASSERT_EQ(table.runs.size(), 1u);
  const PublishedRun& run = table.runs[0];
  EXPECT_EQ(run.line, 2);
  ASSERT_TRUE(run.shape);
  EXPECT_EQ(run.shape->kv_heads, 8);
  EXPECT_TRUE(run.shape->gated_mlp);
  EXPECT_EQ(run.precision, Precision::fp8);
  EXPECT_EQ(run.plan.tp, 1);
  EXPECT_EQ(run.plan.pp, std::nullopt);
  EXPECT_EQ(run.plan.sequence_parallel, false);
  EXPECT_EQ(run.plan.recompute, Recompute::selective);
  EXPECT_EQ(run.outcome, RunOutcome::out_of_memory);
  EXPECT_EQ(run.measured.flops_rate_per_gpu, tflops_per_s(386));
  EXPECT_DOUBLE_EQ(*run.measured.mfu, 0.39);
  EXPECT_EQ(run.measured.memory_per_gpu, gigabytes(80));
  EXPECT_EQ(run.measured.hfu, std::nullopt);
  EXPECT_EQ(run.derived.basis, DerivedBasis::step_time);
  EXPECT_EQ(run.confidence, Confidence::high);
  EXPECT_FALSE(run.gate);
  EXPECT_EQ(run.gate_note, "smoke, run");
  // 16 x 8192 tokens in 2.5 s on 8 devices: 6553.6 tokens/s each.
  EXPECT_DOUBLE_EQ(tokens_per_s_per_gpu(run)->base(), 6553.6);
  EXPECT_TRUE(run.reasons.empty());
}

TEST(PublishedRuns, NotesCompleteTheShape) {
  const PublishedRuns table =
      read(std::string(kDims) +
           ",experts,experts_per_token,moe_ffn_hidden,other_arch_notes,seq_len,measured_tokens_per_s_per_gpu\n"
           "a,deepseek-v3,61,7168,18432,128,128,128,129280,1,256,8,2048,\"MLA (q_lora 1536, kv_lora 512, qk_nope 128, "
           "qk_rope 64, "
           "v 128); 1 shared expert; first 3 layers dense; MTP depth 1\",4096,1540\n"
           "b,deepseek-v3 (w/o MTP),61,7168,18432,128,128,128,129280,1,256,8,2048,\"MLA (q_lora 1536, kv_lora 512, "
           "qk_nope 128, "
           "qk_rope 64, v 128); MTP depth 1\",4096,1540\n"
           "c,kimi-k2,61,7168,18432,64,64,128,163840,1,384,8,2048,MLA; 1 shared expert; first layer dense,4096,5000\n"
           "d,unheard-of,61,7168,18432,64,64,128,163840,1,384,8,2048,MLA,4096,5000\n"
           "e,mpt,12,768,3072,12,12,64,50368,0,,,,tied embeddings; learned positions (x); purple,2048,100\n");
  ASSERT_EQ(table.runs.size(), 5u);
  EXPECT_EQ(table.runs[0].shape->moe->shared_ffn, 2048);
  EXPECT_EQ(table.runs[0].shape->moe->first_dense_layers, 3);
  EXPECT_EQ(table.runs[0].shape->mtp_depth, 1);
  EXPECT_EQ(table.runs[0].latent_dims_source, "");
  EXPECT_EQ(table.runs[1].shape->mtp_depth, 0);
  EXPECT_EQ(table.runs[2].shape->mla, (MlaShape{1536, 512, 128, 64, 128}));
  EXPECT_NE(table.runs[2].latent_dims_source, "");
  EXPECT_FALSE(table.runs[3].shape);
  EXPECT_EQ(table.runs[3].reasons, std::vector{RowReason::no_latent_dimensions});
  EXPECT_TRUE(table.runs[4].shape->tied_embeddings);
  EXPECT_EQ(table.runs[4].shape->learned_positions, 2048);
  const Defects expected = {{{"published_runs.unknown_note", {{"note", "purple"}}}, Severity::info, 1}};
  EXPECT_EQ(table.defects, expected);
}

TEST(PublishedRuns, ReasonsInTheirOrder) {
  const std::string header =
      std::string(kDims) + ",other_arch_notes,task,seq_len,measured_tokens_per_s_per_gpu,derived_basis\n";
  const std::string dims = "a,m,2,64,256,4,4,16,1000,0,";
  using R = RowReason;
  const struct {
    std::string row;
    std::vector<RowReason> reasons;
  } cases[] = {
      {dims + ",pretrain,128,10,tokens", {}},
      {"a,m,2,,256,4,4,16,1000,0,hybrid Mamba,pretrain,128,10,", {R::hybrid_layers, R::no_dimensions}},
      {"a,m,2,64,256,4,4,16,,0,,lora,128,10,", {R::no_vocabulary, R::lora}},
      {dims + ",sft,128,10,", {R::packed_sequences}},
      {dims + "alternating sliding-window(8)/full attention,pretrain,128,10,", {R::sliding_window}},
      {dims + ",pretrain,,,", {R::no_sequence_length, R::no_throughput}},
      {dims + ",pretrain,128,,tflops_noncausal", {R::throughput_from_flops}},
  };
  for (const auto& c : cases) {
    const PublishedRuns table = read(header + c.row + "\n");
    ASSERT_EQ(table.runs.size(), 1u);
    EXPECT_EQ(table.runs[0].reasons, c.reasons) << c.row;
  }
  const PublishedRuns windowed =
      read(header + dims + "alternating sliding-window(8)/full attention,pretrain,128,10,\n");
  const std::vector<Mask> masks = {{MaskKind::sliding, 8}, {}};
  EXPECT_EQ(windowed.runs[0].shape->masks, masks);
}

TEST(PublishedRuns, LocatesWhatIsWrong) {
  const struct {
    std::string text;
    std::string_view found;
    int line;
    std::string_view hint;
  } cases[] = {
      {"id,layer\na,3\n", "unknown column 'layer'", 1, "did you mean 'layers'?"},
      {"layers\n3\n", "no column 'id'", 1, ""},
      {"", "an empty table", 1, ""},
  };
  for (const auto& c : cases) {
    const auto table = read_published_runs(c.text, "runs.csv");
    ASSERT_FALSE(table.ok()) << c.text;
    EXPECT_EQ(table.error().found, c.found);
    EXPECT_EQ(table.error().place.line, c.line) << c.text;
    EXPECT_EQ(table.error().hint, c.hint) << c.text;
  }
}

// What a message says of `arg`.
std::string said(const Defect& defect, std::string_view arg) {
  for (const auto& [key, value] : defect.message.args) {
    if (key == arg && std::holds_alternative<std::string>(value)) return std::get<std::string>(value);
  }
  return {};
}

TEST(PublishedRuns, ABadCellLeavesItsRowOut) {
  const struct {
    std::string text;
    std::string_view column, cell, expected;
  } cases[] = {
      {"id,layers\na,3\nb,-3\n", "layers", "-3", "a positive integer"},
      {"id,layers\na,3\nb,3.5\n", "layers", "3.5", "a positive integer"},
      {"id,measured_step_time_s\na,1\nb,nan\n", "measured_step_time_s", "nan", "a positive number"},
      {"id,measured_step_time_s\na,1\nb,0\n", "measured_step_time_s", "0", "a positive number"},
      {"id,task\na,pretrain\nb,pretrian\n", "task", "pretrian", "did you mean 'pretrain'?"},
      {"id,dtype\na,fp16\nb,fp17\n", "dtype", "fp17", "a number format such as bf16"},
      {"id,layers\na,3\na,4\n", "id", "a", "another name: an earlier row has this one"},
      {"id,layers\na,3\n,3\n", "id", "", "a name for the row"},
  };
  for (const auto& c : cases) {
    const PublishedRuns table = read(c.text);
    EXPECT_EQ(table.runs.size(), 1u) << c.text;
    EXPECT_EQ(table.left_out.size(), 1u) << c.text;
    ASSERT_EQ(table.defects.size(), 1u) << c.text;
    EXPECT_EQ(said(table.defects[0], "column"), c.column);
    EXPECT_EQ(said(table.defects[0], "cell"), c.cell);
    EXPECT_EQ(said(table.defects[0], "expected"), c.expected);
    EXPECT_EQ(table.defects[0].severity, Severity::data_loss);
  }
}

TEST(PublishedRuns, EveryBadCellIsNamed) {
  const PublishedRuns table = read("id,layers,tp,measured_step_time_s,recompute\na,x,eight,-400,fulll\nb,2,1,1,full\n");
  EXPECT_EQ(table.defects.size(), 4u);
  ASSERT_EQ(table.left_out.size(), 1u);
  EXPECT_EQ(table.left_out[0].id, "a");
  ASSERT_EQ(table.runs.size(), 1u);
  EXPECT_EQ(table.runs[0].id, "b");
}

}  // namespace
}  // namespace nameplate
