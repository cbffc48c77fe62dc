#include "nameplate/analysis/memory/estimate.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/training.h"
#include "nameplate/analysis/memory/gpt_for_test.h"

namespace nameplate {
namespace {

StageMemory peak(const DecoderShape& shape, const Plan& plan, const MemoryFacts& facts,
                 Workload workload = uniform_workload(64, 4096)) {
  return estimate_memory(build_decoder(shape), workload, plan, facts).peak();
}

double parameters(const DecoderShape& shape) { return to_double(count_parameters(build_decoder(shape)).total); }

double states_per_parameter(const Plan& plan, const MemoryFacts& facts) {
  const StageMemory m = peak(llama_shape(), plan, facts);
  return (m.weights + m.gradients + m.optimizer).base() / parameters(llama_shape());
}

MemoryFacts with_gradients(double bytes) {
  MemoryFacts facts;
  facts.gradient_bytes = bytes;
  return facts;
}

// ZeRO (arXiv 1910.02054), section 3.1 and figure 1: 16 = 2 + 2 + 12 without sharding, then 4 + 12 / n, 2 + 14 / n, 16
// / n.
TEST(MemoryStates, ZeroStages) {
  const MemoryFacts facts = with_gradients(2);
  constexpr double n = 64;
  EXPECT_DOUBLE_EQ(states_per_parameter({.dp = 64, .dp_shard = 64, .zero = 0}, facts), 16);
  EXPECT_DOUBLE_EQ(states_per_parameter({.dp = 64, .dp_shard = 64, .zero = 1}, facts), 4 + 12 / n);
  EXPECT_DOUBLE_EQ(states_per_parameter({.dp = 64, .dp_shard = 64, .zero = 2}, facts), 2 + 14 / n);
  EXPECT_DOUBLE_EQ(states_per_parameter({.dp = 64, .dp_shard = 64, .zero = 3}, facts), 16 / n);
}

// microsoft/DeepSpeed #3442: 16 with 16-bit gradients, 18 with fp32 ones, 20 where both are kept.
TEST(MemoryStates, BytesPerParameterByGradientPrecision) {
  EXPECT_DOUBLE_EQ(states_per_parameter({}, with_gradients(2)), 16);
  EXPECT_DOUBLE_EQ(states_per_parameter({}, with_gradients(4)), 18);
  EXPECT_DOUBLE_EQ(states_per_parameter({}, with_gradients(6)), 20);
}

TEST(MemoryStates, OptimizersByPrecision) {
  Workload workload = uniform_workload(8, 4096);
  workload.optimizer_state_bytes_per_parameter = 8;  // SGD with momentum or Muon: fp32 copy and one moment
  EXPECT_DOUBLE_EQ(peak(llama_shape(), {}, with_gradients(4), workload).optimizer.base(),
                   8 * parameters(llama_shape()));
  MemoryFacts fsdp;
  fsdp.weight_bytes = fsdp.gradient_bytes = 4;
  fsdp.weights_are_master = true;
  EXPECT_DOUBLE_EQ(states_per_parameter({.dp = 8, .dp_shard = 8, .zero = 3}, fsdp), 2);  // 16 / 8
}

TEST(MemoryStates, FrozenWeightsHaveNoGradientsAndNoOptimizer) {
  Architecture frozen = build_decoder(llama_shape());
  for (Block& block : frozen.blocks) {
    for (Operator& op : block.operators) op.trainable = false;
  }
  const StageMemory m = estimate_memory(frozen, uniform_workload(8, 4096), {}, MemoryFacts{}).peak();
  EXPECT_DOUBLE_EQ(m.weights.base(), 2 * parameters(llama_shape()));
  EXPECT_EQ(m.gradients, Bytes{});
  EXPECT_EQ(m.optimizer, Bytes{});
}

// A teacher of its size beside Llama 3 8B: its 8,030,261,248 weights in 2 bytes each, and nothing that a gradient
// needs.
TEST(MemoryStates, AModelThatOnlyRunsForwardKeepsItsWeights) {
  const Architecture one = build_decoder(llama_shape());
  const Result<Architecture> both = with_forward_model(one, one);
  ASSERT_TRUE(both.ok());
  const Workload workload = uniform_workload(1, 4096);
  const StageMemory alone = estimate_memory(one, workload, {}, {}).peak();
  const StageMemory with = estimate_memory(*both, workload, {}, {}).peak();
  EXPECT_DOUBLE_EQ((with.weights - alone.weights).base(), 2.0 * 8'030'261'248);
  EXPECT_EQ(with.gradients, alone.gradients);
  EXPECT_EQ(with.optimizer, alone.optimizer);
  EXPECT_EQ(with.activations, alone.activations);
  EXPECT_EQ(with.logits, alone.logits);
}

// Megatron Core: attention, dense MLP and shared experts over tp; norms and router whole; experts over ep; embedding on
// the first stage, head on the last.
TEST(MemoryStates, DivisionOfWeights) {
  const DecoderShape s = moe_shape();
  const StageMemory m = peak(s, {.tp = 4, .ep = 8, .dp = 2, .sp = true}, MemoryFacts{});
  const double attention = 2.0 * 4096 * 4096 + 2.0 * 4096 * 1024;
  const double dense = attention + 3.0 * 4096 * 14336;
  const double shared = attention + 3.0 * 4096 * 1024;
  const double experts = 64 * 3.0 * 4096 * 1024;
  const double whole = 32 * 2.0 * 4096 + 4096 + 31 * 4096.0 * 64;
  const double tables = 2.0 * 128256 * 4096;
  EXPECT_DOUBLE_EQ(m.parameters, (dense + 31 * shared + tables) / 4 + 31 * experts / 8 + whole);
}

TEST(MemoryStates, StagesOfAPipelineShareTheModel) {
  const MemoryEstimate e = estimate_memory(build_decoder(llama_shape(30)), uniform_workload(64, 4096),
                                           {.pp = 4, .accumulation = 64}, MemoryFacts{});
  ASSERT_EQ(e.stages.size(), 4u);
  double sum = 0;
  for (const StageMemory& stage : e.stages) sum += stage.parameters;
  EXPECT_DOUBLE_EQ(sum, parameters(llama_shape(30)));
}

// Llama 3 report, arXiv 2407.21783, section 3.3.2: one layer less on the first and on the last of 16 stages of 126.
TEST(MemoryStates, EmbeddingAndHeadCountAsLayersWhereThatDivides) {
  const auto layers = [](std::int64_t all, std::int64_t pp) {
    const Plan plan{.pp = pp, .accumulation = 64};
    std::vector<std::int64_t> split;
    for (const StageMemory& stage :
         estimate_memory(build_decoder(llama_shape(all)), uniform_workload(64, 4096), plan, MemoryFacts{}).stages) {
      split.push_back(stage.layers);
    }
    return split;
  };
  EXPECT_EQ(layers(30, 4), (std::vector<std::int64_t>{7, 8, 8, 7}));
  EXPECT_EQ(layers(126, 16).front(), 7);
  EXPECT_EQ(layers(126, 16)[1], 8);
  EXPECT_EQ(layers(126, 16).back(), 7);
  EXPECT_EQ(layers(32, 4), (std::vector<std::int64_t>{8, 8, 8, 8}));
  EXPECT_EQ(layers(31, 4), (std::vector<std::int64_t>{8, 8, 8, 7}));
}

TEST(MemoryStates, TiedTableLivesOnBothEnds) {
  DecoderShape tied = llama_shape();
  tied.tied_embeddings = true;
  const MemoryEstimate e =
      estimate_memory(build_decoder(tied), uniform_workload(64, 4096), {.pp = 2, .accumulation = 64}, MemoryFacts{});
  const MemoryEstimate untied = estimate_memory(build_decoder(llama_shape()), uniform_workload(64, 4096),
                                                {.pp = 2, .accumulation = 64}, MemoryFacts{});
  EXPECT_DOUBLE_EQ(e.stages[0].parameters + e.stages[1].parameters,
                   untied.stages[0].parameters + untied.stages[1].parameters);
}

TEST(MemoryActivations, GrowWithTheMicroBatchesHeld) {
  const Architecture model = build_decoder(llama_shape());
  const Plan plan{.pp = 2, .accumulation = 64};
  const auto layers = [&](std::vector<double> held) {
    return estimate_memory(model, uniform_workload(64, 4096), plan, MemoryFacts{}, held).stages;
  };
  const auto one = layers({1, 1}), many = layers({3, 2.5});
  const Bytes ends = 2 * one[0].activations - layers({2, 1})[0].activations;  // do not grow
  EXPECT_NEAR((many[0].activations - ends) / (one[0].activations - ends), 3, 1e-12);
  EXPECT_EQ(many[1].micro_batches_in_flight, 2.5);
}

// DeepSeek-V3 report, arXiv 2412.19437, table 2: DualPipe holds the parameters twice. With p = 2 each device holds all.
TEST(MemoryStates, DualPipeHoldsTwoParts) {
  const Plan plan{.pp = 2, .schedule = PipelineSchedule::dualpipe, .accumulation = 64};
  const MemoryEstimate e =
      estimate_memory(build_decoder(llama_shape(30)), uniform_workload(64, 4096), plan, MemoryFacts{});
  for (const StageMemory& stage : e.stages) {
    EXPECT_DOUBLE_EQ(stage.parameters, parameters(llama_shape(30)));
    EXPECT_EQ(stage.layers, 30);
  }
}

TEST(MemoryActivations, LogitsOfOneMicroBatchOnTheLastStage) {
  MemoryFacts facts;
  facts.bytes_per_logit = 10;
  const MemoryEstimate e = estimate_memory(build_decoder(llama_shape()), uniform_workload(64, 4096),
                                           {.tp = 2, .pp = 2, .cp = 2, .micro_batch = 2, .accumulation = 8}, facts);
  EXPECT_EQ(e.stages[0].logits, Bytes{});
  EXPECT_DOUBLE_EQ(e.stages[1].logits.base(), 10.0 * 2 * (4096 / 2) * (128256 / 2));
}

TEST(MemoryActivations, TensorsSumToTheirTerm) {
  for (const DecoderShape& shape : {llama_shape(), moe_shape(), gpt_shape(kGpt22B)}) {
    const StageMemory m = peak(shape, {.tp = 2, .sp = true}, megatron_2022());
    Bytes sum;
    for (const ActivationMemory& a : m.activations_by_tensor) sum += a.bytes;
    EXPECT_NEAR(sum / m.activations, 1, 1e-12);
  }
}

TEST(MemoryLaws, ABiggerBatchOrLongerSequenceNeverNeedsLess) {
  for (const DecoderShape& shape : {llama_shape(), moe_shape()}) {
    for (Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      Bytes last;
      for (std::int64_t scale : {1, 2, 4, 8}) {
        Workload workload = uniform_workload(64, 1024 * scale);
        workload.recompute = recompute;
        const Bytes longer = peak(shape, {}, megatron_2022(), workload).reserved();
        EXPECT_GE(longer, last);
        workload = uniform_workload(64, 1024);
        workload.recompute = recompute;
        EXPECT_GE(peak(shape, {.micro_batch = scale}, megatron_2022(), workload).reserved(),
                  peak(shape, {}, megatron_2022(), workload).reserved());
        last = longer;
      }
    }
  }
}

TEST(MemoryLaws, MoreDivisionNeverNeedsMoreWeights) {
  for (const DecoderShape& shape : {llama_shape(), moe_shape()}) {
    const auto states = [&](const Plan& plan) {
      const StageMemory m = peak(shape, plan, MemoryFacts{});
      return m.weights + m.gradients + m.optimizer;
    };
    Bytes last = states({.dp = 8, .dp_shard = 8});
    for (std::int64_t tp : {2, 4, 8}) {
      const Bytes divided = states({.tp = tp, .dp = 8, .dp_shard = 8, .sp = true});
      EXPECT_LE(divided, last);
      last = divided;
    }
    last = states({.dp = 8, .dp_shard = 8});
    for (int zero : {1, 2, 3}) {
      const Bytes divided = states({.dp = 8, .dp_shard = 8, .zero = zero});
      EXPECT_LE(divided, last);
      last = divided;
    }
  }
}

TEST(MemoryLaws, RecomputeNeverKeepsMore) {
  for (const DecoderShape& shape : {llama_shape(), moe_shape(), gpt_shape(kGpt22B)}) {
    Bytes last = Bytes::from_base(1e30);
    for (Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      Workload workload = uniform_workload(8, 4096);
      workload.recompute = recompute;
      const Bytes kept = peak(shape, {}, megatron_2022(), workload).activations;
      EXPECT_LE(kept, last);
      last = kept;
    }
  }
}

TEST(MemoryRisk, DatasheetsMeanGibibytes) {
  EXPECT_EQ(addressable_memory(gigabytes(80)), gib(80));
  EXPECT_EQ(addressable_memory(gib(80)), gib(80));
}

TEST(MemoryRisk, GrowsAsTheDeviceShrinks) {
  const MemoryRiskFacts facts{.sigma_ratio = 0.07, .outside = bytes(1e9)};
  EXPECT_DOUBLE_EQ(out_of_memory_risk(bytes(79e9), bytes(80e9), facts), 0.5);  // exactly fits: even odds
  EXPECT_LT(out_of_memory_risk(bytes(50e9), bytes(80e9), facts), 1e-6);
  EXPECT_GT(out_of_memory_risk(bytes(90e9), bytes(80e9), facts), 0.9);
  EXPECT_EQ(out_of_memory_risk(bytes(1e9), bytes(1e9), facts), 1);
}

}  // namespace
}  // namespace nameplate
