#include "nameplate/api/published_step.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace nameplate {
namespace {

using Fields = std::map<std::string, std::string>;

// A Llama 3 8B on 64 H100 with tp 2 and pp 4, unless `changes` says otherwise.
std::variant<StepCase, std::string> case_of(const Fields& changes) {
  Fields fields = {{"id", "a"},
                   {"source_id", "s"},
                   {"year", "2025"},
                   {"model_name", "m"},
                   {"layers", "32"},
                   {"hidden", "4096"},
                   {"ffn_hidden", "14336"},
                   {"heads", "32"},
                   {"kv_heads", "8"},
                   {"head_dim", "128"},
                   {"vocab", "128256"},
                   {"gated_mlp", "1"},
                   {"seq_len", "8192"},
                   {"global_batch_sequences", "128"},
                   {"micro_batch", "2"},
                   {"accelerator", "H100-SXM-80GB"},
                   {"num_gpus", "64"},
                   {"gpus_per_node", "8"},
                   {"dtype", "bf16"},
                   {"tp", "2"},
                   {"pp", "4"},
                   {"cp", "1"},
                   {"framework", "NeMo"},
                   {"recompute", "none"},
                   {"measured_step_time_s", "3.5"}};
  for (const auto& [key, value] : changes) fields[key] = value;
  std::string header, row;
  for (const auto& [key, value] : fields) {
    header += (header.empty() ? "" : ",") + key;
    row += (row.empty() ? "" : ",") + value;
  }
  const PublishedRuns runs = read_published_runs(header + "\n" + row + "\n", "runs.csv").value();
  return step_case(runs.runs.front(), {Catalogue::embedded(), StepFrameworks::embedded(), embedded_step_calibration()});
}

StepCase made(const Fields& changes) { return std::get<StepCase>(case_of(changes)); }
std::string reason(const Fields& changes) { return std::get<std::string>(case_of(changes)); }
bool assumed(const StepCase& c, const std::string& fact) {
  for (const Assumption& each : c.setup.assumptions) {
    if (std::get<std::string>(each.args.front().second) == fact) return true;
  }
  return false;
}

TEST(PublishedStep, PlanAndBatch) {
  const StepCase c = made({});
  EXPECT_EQ(c.measured, seconds(3.5));
  EXPECT_EQ(c.setup.plan.dp, 8);
  EXPECT_EQ(c.setup.plan.accumulation, 8);  // 128 sequences over 8 replicas of 2
  EXPECT_EQ(c.setup.plan.zero, 1);
  EXPECT_TRUE(c.setup.plan.sp);
  EXPECT_EQ(sequences(c.setup.workload), 128);
  EXPECT_FALSE(assumed(c, "plan.micro_batch"));
  EXPECT_TRUE(assumed(c, "network"));
}

TEST(PublishedStep, AccumulationGivesTheDegreesThatALogLeavesOut) {
  const StepCase c = made({{"tp", ""},
                           {"pp", ""},
                           {"cp", ""},
                           {"num_gpus", "8"},
                           {"global_batch_sequences", "8"},
                           {"micro_batch", "1"},
                           {"overlap_notes", "gradient accumulation 4"}});
  EXPECT_EQ(c.setup.plan.dp, 2);
  EXPECT_EQ(c.setup.plan.tp, 4);
  EXPECT_EQ(c.setup.plan.accumulation, 4);
  EXPECT_EQ(reason({{"tp", ""}, {"pp", ""}}), "no_layout");
}

TEST(PublishedStep, NetworksAsNotesSpellThem) {
  const auto network = [](std::string notes) {
    return made({{"interconnect_notes", std::move(notes)}}).setup.fabric.scale_out.base() / 1e9;
  };
  EXPECT_DOUBLE_EQ(network("RoCE 1600 Gb/s per node"), 25);
  EXPECT_DOUBLE_EQ(network("400 Gb/s CX-7 per GPU"), 50);
  EXPECT_DOUBLE_EQ(network("NVLink 8-GPU domain; InfiniBand NDR 400G/GPU"), 50);
  EXPECT_DOUBLE_EQ(network("Selene DGX A100; 8x HDR 200G IB per node"), 25);
  EXPECT_DOUBLE_EQ(network("source simulator config: 800 Gb/s inter-node; 8-GPU nodes"), 12.5);
}

TEST(PublishedStep, ShardsInsideSlicesAndGroups) {
  const Fields jax = {
      {"framework", "MaxText"},          {"accelerator", "TPU v5e"}, {"num_gpus", "512"}, {"tp", "16"}, {"pp", "1"},
      {"global_batch_sequences", "512"}, {"micro_batch", "16"}};
  Fields slices = jax;
  slices["zero_stage_or_fsdp"] = "FSDP in slice";
  slices["interconnect_notes"] = "2 slice(s) of v5e-256; DCN between slices";
  EXPECT_EQ(made(slices).setup.plan.dp_shard, 16);  // 256 chips over tp 16
  EXPECT_EQ(made(slices).setup.fabric.domain, 256);
  EXPECT_EQ(made({{"zero_stage_or_fsdp", "FSDP2 (ZeRO-3)"}}).setup.plan.dp_shard, 8);  // a version, not a group
  Fields hybrid = jax;
  hybrid["tp"] = "1";
  hybrid["micro_batch"] = "1";
  hybrid["zero_stage_or_fsdp"] = "HSDP (FSDP 128 x DP 4)";
  EXPECT_EQ(made(hybrid).setup.plan.dp_shard, 128);
}

TEST(PublishedStep, RecomputationBeyondTheColumn) {
  EXPECT_EQ(
      made({{"recompute", "selective"}, {"overlap_notes", "recompute modules: mlp"}}).setup.recompute->feed_forward, 1);
  EXPECT_FALSE(made({{"recompute", "full"}}).setup.recompute);
}

TEST(PublishedStep, ExpertsFollowTensorParallelismWhereTheyCan) {
  const Fields experts = {
      {"ffn_hidden", ""}, {"experts", "8"}, {"experts_per_token", "2"}, {"moe_ffn_hidden", "14336"}, {"ep", "8"}};
  EXPECT_EQ(made(experts).setup.plan.etp, 2);
  Fields wide = experts;  // 16 groups of experts need the ranks of tp, too
  wide["experts"] = "16";
  wide["ep"] = "16";
  EXPECT_EQ(made(wide).setup.plan.etp, 1);
}

TEST(PublishedStep, AStepTimeFromAStatedRate) {
  // Hardware FLOPs with full recomputation of a GPT of 7.5 B: Narayanan et al. 2021, 96 B s L h^2 (1 + s/6h + V/16Lh) =
  // 96 x 512 x 2048 x 36 x 4096^2 x (1 + 0.0833 + 0.0217) = 6.718e16; over 128 devices of 142 TFLOP/s 3.696 s.
  const StepCase c = made({{"layers", "36"},
                           {"ffn_hidden", "16384"},
                           {"kv_heads", "32"},
                           {"vocab", "51200"},
                           {"gated_mlp", "0"},
                           {"seq_len", "2048"},
                           {"global_batch_sequences", "512"},
                           {"accelerator", "A100-SXM-80GB"},
                           {"num_gpus", "128"},
                           {"tp", "4"},
                           {"pp", "1"},
                           {"dtype", "fp16"},
                           {"framework", "Megatron-LM 2021"},
                           {"recompute", "full"},
                           {"measured_step_time_s", ""},
                           {"measured_tflops_per_gpu", "142"},
                           {"flops_convention_notes", "HARDWARE FLOPs incl. full recompute"}});
  EXPECT_NEAR(c.measured.base(), 3.696, 0.01);
}

TEST(PublishedStep, WhatIsLeftOut) {
  EXPECT_EQ(reason({{"outcome", "oom"}}), "out_of_memory");
  EXPECT_EQ(reason({{"measured_step_time_s", ""}}), "no_step_time");
  EXPECT_EQ(reason({{"accelerator", "a chip of ours"}}), "unknown_accelerator");
  EXPECT_EQ(reason({{"seq_len", ""}}), "no_sequence_length");
  EXPECT_EQ(reason({{"hidden", ""}}), "no_dimensions");
  EXPECT_EQ(reason({{"global_batch_sequences", "4"}}), "layout_contradicts_batch");
  const StepCase c = made({{"vocab", ""}, {"dtype", ""}, {"recompute", ""}});
  EXPECT_TRUE(assumed(c, "vocabulary") && assumed(c, "training.precision") && assumed(c, "training.recompute"));
}

}  // namespace
}  // namespace nameplate
