#include "nameplate/api/predict.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "nameplate/api/trace.h"
#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

constexpr std::string_view kDense = R"([model]
name = "llama-3-70b"
[training]
seq_len = 8192
global_batch = 256
micro_batch = 1
precision = "bf16"
recompute = "none"
framework = "megatron-core"
[cluster]
accelerator = "H100 SXM"
count = 256
network = "400 Gbit/s per accelerator"
[plan]
tp = 8
pp = 4
zero = 1
schedule = "interleaved"
virtual_pp = 5
)";

constexpr std::string_view kSharded = R"([model]
name = "llama-3-8b"
[training]
seq_len = 8192
global_batch = 128
micro_batch = 1
precision = "bf16"
recompute = "selective"
framework = "torchtitan"
[cluster]
accelerator = "H100 SXM"
count = 128
network = "400 Gbit/s per accelerator"
[plan]
zero = 3
)";

constexpr std::string_view kExperts = R"([model]
name = "mixtral-8x7b"
[training]
seq_len = 4096
global_batch = 256
micro_batch = 1
precision = "bf16"
recompute = "none"
framework = "megatron-core"
[cluster]
accelerator = "H100 SXM"
count = 64
network = "400 Gbit/s per accelerator"
[plan]
tp = 2
pp = 2
ep = 8
zero = 1
)";

class Predict : public ::testing::Test {
 protected:
  Document of(std::string_view manifest, std::vector<std::pair<std::string, std::string>> settings = {}) {
    const Result<Document> d =
        predict({.paths = {folder_.write("run.toml", manifest)}, .settings = std::move(settings)});
    EXPECT_TRUE(d.ok()) << (d.ok() ? "" : render(d.error()));
    return d.ok() ? *d : Document{};
  }
  double figure(std::string_view manifest, std::string_view id,
                std::vector<std::pair<std::string, std::string>> settings = {}) {
    const Document d = of(manifest, std::move(settings));
    const Value* value = d.find_value(id);
    return value != nullptr ? as_double(value->value) : std::nan("");
  }
  double step(std::string_view manifest, std::vector<std::pair<std::string, std::string>> settings = {}) {
    return figure(manifest, "step_time_s", std::move(settings));
  }
  TestFolder folder_;
};

TEST_F(Predict, TheLedgerClosesAndItsFirstRowIsTheMfu) {
  for (const std::string_view manifest : {kDense, kSharded, kExperts}) {
    const Document d = of(manifest);
    const Ledger& ledger = d.ledgers.front();
    double sum = 0;
    for (std::size_t i = 0; i < kLedgerRows; ++i) sum += ledger.value(static_cast<LedgerRow>(i)).value_or(0);
    EXPECT_NEAR(sum, ledger.total(), 1e-9 * ledger.total());
    EXPECT_NEAR(*ledger.share(LedgerRow::model_compute), as_double(d.find_value("mfu_step_ratio")->value), 1e-12);
    EXPECT_NEAR(*ledger.share(LedgerRow::unattributed), 0, 1e-9);
  }
}

bool assumes(const Document& d, std::string_view fact) {
  for (const Assumption& each : d.assumptions) {
    if (each.id == "step.assumed" && std::get<std::string>(each.args.front().second) == fact) return true;
  }
  return false;
}

// 80 layers on 4 stages: 5, 4 and 2 chunks divide them, 3 does not, whether embedding and head count as layers (81, 82)
// or not.
TEST_F(Predict, ChunksThatDoNotDivideTheLayersAreRefused) {
  for (const char* chunks : {"5", "4", "2"}) EXPECT_GT(step(kDense, {{"plan.virtual_pp", chunks}}), 0) << chunks;
  const auto refused = predict({.paths = {folder_.write("run.toml", kDense)}, .settings = {{"plan.virtual_pp", "3"}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().found, "80 layers over 4 pipeline stages of 3 chunks");
}

// Qi et al. 2023 and 2024: ZB-H1 and ZB-V hold p micro-batches on every stage. 80 layers on 4 stages are alike, so the
// stages inside need the same memory.
TEST_F(Predict, MemoryFollowsTheScheduleInUse) {
  for (const char* chunks : {"1", "2"}) {
    const Document d = of(kDense, {{"plan.schedule", "zero_bubble"}, {"plan.virtual_pp", chunks}});
    const Table& stages = *d.find_table("memory_stages");
    for (const std::vector<Cell>& row : stages.rows) EXPECT_EQ(std::get<double>(row[2]), 4) << chunks;
    EXPECT_EQ(std::get<double>(stages.rows[1][4]), std::get<double>(stages.rows[2][4])) << chunks;
  }
}

// Recomputed modules: the MLP's hidden tensors are 2 (gate, up) + 1 times 28,672 / 8 values of 2 bytes a token, layer
// and rank; 8,192 tokens, 20 layers and 1F1B's 4 micro-batches on the first stage.
TEST_F(Predict, TakesModulesToRecompute) {
  const auto activations = [&](const char* recompute) {
    const Document d =
        of(kDense, {{"training.recompute", recompute}, {"plan.schedule", "1f1b"}, {"plan.virtual_pp", "1"}});
    return std::get<double>(d.find_table("memory_stages")->rows[0][4]);
  };
  EXPECT_NEAR(activations("none") - activations("mlp"), 3.0 * 2 * 28672 / 8 * 8192 * 20 * 4, 1);
  EXPECT_GT(step(kDense, {{"training.recompute", "mlp"}}), step(kDense));
  EXPECT_LT(step(kDense, {{"training.recompute", "mlp"}}), step(kDense, {{"training.recompute", "full"}}));
}

constexpr std::string_view kOnCpu = R"([model]
name = "gpt2"
[training]
seq_len = 1024
global_batch = 8
precision = "fp32"
[cluster]
accelerator = "cpu"
count = 1
peak = "450 GFLOP/s"
)";

// A part that the catalogue knows nothing of is predicted from its stated peak and bandwidth, and not without either.
TEST_F(Predict, AStatedPeakAndBandwidthSuffice) {
  const Document d = of(kOnCpu, {{"cluster.hbm_bandwidth", "20 GB/s"}});
  EXPECT_GT(as_double(d.find_value("mfu_step_ratio")->value), 0.05);
  EXPECT_LT(as_double(d.find_value("mfu_step_ratio")->value), 1);
  const auto without = predict({.paths = {folder_.write("run.toml", kOnCpu)}});
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().found, "the memory bandwidth (cluster.hbm_bandwidth) of cpu is not known");
}

TEST_F(Predict, WhatItFillsInStandsUnderAssumed) {
  std::string bare(kDense);
  for (const std::string_view line :
       {"schedule = \"interleaved\"\nvirtual_pp = 5\n", "framework = \"megatron-core\"\n"}) {
    bare.erase(bare.find(line), line.size());
  }
  const Document d = of(bare);
  for (const std::string_view fact : {"plan.schedule", "plan.sp", "training.framework"}) {
    EXPECT_TRUE(assumes(d, fact)) << fact;
    EXPECT_EQ(assumes(of(kDense), fact), fact == "plan.sp") << fact;
  }
}

// Llama 3 70B at 8K: 449.22 GFLOP a token (training-physics golden value), 2,097,152 tokens a step, 256 x 989.4
// TFLOP/s.
TEST_F(Predict, TheMfuIsModelFlopsOverTimeAndPeak) {
  const double expected = 449.22e9 * 256 * 8192 / (step(kDense) * 256 * 989.4e12);
  EXPECT_NEAR(figure(kDense, "mfu_step_ratio"), expected, 0.003 * expected);
}

// H100: 989.4 TFLOP/s in bf16, 494.5 in tf32, 67 in fp32; twice the bytes of each.
TEST_F(Predict, EveryFormatRunsAtItsOwnPeak) {
  const double bf16 = step(kSharded);
  const double tf32 = step(kSharded, {{"training.precision", "tf32"}});
  const double fp32 = step(kSharded, {{"training.precision", "fp32"}});
  EXPECT_GT(tf32, 1.7 * bf16);
  EXPECT_LT(tf32, 2.1 * bf16);
  EXPECT_GT(fp32, 9 * bf16);
  EXPECT_LT(fp32, 989.4 / 67 * bf16);
  for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"}) {
    const Document d = of(kSharded, {{"training.precision", precision}});
    EXPECT_LT(as_double(d.find_value("mfu_step_ratio")->value), 1) << precision;
    for (const LedgerRow row : {LedgerRow::kernel_matmul, LedgerRow::kernel_attention}) {
      EXPECT_GE(*d.ledgers.front().value(row), 0) << precision;
    }
  }
}

// fp8 has twice the peak of 16 bits on Hopper.
TEST_F(Predict, ANarrowRunHasItsMfuOverBothPeaks) {
  const double narrow = figure(kSharded, "mfu_step_ratio", {{"training.precision", "fp8"}});
  EXPECT_NEAR(figure(kSharded, "mfu_16_bit_peak_ratio", {{"training.precision", "fp8"}}), 1979 / 989.4 * narrow, 1e-9);
  EXPECT_EQ(of(kSharded).find_value("mfu_16_bit_peak_ratio"), nullptr);
}

TEST_F(Predict, NothingFasterMakesAStepSlower) {
  for (const std::string_view manifest : {kDense, kSharded, kExperts}) {
    const double before = step(manifest);
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, std::string>>{{"cluster.hbm_bandwidth", "x2"},
                                                          {"cluster.network", "x2"},
                                                          {"cluster.scale_up", "x2"},
                                                          {"cluster.peak", "x1.5"},
                                                          {"cluster.network_latency", "x0.1"},
                                                          {"cluster.scale_up_latency", "x0.1"}}) {
      EXPECT_LE(step(manifest, {{key, value}}), before * (1 + 1e-12)) << key;
    }
  }
}

// Twice the replicas with twice the batch: what is not communication or waiting for the last rank does not grow.
TEST_F(Predict, MoreReplicasCostOnlyCommunication) {
  for (const std::string_view manifest : {kDense, kSharded, kExperts}) {
    const auto apart = [&](const Document& d, double devices) {
      double seconds = as_double(d.find_value("step_time_s")->value);
      for (const LedgerRow row : {LedgerRow::comm_dp, LedgerRow::straggler_wait})
        seconds -= d.ledgers.front().value(row).value_or(0) / devices;
      return seconds;
    };
    const auto devices = static_cast<double>(of(manifest).ledgers.front().ranks_present());
    const double once = apart(of(manifest), devices);
    const double twice = apart(of(manifest, {{"cluster.count", "x2"}, {"training.global_batch", "x2"}}), 2 * devices);
    EXPECT_LE(twice, once * (1 + 1e-9));
  }
}

// Less idle time from schedule to schedule, of 4 stages, 32 micro-batches and all else alike.
TEST_F(Predict, BetterSchedulesHaveSmallerBubbles) {
  const auto bubble = [&](const char* schedule, const char* chunks) {
    const Document d = of(kDense, {{"plan.schedule", schedule}, {"plan.virtual_pp", chunks}});
    return *d.ledgers.front().value(LedgerRow::pipeline_bubble);
  };
  const double plain = bubble("1f1b", "1");
  EXPECT_NEAR(bubble("gpipe", "1"), plain, 0.02 * plain);
  EXPECT_LT(bubble("interleaved", "2"), 0.7 * plain);
  EXPECT_LT(bubble("zero_bubble", "1"), 0.6 * plain);
  EXPECT_LT(bubble("zero_bubble", "2"), 0.6 * plain);
  EXPECT_LT(bubble("dualpipe", "1"), 0.7 * plain);
}

TEST_F(Predict, UnitsOfASettingAreTheKeysOwn) {
  EXPECT_EQ(step(kDense, {{"cluster.network", "x2"}}), step(kDense, {{"cluster.network", "800 Gbit/s"}}));
  EXPECT_EQ(step(kDense, {{"cluster.network", "100 GB/s"}}), step(kDense, {{"cluster.network", "800 Gbit/s"}}));
  // A factor of what only the catalogue knows: 3350 GB/s.
  EXPECT_EQ(step(kDense, {{"cluster.hbm_bandwidth", "x10"}}), step(kDense, {{"cluster.hbm_bandwidth", "33500 GB/s"}}));
  EXPECT_FALSE(predict({.paths = {folder_.path()}, .settings = {{"cluster.network", "800"}}}).ok());
}

TEST_F(Predict, OverlapNotStatedIsABracketAndStatedIsAPoint) {
  const Document open = of(kSharded);
  const double least = as_double(open.find_value("step_time_all_overlapped_s")->value);
  const double most = as_double(open.find_value("step_time_none_overlapped_s")->value);
  EXPECT_LT(least, most);
  EXPECT_EQ(of(kSharded, {{"plan.overlap.fraction", "0.5"}}).find_value("step_time_all_overlapped_s"), nullptr);
  EXPECT_NEAR(step(kSharded, {{"plan.overlap.fraction", "1"}}), least, 1e-9 * least);
  EXPECT_NEAR(step(kSharded, {{"plan.overlap.fraction", "0"}}), most, 1e-9 * most);
}

// Exposed communication from 0.45 to 0.82 of overlap: at most 0.55 / 0.18 = 3.056 times less.
TEST_F(Predict, MoreOverlapExposesAtMostThreeTimesLess) {
  const auto exposed = [&](const char* fraction) {
    return figure(kDense, "exposed_communication_ratio", {{"plan.overlap.fraction", fraction}}) *
           step(kDense, {{"plan.overlap.fraction", fraction}});
  };
  const double ratio = exposed("0.45") / exposed("0.82");
  EXPECT_GT(ratio, 1);
  EXPECT_LE(ratio, 0.55 / 0.18 + 1e-9);
}

TEST_F(Predict, ASettingIsComparedWithTheRunWithoutIt) {
  const Document d = of(kDense, {{"cluster.network", "x2"}});
  const Table* table = d.find_table("what_if");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(std::get<double>(table->rows[0][1]), step(kDense));
  EXPECT_EQ(std::get<double>(table->rows[1][1]), step(kDense, {{"cluster.network", "x2"}}));
}

TEST_F(Predict, ARangeIsATableAndAPlanThatCannotBeSaysWhy) {
  const Document d = of(kDense, {{"plan.pp", "1..4"}, {"plan.schedule", "1f1b"}, {"plan.virtual_pp", "1"}});
  const Table* table = d.find_table("range");
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->rows.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<double>(table->rows[1][1]));
  // 8 x 3 does not divide 256: behind those that can be.
  EXPECT_EQ(std::get<double>(table->rows[3][0]), 3);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table->rows[3][1]));
  EXPECT_NE(std::get<std::string>(table->rows[3].back()).find("24 for 256"), std::string::npos);
  EXPECT_EQ(d.find_table("range_left_out")->rows.size(), 1u);
  EXPECT_EQ(d.figures.size(), 1u);
}

TEST_F(Predict, OfSeveralRangesTheFastestThatFitsIsNamed) {
  const Document d =
      of(kDense, {{"plan.tp", "4..8"}, {"plan.pp", "2..4"}, {"plan.virtual_pp", "5"}, {"cluster.hbm_size", "192 GB"}});
  const Table& table = *d.find_table("range");
  double fastest = 0, before = 1e30;
  std::string fits = "no";
  for (const std::vector<Cell>& row : table.rows) {
    const auto* rate = std::get_if<double>(&row[3]);
    if (rate == nullptr) continue;
    EXPECT_LE(*rate, before);
    before = *rate;
    if (fits == "no") fits = std::get<std::string>(row[8]), fastest = std::get<double>(row[2]);
  }
  ASSERT_EQ(fits, "yes");
  const auto best =
      std::find_if(d.notes.begin(), d.notes.end(), [](const Note& n) { return n.id == "predict.range_best"; });
  ASSERT_NE(best, d.notes.end());
  EXPECT_EQ(std::get<double>(best->args[1].second), fastest);
}

TEST_F(Predict, MemoryThatIsShortNamesItsLargestParts) {
  const Document d = of(kDense, {{"cluster.hbm_size", "40 GB"}});
  bool told = false;
  for (const Note& note : d.notes) told |= note.id == "memory.does_not_fit";
  EXPECT_TRUE(told);
  EXPECT_EQ(d.find_table("stages")->rows.size(), 4u);
}

// 256 sequences on 8 data-parallel ranks, 32 each, 100 ms of decoding in the training process: 3.2 s a step.
TEST_F(Predict, WaitingForDataIsARow) {
  const std::string manifest = std::string(kDense) + "[data]\ncpu_time_per_sample = \"100 ms\"\nworkers = 0\n";
  const Document d = of(manifest);
  EXPECT_NEAR(as_double(d.find_value("data_wait_s")->value), 3.2, 1e-9);
  EXPECT_NEAR(*d.ledgers.front().value(LedgerRow::data_wait), 3.2 * 256, 1e-6);
  EXPECT_NEAR(as_double(d.find_value("step_time_s")->value), step(kDense) + 3.2, 1e-9);
}

TEST_F(Predict, WhatTheManifestMeasuredStandsBeside) {
  const auto has = [](const Document& d, std::string_view id) {
    return std::any_of(d.notes.begin(), d.notes.end(), [&](const Note& n) { return n.id == id; });
  };
  const double predicted = step(kDense);
  const auto with = [&](double seconds) {
    return of(std::string(kDense) + "[measured]\nstep_time = \"" + std::to_string(seconds) + " s\"\n");
  };
  EXPECT_TRUE(has(with(predicted), "predict.measured_inside"));
  EXPECT_TRUE(has(with(3 * predicted), "predict.measured_outside"));
  EXPECT_NEAR(as_double(with(3 * predicted).find_value("measured_step_time_s")->value), 3 * predicted, 1e-5);
  EXPECT_FALSE(has(of(kDense), "predict.measured_inside"));
}

TEST_F(Predict, ATimelineIsReadBack) {
  const Document d = of(kDense);
  const double predicted = as_double(d.find_value("step_time_s")->value);
  const auto files = predict_timeline({.paths = {folder_.path() + "/run.toml"}}, "t/");
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 4u);
  const TestFolder traces;
  for (const TimelineFile& file : *files) traces.write(file.path, file.text);
  const Result<Document> read = explain_traces({.paths = {traces.path() + "/t"}});
  ASSERT_TRUE(read.ok()) << render(read.error());
  EXPECT_EQ(read->find_table("ranks")->rows.size(), 4u);
  EXPECT_NEAR(as_double(read->find_value("step_time_s")->value), predicted, 1e-3 * predicted);
  // The rows that are drawn come back; sends are drawn as waiting, and without shapes kernels hold their FLOPs.
  using Rows = std::vector<LedgerRow>;
  const auto share = [](const Document& of, const Rows& rows) {
    double sum = 0;
    for (const LedgerRow row : rows) sum += of.ledgers.front().share(row).value_or(0);
    return sum;
  };
  using enum LedgerRow;
  for (const Rows& rows : {Rows{model_compute, kernel_matmul, kernel_attention}, Rows{comm_tp}, Rows{comm_dp},
                           Rows{pipeline_bubble, comm_pp}}) {
    EXPECT_NEAR(share(*read, rows), share(d, rows), 0.01);
  }
}

TEST_F(Predict, APlanThatCannotBeIsAnError) {
  const auto fails = [&](std::string_view key, std::string_view value) {
    return !predict(
                {.paths = {folder_.write("run.toml", kDense)}, .settings = {{std::string(key), std::string(value)}}})
                .ok();
  };
  EXPECT_TRUE(fails("plan.virtual_pp", "40"));  // 4 x 40 chunks of 80 layers
  EXPECT_TRUE(fails("plan.ep", "2"));           // no experts
  EXPECT_TRUE(fails("plan.tp", "7"));
  EXPECT_TRUE(fails("training.global_batch", "100"));  // on 8 data-parallel ranks
  EXPECT_TRUE(fails("plan.stage_layers", "[20, 20, 20, 19]"));
  EXPECT_FALSE(fails("plan.stage_layers", "[19, 21, 21, 19]"));
  EXPECT_TRUE(fails("training.framework", "megatrn-core"));
}

TEST_F(Predict, WhatIsMissingIsAskedForAtOnce) {
  const Result<Document> d = predict({.paths = {folder_.write("run.toml", "[cluster]\ncount = 8\n")}});
  ASSERT_FALSE(d.ok());
  EXPECT_NE(d.error().found.find("training.global_batch"), std::string::npos);
  EXPECT_NE(d.error().found.find("cluster.accelerator"), std::string::npos);
}

TEST_F(Predict, ClaimsNeedNoRun) {
  const Result<Document> d = predict({.claims = {"overlap=0.45..0.82", "compute=x3.8 mfu=0.38..0.35"}});
  ASSERT_TRUE(d.ok());
  EXPECT_NEAR(std::get<double>(d->find_table("claims")->rows[0][2]), 3.056, 1e-3);
  EXPECT_NEAR(std::get<double>(d->find_table("claims")->rows[1][2]), 4.126, 1e-3);
  EXPECT_FALSE(predict({.claims = {"speed=x3"}}).ok());
  for (const char* backward : {"overlap=0.82..0.45", "compute=x0.5 mfu=0.38..0.35", "bandwidth=x10 mfu=0.92..0.72"}) {
    EXPECT_FALSE(predict({.claims = {backward}}).ok()) << backward;
  }
  for (const char* beyond : {"overlap=0.5..1", "compute=x2 mfu=0.72..1.2"}) {
    const auto answer = predict({.claims = {beyond}});
    ASSERT_FALSE(answer.ok()) << beyond;
    EXPECT_EQ(answer.error().hint, "two shares from 0 to below 1, as in 0.45..0.82");
  }
}

}  // namespace
}  // namespace nameplate
