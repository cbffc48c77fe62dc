#include "nameplate/analysis/steptime/step.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/steptime/pipeline.h"
#include "nameplate/analysis/steptime/setup_for_test.h"
#include "nameplate/analysis/steptime/times.h"

namespace nameplate {
namespace {

Seconds time_of(const StepSetup& setup) { return predict_step(setup, calibration_for_test()).step_time; }

// Setups that between them have every kind of traffic, schedule and bound.
std::vector<StepSetup> varied_setups() {
  std::vector<StepSetup> setups = {setup_for_test(), setup_for_test(experts_shape())};
  setups[1].plan.ep = 16;
  StepSetup sharded = setup_for_test();
  sharded.plan.tp = sharded.plan.pp = 1;
  sharded.plan.dp = sharded.plan.dp_shard = 64;
  sharded.plan.zero = 3;
  sharded.plan.accumulation = 2;
  setups.push_back(sharded);
  StepSetup narrow = setup_for_test();
  narrow.workload.precision = Precision::fp8;
  narrow.workload.recompute = Recompute::full;
  narrow.device.peak = narrow.device.peak_16 * 2;
  narrow.device.matmul = narrow.device.matmul_16 * 1.8;
  narrow.plan.cp = 2;
  narrow.plan.dp = narrow.plan.dp_shard = 4;
  setups.push_back(narrow);
  StepSetup tiny = setup_for_test();
  tiny.workload = uniform_workload(8 * 16, 128);
  setups.push_back(tiny);
  StepSetup unfused = setup_for_test();
  unfused.framework.fused_attention = false;
  unfused.plan.sp = false;
  setups.push_back(unfused);
  return setups;
}

TEST(Step, MoreOfAnythingNeverSlows) {
  const std::vector<std::function<void(StepSetup&)>> improvements = {
      [](StepSetup& s) { s.device.memory_bandwidth = s.device.memory_bandwidth * 1.5; },
      [](StepSetup& s) { s.device.matmul = s.device.matmul * 1.5; },
      [](StepSetup& s) { s.device.matmul_16 = s.device.matmul_16 * 1.5; },
      [](StepSetup& s) { s.device.peak_16 = s.device.peak_16 * 1.5; },
      [](StepSetup& s) { s.fabric.scale_up = s.fabric.scale_up * 1.5; },
      [](StepSetup& s) { s.fabric.scale_out = s.fabric.scale_out * 1.5; },
      [](StepSetup& s) { s.fabric.scale_up_latency = s.fabric.scale_up_latency / 2; },
      [](StepSetup& s) { s.fabric.scale_out_latency = s.fabric.scale_out_latency / 2; },
  };
  for (const StepSetup& setup : varied_setups()) {
    for (std::size_t i = 0; i < improvements.size(); ++i) {
      StepSetup better = setup;
      improvements[i](better);
      EXPECT_LE(time_of(better), time_of(setup)) << "improvement " << i;
    }
  }
}

TEST(Step, PartsSumToTheStepOnEveryStageAndTheLedgerCloses) {
  for (const StepSetup& setup : varied_setups()) {
    const StepPrediction p = predict_step(setup, calibration_for_test());
    for (const StepParts& parts : p.stage_parts) {
      EXPECT_NEAR(parts.total() / p.step_time, 1, 1e-9);
      EXPECT_GE(parts.bubble.base(), -1e-12);
      EXPECT_GE(parts.host.base(), -1e-12);
    }
    const Ledger ledger = step_ledger(setup, p);
    EXPECT_NEAR(ledger.total(), 64 * p.step_time.base(), 1e-9);
    EXPECT_NEAR(*ledger.value(LedgerRow::unattributed), 0, 1e-6);
  }
}

TEST(Step, ModelFlopsAreThoseOfTheCount) {
  const StepSetup setup = setup_for_test();
  const StepPrediction p = predict_step(setup, calibration_for_test());
  const double counted = to_double(step_flops(setup.architecture, setup.workload, AttentionCount::causal).total());
  EXPECT_NEAR(p.model_flops / counted, 1, 1e-9);
  EXPECT_EQ(p.model_flops, p.hardware_flops);
}

TEST(Step, FullRecomputationRepeatsTheLayersOnce) {
  StepSetup setup = setup_for_test();
  setup.workload.recompute = Recompute::full;
  const StepPrediction p = predict_step(setup, calibration_for_test());
  const double repeated =
      to_double(recompute_flops(setup.architecture, setup.workload, Recompute::full, AttentionCount::causal));
  EXPECT_NEAR((p.hardware_flops - p.model_flops) / repeated, 1, 1e-9);
}

TEST(Step, OverlapBracketsTheStep) {
  for (const StepSetup& setup : varied_setups()) {
    const StepPrediction p = predict_step(setup, calibration_for_test());
    EXPECT_LE(p.all_overlapped, p.step_time);
    EXPECT_GE(p.none_overlapped, p.step_time);
    EXPECT_LE(p.host_floor, p.step_time);
    EXPECT_LE(p.low, p.step_time);
    EXPECT_GE(p.high, p.step_time);
  }
}

TEST(Step, AnAnchorScalesEveryTime) {
  for (StepSetup setup : varied_setups()) {
    const StepPrediction plain = predict_step(setup, calibration_for_test());
    setup.anchor = 1.25;
    const StepPrediction anchored = predict_step(setup, calibration_for_test());
    EXPECT_NEAR(anchored.step_time / plain.step_time, 1.25, 1e-6);
    EXPECT_EQ(anchored.model_flops, plain.model_flops);
  }
}

// Twice the replicas with twice the batch: what grows is gradient traffic and the slowest rank.
TEST(Step, ReplicasAddCommunicationOnly) {
  const StepSetup setup = setup_for_test();
  StepSetup doubled = setup;
  doubled.plan.dp = doubled.plan.dp_shard = 16;
  doubled.workload = uniform_workload(2 * 8 * 16, 4096);
  const StepPrediction one = predict_step(setup, calibration_for_test());
  const StepPrediction two = predict_step(doubled, calibration_for_test());
  const Seconds grown = two.parts.dp + two.parts.straggler - one.parts.dp - one.parts.straggler;
  EXPECT_LE(two.step_time - one.step_time, grown + seconds(1e-12));
}

// Equal stages, one micro-batch t each: (m + p - 1) t (Narayanan et al. 2021, section 2.2).
TEST(Step, EqualStagesWaitAsTheClosedForm) {
  StepSetup setup = setup_for_test();
  setup.plan.pp = 4;
  setup.plan.dp = setup.plan.dp_shard = 4;
  Block& head = setup.architecture.blocks.back();
  Block& embedding = setup.architecture.blocks.front();
  head.operators.clear();
  embedding.operators.clear();
  const StepCalibration calibration = calibration_for_test();
  const CompiledStep work = step_work(setup, calibration);
  const StepSeconds t = step_seconds(setup, work, step_values(work, calibration));
  EXPECT_NEAR(t.bubble / t.stages[0].micro_batch, 3, 1e-9);
  setup.plan.virtual_pp = 2;
  const CompiledStep interleaved = step_work(setup, calibration);
  const StepSeconds half = step_seconds(setup, interleaved, step_values(interleaved, calibration));
  EXPECT_NEAR(half.bubble / half.stages[0].micro_batch, 1.5, 1e-9);
}

// The closed form against the schedule's events, for stages that differ: embedding in front, a head behind.
TEST(Step, TheClosedFormIsTheSchedulesWhereThereIsOne) {
  for (const std::int64_t chunks : {1, 2, 4}) {
    StepSetup setup = setup_for_test();
    setup.plan.pp = 4;
    setup.plan.dp = setup.plan.dp_shard = 4;
    setup.plan.virtual_pp = chunks;
    const StepCalibration calibration = calibration_for_test();
    const CompiledStep work = step_work(setup, calibration);
    const StepSeconds t = step_seconds(setup, work, step_values(work, calibration));
    PipelineInput input{.schedule = chunks > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b,
                        .stages = 4,
                        .chunks = chunks,
                        .micro_batches = setup.plan.accumulation};
    for (const StagePass& s : t.stages) {
      const Seconds third = s.micro_batch / static_cast<double>(3 * chunks);
      input.times.insert(input.times.end(), static_cast<std::size_t>(chunks), {third, Seconds(), third, third});
    }
    EXPECT_NEAR(run_pipeline(input).makespan / (t.pipeline - t.pp), 1, 0.02) << chunks;
  }
}

TEST(Step, SchedulesWithoutAClosedFormAreRun) {
  StepSetup setup = setup_for_test();
  setup.plan.pp = 4;
  setup.plan.dp = setup.plan.dp_shard = 4;
  const Seconds plain = predict_step(setup, calibration_for_test()).parts.bubble;
  setup.plan.schedule = PipelineSchedule::zero_bubble;
  const StepPrediction zero = predict_step(setup, calibration_for_test());
  EXPECT_LT(zero.parts.bubble, plain * 0.7);  // a third for equal stages (arXiv 2401.10241, table 2)
  EXPECT_NEAR(zero.parts.total() / zero.step_time, 1, 1e-9);
  setup.plan.schedule = PipelineSchedule::dualpipe;
  EXPECT_LT(predict_step(setup, calibration_for_test()).parts.bubble, plain);
}

TEST(Step, UnevenLayersAreBalancedOrCountTheEnds) {
  DecoderShape shape = llama_8b_shape();
  shape.layers = 30;  // with embedding and head 32 parts: 7 + 1, 8, 8, 7 + 1
  StepSetup setup = setup_for_test(shape);
  setup.plan.pp = 4;
  setup.plan.dp = setup.plan.dp_shard = 4;
  const std::vector<StageTime> ends = predict_step(setup, calibration_for_test()).stages;
  EXPECT_DOUBLE_EQ(ends[0].layers, 7);
  EXPECT_DOUBLE_EQ(ends[1].layers, 8);
  EXPECT_DOUBLE_EQ(ends[3].layers, 7);
  shape.layers = 31;
  setup.architecture = build_decoder(shape);
  for (const StageTime& stage : predict_step(setup, calibration_for_test()).stages) {
    EXPECT_DOUBLE_EQ(stage.layers, 31.0 / 4);
  }
}

TEST(Step, FrozenWeightsNeedNoGradientOfTheirs) {
  StepSetup setup = setup_for_test();
  const StepPrediction whole = predict_step(setup, calibration_for_test());
  setup.task = StepTask::lora;
  const StepPrediction lora = predict_step(setup, calibration_for_test());
  EXPECT_LT(lora.step_time, whole.step_time);
  EXPECT_LT(lora.model_flops, 0.75 * whole.model_flops);
}

TEST(Step, AnUnseenDeviceOrFrameworkIsNewAndAnAssumptionWidens) {
  StepSetup setup = setup_for_test();
  StepCalibration calibration = calibration_for_test();
  calibration.values.push_back({.id = "matmul.family.16", .prior = 1, .sigma = 0.1, .value = 1.1});
  calibration.bands = {{.regime = "dense.known", .low = 0.9, .high = 1.1},
                       {.regime = "dense.new", .low = 0.8, .high = 1.25}};
  EXPECT_EQ(predict_step(setup, calibration).regime.id, "dense.new");  // the framework's passes are at their prior
  calibration.values[*calibration.find("passes.test")].value = 21;
  const StepPrediction known = predict_step(setup, calibration);
  EXPECT_EQ(known.regime.id, "dense.known");
  EXPECT_NEAR(known.low / known.step_time, 0.9, 1e-12);
  setup.assumptions = {{"step.assumed", {}}};
  EXPECT_LT(predict_step(setup, calibration).low, known.low);
}

TEST(Step, ResourcesAreNeverUsedMoreThanAllOfTheStep) {
  for (const StepSetup& setup : varied_setups()) {
    const Utilisation u = predict_step(setup, calibration_for_test()).utilisation;
    for (const double share : {u.memory, u.scale_up, u.scale_out}) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1);
    }
    EXPECT_GT(u.memory, 0);
  }
}

// Fernandez et al. 2024 (arXiv 2411.13055): Llama 7B under FSDP does 37 % fewer tokens a second and device on 2,048
// H100 than on 128. A ring of 16 times the ranks has 16 times the hops.
TEST(Step, ShardsOverMoreRanksCostMoreThanTheirBytes) {
  const auto time_on = [](std::int64_t ranks) {
    StepSetup setup = setup_for_test();
    setup.plan.tp = setup.plan.pp = 1;
    setup.plan.sp = false;
    setup.plan.dp = setup.plan.dp_shard = ranks;
    setup.plan.zero = 3;
    setup.plan.micro_batch = 2;
    setup.plan.accumulation = 1;
    setup.workload = uniform_workload(2 * ranks, 4096);
    return time_of(setup);
  };
  EXPECT_LT(time_on(128) / time_on(16), 1.06);
  EXPECT_GT(time_on(2048) / time_on(128), 1.1);
}

TEST(Step, ASlowerLinkIsInUseForLonger) {
  StepSetup setup = varied_setups()[2];  // sharded over 8 domains of 8
  const Utilisation fast = predict_step(setup, calibration_for_test()).utilisation;
  EXPECT_GT(fast.scale_up, 0);
  setup.fabric.scale_up = setup.fabric.scale_up / 8;
  const Utilisation slow = predict_step(setup, calibration_for_test()).utilisation;
  EXPECT_GT(slow.scale_up, fast.scale_up);
  EXPECT_LE(slow.scale_out, fast.scale_out);
}

// Adam reads a gradient of 4 bytes, reads and writes 12 of state, and writes 2: 30. Without moments 4 of state: 14.
TEST(Step, TheUpdateMovesTheStatesOfItsOptimizer) {
  StepSetup setup = setup_for_test();
  const Seconds adam = predict_step(setup, calibration_for_test()).parts.optimizer;
  setup.workload.optimizer_state_bytes_per_parameter = 4;
  EXPECT_NEAR(predict_step(setup, calibration_for_test()).parts.optimizer / adam, 14.0 / 30, 1e-9);
}

TEST(Step, OperatorsAreRatedAgainstThePeakOfTheirFormat) {
  const StepSetup narrow = varied_setups()[3];  // fp8, whose peak is twice that of 16 bits
  const StepSetup plain = setup_for_test();
  const auto rated = [](const StepSetup& setup, std::string_view id) {
    for (const OperatorTime& op : predict_step(setup, calibration_for_test()).operators) {
      if (op.id == id) return op.at_peak / (op.forward + op.backward);
    }
    return 0.0;
  };
  // Attention, in 16 bits, runs at 0.4 of its peak, less for 2048 keys (0.944), and 3 of its 3.5 forward passes count.
  EXPECT_GT(rated(narrow, "attention.core"), 0.3);
  EXPECT_GT(rated(plain, "attention.core"), 0.3);
  EXPECT_LT(rated(narrow, "attention.core"), 0.4);
}

TEST(Step, ModelsAndFrameworksThatNoRunCoversAreSaid) {
  StepCalibration calibration = calibration_for_test();
  calibration.values.push_back({.id = "matmul.family.16", .prior = 1, .sigma = 0.1, .value = 1.1});
  calibration.values[*calibration.find("passes.test")].value = 21;
  const auto unseen = [&](const StepSetup& setup) { return predict_step(setup, calibration).regime.unseen; };
  EXPECT_TRUE(unseen(setup_for_test()).empty());
  StepSetup setup = setup_for_test();
  setup.framework.measured = false;
  EXPECT_EQ(unseen(setup), std::vector<std::string>{"the framework"});
  setup = setup_for_test();
  setup.architecture.decoder.reset();
  EXPECT_EQ(unseen(setup), std::vector<std::string>{"the kind of model"});
  setup = setup_for_test();
  setup.workload.precision = Precision::tf32;
  EXPECT_EQ(unseen(setup), std::vector<std::string>{"the accelerator at this precision"});
}

TEST(Step, ATokenGoesToEachNodeOnce) {
  StepSetup setup = setup_for_test(experts_shape());
  setup.plan.tp = 1;
  setup.plan.pp = 1;
  setup.plan.dp = setup.plan.dp_shard = 64;
  setup.plan.sp = false;
  setup.plan.ep = 16;  // two domains of 8
  const StepCalibration calibration = calibration_for_test();
  const auto outside = [&] { return step_work(setup, calibration).layers[1].ep_outside_bytes; };
  // 4096 tokens x 8 experts x 2048 x 2 bytes, half of it to the other domain.
  EXPECT_NEAR(outside(), 4096.0 * 8 * 2048 * 2 / 2, 1);
  setup.framework.sends_once_per_node = true;
  // One copy where any of 8 experts is there: 1 - 2^-8.
  EXPECT_NEAR(outside(), 4096.0 * 2048 * 2 * (1 - 1.0 / 256), 1);
}

}  // namespace
}  // namespace nameplate
