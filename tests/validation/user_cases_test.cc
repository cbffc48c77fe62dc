// What users of training programs reported as wrong, with the right value: FLOPs, peaks, logs and memory.
//
// Each report is tested where the part that answers it is tested (the third column: a path, or a file of nameplate/
// without "_test.cc"); those that no such test covers are below.
//
// report                                           right                            tested in
// pytorch/torchtitan#4779: A100's peak for MI350X  20.6 %, or no MFU                tests/cli/mfu.test
// Megatron-LM#1276, #1565: sparse peak             41.6 % (44.7 full), 42.5 %       tests/cli/mfu.test, here
// pytorch/torchtitan#668: TF32's peak for bf16     989.4, not 494.5                 here
// pytorch/torchtitan#4800, #554: H100 variants     by the device's own name         inputs/catalogue
// karpathy/nanoGPT#527: above 100 % by timing      the step is left out             analysis/mfu/measure, here
// PrimeIntellect-ai/prime-rl#20: rate of the job   an eighth                        api/report
// Megatron-LM#682: real ffn and heads              2 FLOP per weight                analysis/flops/count
// alibaba/Pai-Megatron-Patch#485: experts          1306 TFLOP per GPU and step      here
// AI-Hypercomputer/maxtext#678: all experts        79.98 TFLOP, not 287.78          here
// pytorch/torchtitan#4300: all experts             37.58 GFLOP per token            analysis/flops/count
// Lightning-AI/litgpt#404, #420: LoRA              768.02 TFLOP; 4N + 6 N_lora      analysis/flops/training
// NVIDIA-NeMo/Automodel#786: LoRA                  2/3 of full training, and N_lora analysis/flops/training
// litgpt#404, axolotl#592: padding                 two figures and the share        analysis/mfu/padding
// flash-attention#573, maxtext#1988: causal half   below the peak                   here
// pytorch/torchtitan#341: 6, 7 or 12 L H Q T       all, by name                     analysis/flops/conventions
// Megatron-LM#1725: sliding window                 448.1 keys per query             analysis/flops/count
// ROCm/aiter#5662: window ignored, above the peak  the window's own pairs           analysis/flops/count
// facebookresearch/xformers#1404: grouped heads    134,217,728                      analysis/flops/count
// pytorch#134804, #177188: its FLOP counter        grouped keys play no part        analysis/attribution/operator_flops
// deepspeedai/DeepSpeed#2565: profiler and log     the log; a finding               advice/findings/findings
// karpathy/nanoGPT#215: evaluation in a step       1.10 s, and 34 s of its own      here
// NVIDIA/nccl#893: a slow rank                     the late one                     analysis/records/flight_recorder
// bigscience, BLOOM-176B: a slow node              149 to 141 TFLOP/s               here
// Megatron-LM#1225: selective recompute            no gain with fused attention     analysis/memory/saved
// cli99/llm-analysis#18, DeepSpeed#1861            34 s b h + 5 a b s^2: 59.25 GiB  analysis/memory/saved
// Megatron-LM#1784, #2439: memory of experts       the tokens sent to them          analysis/memory/saved
// deepspeedai/DeepSpeed#3442: bytes per parameter  16, 18 or 20                     analysis/memory/estimate
// tenstorrent/tt-metal#50114, huggingface/trl#5698 a look-up is no matmul           here
// huggingface/trl#7069: which layers have experts  (i + 1) % step                   here
// Modalities#317, bionemo-recipes#1548             a step is all its micro-batches  here
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "nameplate/advice/findings/findings.h"
#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/shapes_for_test.h"
#include "nameplate/analysis/mfu/log_for_test.h"
#include "nameplate/api/load.h"
#include "nameplate/api/report.h"
#include "nameplate/inputs/model_config.h"

namespace nameplate {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

LoadedRun typed(Settings settings) { return load({.settings = std::move(settings)}).value(); }

double figure(const Document& d, std::string_view id) {
  const Value* value = d.find_value(id);
  if (value == nullptr) ADD_FAILURE() << "no " << id;
  return value == nullptr ? 0 : std::get<double>(value->value);
}

// Megatron-LM #1565: 420 TFLOP/s on an H200 are 420 / 989.4, not 21 % of the peak with sparsity.
TEST(UserCases, SparsePeakOfTheH200) {
  const Document d = report(typed({{"model.name", "llama-3-8b"},
                                   {"training.seq_len", "8192"},
                                   {"cluster.accelerator", "NVIDIA H200"},
                                   {"measured.tflops_per_gpu", "420"}}));
  EXPECT_NEAR(figure(d, "mfu_step_ratio"), 0.4245, 5e-5);
}

// torchtitan #668: the peak is that of the precision in which the matmuls run.
TEST(UserCases, PeakOfThePrecisionThatRuns) {
  const auto peak = [](const char* precision) {
    return typed({{"cluster.accelerator", "NVIDIA H100 80GB HBM3"}, {"training.precision", precision}})
        .facts.peak->base();
  };
  EXPECT_DOUBLE_EQ(peak("bf16"), 989.4e12);
  EXPECT_DOUBLE_EQ(peak("tf32"), 494.5e12);
}

// Pai-Megatron-Patch #485: Mixtral 8x7B, 128 sequences of 2048 on 16. By hand, per token: a layer has 41,943,040
// weights in attention and 2 of 8 experts of 3 x 4096 x 14336, the head 131,072,000: 12,747,538,432, times 6; full
// attention 12 x 32 x 4096 x 2048: 79.706 GFLOP; x 262,144 / 16 = 1305.9 TFLOP. The log of such a run: 5361.6 ms x
// 243.6 TFLOP/s = 1306.1.
TEST(UserCases, MixtureOfExpertsPerGpuAndStep) {
  const auto step =
      convention_flops("megatron_lm_full", build_decoder(shapes::mixtral_8x7b()), uniform_workload(128, 2048));
  EXPECT_NEAR(*step / 16 / 1e12, 1305.9, 0.05);
  EXPECT_NEAR(*step / 16 / 1e12 / (5.3616 * 243.6), 1, 0.0005);
}

// maxtext #678, one sequence of 1024 with attention in full.
TEST(UserCases, AllExpertsOrTheActiveOnes) {
  DecoderShape shape = shapes::mixtral_8x7b();
  const auto tflop = [&] { return *convention_flops("full", build_decoder(shape), uniform_workload(1, 1024)) / 1e12; };
  EXPECT_NEAR(tflop(), 79.98, 0.005);
  shape.moe->experts_per_token = 8;
  EXPECT_NEAR(tflop(), 287.78, 0.005);
}

// flash-attention #573: LLaMA 65B at 65,536 on an A800 (312 TFLOP/s) ran at "322". Weights in matmuls 80 x (4 x 8192^2
// + 3 x 8192 x 22016) + 8192 x 32000 = 65,022,197,760; attention 12 x 80 x 8192 x 65536 per token in full. Of 905.53
// GFLOP the causal half leaves 647.83: 230.4 TFLOP/s, 73.8 %.
TEST(UserCases, TheCausalHalfIsBelowThePeak) {
  const Document d = report(typed({{"model.name", "llama-65b"},
                                   {"training.seq_len", "65536"},
                                   {"cluster.accelerator", "A800-SXM-80GB"},
                                   {"measured.tflops_per_gpu", "322"},
                                   {"measured.convention", "full"}}));
  EXPECT_NEAR(figure(d, "flops_per_token") / 1e9, 647.83, 0.005);
  EXPECT_NEAR(figure(d, "tflops_per_s_per_gpu"), 230.4, 0.05);
  EXPECT_NEAR(figure(d, "mfu_step_ratio"), 0.738, 0.0005);
}

// nanoGPT #215: steps of 1.10 s, and one that prints 35.4 s since it evaluated and saved before.
TEST(UserCases, AnEvaluationInsideAStep) {
  std::string text;
  for (int step = 2900; step <= 3100; step += 10) {
    if (step == 3000) text += "step 3000: train loss 3.1000, val loss 3.2000\nsaving checkpoint to out\n";
    text += "iter " + std::to_string(step) + ": loss 3.1000, time " + (step == 3000 ? "35392.33" : "1097.00") +
            "ms, mfu 15.34%\n";
  }
  const RunLog log = read_runlog(LineReader::from_memory(text)).value();
  const Measurement m = measure(log, {});
  EXPECT_NEAR(m.step_time_s->p50, 1.097, 1e-9);
  EXPECT_NEAR(m.step_time_s->mean, 1.097, 1e-9);
  double pause = 0;
  for (const TimedStep& row : m.times.rows) pause += row.pause_s;
  EXPECT_NEAR(pause, 35.39233 - 1.097, 1e-9);
  EXPECT_NEAR(pause / (1000 * 1.097), 0.031, 0.0005);  // of the steps between, at one evaluation in a thousand
}

// nanoGPT #527, and MaxText's step that was only launched: 764.67 TFLOP a step and chip in 5.668 s, 134.91 TFLOP/s
// or 29.4 % of a TPU v5p's 459; a row of 0.319 s would be 2,400 TFLOP/s. Here with Llama 3 8B, whose step is as large.
TEST(UserCases, AStepThatWasOnlyLaunched) {
  std::vector<double> durations(20, 5.668);
  durations[10] = 0.319;
  RunFacts facts;
  facts.architecture = build_decoder(shapes::llama_3_8b());
  facts.accelerators = 1;
  facts.peak = tflops_per_s(459);
  facts.sequence_length = 1024;
  facts.workload = uniform_workload(16, 1024);  // 16 x 1024 x (6 x 7,504,658,432 + 6 x 32 x 4096 x 1024) = 750.9 TFLOP
  const Measurement m = measure(printed_log(durations), facts);
  EXPECT_NEAR(*m.mfu_step, 750.9 / 5.668 / 459, 5e-5);
  EXPECT_EQ(count_of(m.defects, "log.step_faster_than_peak"), 1);
}

// BLOOM-176B's chronicle: from 149 to 141 TFLOP/s without a restart, so steps grew by 5.7 %.
TEST(UserCases, ARunThatSlowedDown) {
  std::vector<double> durations(400, 105);
  std::fill(durations.begin() + 200, durations.end(), 105 * 149.0 / 141);
  const RunLog log = printed_log(durations);
  const RunFacts facts;
  const std::vector<Finding> found = find_all({log, facts, measure(log, facts)});
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](const Finding& finding) { return finding.message.id == "finding.slowdown"; }));
}

// trl #5698: charging Llama 3 8B's table as a matmul would add 6 x 128256 x 4096 FLOP per token, 6.1 %.
TEST(UserCases, ALookUpIsNoMatmul) {
  const Architecture model = build_decoder(shapes::llama_3_8b());
  const Workload workload = uniform_workload(1, 8192);
  for (const OperatorCount& op : count_operators(model, workload, AttentionCount::causal)) {
    if (op.role == OperatorRole::token_embedding) { EXPECT_EQ(op.flops, OperatorFlops{}); }
  }
  const double charged =
      *convention_flops("six_n", model, workload) - *convention_flops("six_n_no_embedding", model, workload);
  EXPECT_DOUBLE_EQ(charged / 8192, 6.0 * 128256 * 4096);
  EXPECT_NEAR(charged / *convention_flops("nameplate", model, workload), 0.061, 0.0005);
}

// trl #7069: with decoder_sparse_step 2, layers 1 and 3 of four have experts, 0 and 2 do not.
TEST(UserCases, WhichLayersHaveExperts) {
  const ModelConfig config = read_model_config(R"({"model_type": "qwen2_moe", "num_hidden_layers": 4, "hidden_size": 8,
      "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 32, "num_experts": 4,
      "num_experts_per_tok": 2, "moe_intermediate_size": 4, "shared_expert_intermediate_size": 4,
      "decoder_sparse_step": 2})",
                                               "config.json")
                                 .value();
  std::vector<std::int64_t> with_experts;
  for (const Block& block : build_decoder(*config.decoder).blocks) {
    const bool has_router = std::any_of(block.operators.begin(), block.operators.end(),
                                        [](const Operator& op) { return op.role == OperatorRole::router; });
    if (has_router) with_experts.insert(with_experts.end(), block.layers.begin(), block.layers.end());
  }
  EXPECT_EQ(with_experts, (std::vector<std::int64_t>{1, 3}));
}

// A step of 64 sequences of 8192 in 30 s on 8: 64 x 8192 / 30 / 8 = 2184.53 tokens/s each, in however many
// micro-batches.
TEST(UserCases, AStepIsAllItsMicroBatches) {
  for (const char* micro_batch : {"1", "2", "8"}) {
    const Document d = report(typed({{"model.name", "llama-3-8b"},
                                     {"training.seq_len", "8192"},
                                     {"training.global_batch", "64"},
                                     {"training.micro_batch", micro_batch},
                                     {"cluster.accelerator", "H100 SXM"},
                                     {"cluster.count", "8"},
                                     {"measured.step_time", "30 s"}}));
    EXPECT_NEAR(figure(d, "tokens_per_s_per_gpu"), 2184.533, 0.001);
  }
}

}  // namespace
}  // namespace nameplate
