// What changes a run's operators and sequences, on the model of tiny_run_for_test.h, which is counted by hand there:
// 576 weights a layer (MLP 384), 2 layers, head 256; sequences of 16; 3,328 FLOP forward and 9,984 trained per token.
#include "nameplate/api/resolve_training.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/api/resolve.h"

namespace nameplate {
namespace {

constexpr std::string_view kModel = "[model]\nlayers = 2\nhidden = 8\nheads = 2\nkv_heads = 1\nffn = 16\nvocab = 32\n";

// `model`: further keys of [model]; `rest`: further keys of [training], which ends the manifest, and tables behind it.
Result<LoadedRun> resolve(const std::string& model, const std::string& rest = {}) {
  LoadedRun run;
  const std::string text =
      std::string(kModel) + model + "\n[training]\nseq_len = 16\nglobal_batch = 4\nprecision = \"bf16\"\n" + rest;
  run.manifest = Manifest::parse(text, "run.toml").value();
  const Catalogue& catalogue = Catalogue::embedded();
  if (Status bad = resolve_model(catalogue, {}, run)) return *bad;
  if (Status bad = resolve_training(run)) return *bad;
  if (Status bad = resolve_operators(run)) return *bad;
  if (Status bad = resolve_forward_models(catalogue, run)) return *bad;
  if (Status bad = resolve_lengths(run)) return *bad;
  if (Status bad = resolve_accelerator(catalogue, run)) return *bad;
  return run;
}

OperatorFlops per_sequence(const LoadedRun& run) {
  return step_flops(*run.facts.architecture, uniform_workload(1, 16), AttentionCount::causal);
}

bool has_input(const LoadedRun& run, std::string_view key, std::string_view value) {
  return std::any_of(run.inputs.begin(), run.inputs.end(),
                     [&](const InputFact& fact) { return fact.key == key && fact.value == value; });
}

// Rank 2 beside q (8 x 8) and v (8 x 4): 2 (8 + 8) + 2 (8 + 4) = 56 weights a layer; 2 FLOP for each forward, and as
// many for its gradient.
TEST(ResolveOperators, LoraOnTheUsualTargets) {
  const LoadedRun run = resolve("lora_rank = 2").value();
  EXPECT_EQ(count_parameters(*run.facts.architecture).trained, Int128{112});
  EXPECT_EQ(per_sequence(run).forward, Int128{16 * (3328 + 224)});
  EXPECT_EQ(per_sequence(run).backward_weight, Int128{16 * 224});
  EXPECT_TRUE(has_input(run, "model.lora_targets", "q_proj, v_proj"));
  ASSERT_EQ(run.assumptions.size(), 1u);
  EXPECT_EQ(run.assumptions[0].id, "lora.targets_assumed");
  // All seven matrices: 2 ((8+8) + 2 (8+4) + (8+8) + 3 (8+16)) = 256 a layer.
  const LoadedRun all = resolve("lora_rank = 2\nlora_targets = [\"all-linear\"]").value();
  EXPECT_EQ(count_parameters(*all.facts.architecture).trained, Int128{512});
  EXPECT_TRUE(all.assumptions.empty());
}

TEST(ResolveOperators, WhatIsFrozenWholeGoesForward) {
  const LoadedRun run = resolve("frozen = [\"all\"]").value();
  EXPECT_EQ(per_sequence(run), (OperatorFlops{16 * 3328, 0, 0}));
  const Result<LoadedRun> wrong = resolve("frozen = [\"atention\"]");
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(wrong.error().found.starts_with("model.frozen: "));
}

// The MLPs of both layers once more: 2 x 2 x 384 per token.
TEST(ResolveOperators, RecomputedOperatorsAreKnownRecompute) {
  const LoadedRun run = resolve("", "recompute_operators = [\"mlp\"]\n").value();
  EXPECT_TRUE(run.facts.recompute_known);
  EXPECT_EQ(recompute_flops(*run.facts.architecture, uniform_workload(1, 16), Recompute::none, AttentionCount::causal),
            Int128{16 * 1536});
}

// The MLPs are 6 x 768 = 4,608 of 9,984 FLOP. At 1979 TFLOP/s (H100 SXM, dense fp8) and 989.4 (bf16) the whole takes
// 0.46154 / 1979 + 0.53846 / 989.4 = 1 / 1286.3.
TEST(ResolveOperators, APeakWeightedByTheFlopsInEachPrecision) {
  const std::string mixed = "fp8 = [\"mlp\"]\n[cluster]\naccelerator = ";
  const LoadedRun run = resolve("", mixed + "\"H100 SXM\"\n").value();
  ASSERT_EQ(run.mix.size(), 2u);
  EXPECT_EQ(run.mix[0].precision, Precision::bf16);
  EXPECT_NEAR(run.mix[1].share_ratio, 4608.0 / 9984, 1e-12);
  EXPECT_NEAR(run.facts.peak->base() / 1e12, 1286.3, 0.1);
  const LoadedRun without = resolve("", mixed + "\"A100 SXM 80GB\"\n").value();  // no fp8 there
  EXPECT_FALSE(without.facts.peak);
  ASSERT_EQ(without.defects.size(), 1u);
  EXPECT_EQ(without.defects[0].message.id, "accelerator.no_peak");
}

// Beside a model like itself: a third of 9,984 more, forward; 2 tables of 256, 2 x 576 and norms of 5 x 8 apart.
TEST(ResolveForwardModels, BesideTheTrainedOne) {
  EXPECT_EQ(per_sequence(resolve("").value()).total(), Int128{16 * 9984});
  const LoadedRun run = resolve("", "forward_models = [\"llama-3-8b\", \"llama-3-8b\"]\n").value();
  // Llama 3 8B forward at 16: 2 x 7,504,658,432 + 2 x 32 x 4096 x 16 per token.
  const Int128 forward = Int128{16} * (2 * Int128{7'504'658'432} + 2 * 32 * 4096 * 16);
  EXPECT_EQ(per_sequence(run).total(), 16 * 9984 + 2 * forward);
  EXPECT_EQ(count_parameters(*run.facts.architecture).forward_only, 2 * Int128{8'030'261'248});
  EXPECT_TRUE(has_input(run, "training.forward_models", "llama-3-8b, llama-3-8b"));
  EXPECT_FALSE(resolve("", "forward_models = [\"lama-3-8b\"]\n").ok());
}

TEST(ResolveLengths, PaddedAndPacked) {
  const LoadedRun mean = resolve("", "[data]\nmean_length = 4.2\n").value();
  EXPECT_EQ(mean.facts.samples->batch, (std::vector<LengthCount>{{4, 1}}));
  EXPECT_EQ(mean.facts.samples->padded_units, 12);
  const LoadedRun lengths = resolve("", "[data]\nlengths = [4, 16, 4]\n").value();
  EXPECT_EQ(lengths.facts.samples->batch, (std::vector<LengthCount>{{4, 2}, {16, 1}}));
  EXPECT_EQ(lengths.facts.samples->padded_units, 3 * 16 - 24);
  const LoadedRun packed = resolve("", "[data]\nlengths = [4, 16, 4]\npacking = true\n").value();
  EXPECT_EQ(packed.facts.samples->padded_units, 0);
  EXPECT_FALSE(resolve("").value().facts.samples);
}

TEST(ResolveLengths, ASampleLongerThanItsSequence) {
  EXPECT_FALSE(resolve("", "[data]\nlengths = [4, 17]\n").ok());
  EXPECT_FALSE(resolve("", "[data]\nlengths = [0, 4]\n").ok());
  EXPECT_FALSE(resolve("", "[data]\nmean_length = 0.2\n").ok());
}

}  // namespace
}  // namespace nameplate
