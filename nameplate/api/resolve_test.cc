#include "nameplate/api/resolve.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

struct Given {
  std::string manifest;
  std::vector<std::pair<std::string, std::string>> flags;
  std::vector<std::pair<std::string, std::string>> logged;
  std::optional<std::string> config = {};
};

Result<LoadedRun> resolve(const Given& given) {
  LoadedRun run;
  if (!given.manifest.empty()) run.manifest = Manifest::parse(given.manifest, "run.toml").value();
  for (const auto& [key, value] : given.flags) {
    if (Status bad = run.manifest.set(key, value)) return *bad;
  }
  run.log = RunLog{.format = "test", .files = {"train.log"}};
  for (const auto& [key, value] : given.logged) run.log->facts.push_back({key, value, {"train.log", 3, ""}});
  if (Status bad = resolve_model(Catalogue::embedded(), given.config, run)) return *bad;
  if (Status bad = resolve_training(run)) return *bad;
  if (Status bad = resolve_accelerator(Catalogue::embedded(), run)) return *bad;
  return run;
}

const InputFact* input(const LoadedRun& run, std::string_view key) {
  for (const InputFact& fact : run.inputs) {
    if (fact.key == key) return &fact;
  }
  return nullptr;
}

bool has(const std::vector<Message>& messages, std::string_view id) {
  for (const Message& message : messages) {
    if (message.id == id) return true;
  }
  return false;
}

bool has(const Defects& defects, std::string_view id) {
  for (const Defect& defect : defects) {
    if (defect.message.id == id) return true;
  }
  return false;
}

// --- who wins ---

TEST(Resolve, AFlagBeatsTheManifestBeatsTheLog) {
  const std::string manifest = "[cluster]\ncount = 8\n";
  const LoadedRun log = resolve({"", {}, {{"cluster.count", "4"}}}).value();
  EXPECT_EQ(log.facts.accelerators, 4);
  EXPECT_EQ(input(log, "cluster.count")->origin, Origin::log);
  EXPECT_EQ(input(log, "cluster.count")->detail, "train.log:3");
  const LoadedRun file = resolve({manifest, {}, {{"cluster.count", "4"}}}).value();
  EXPECT_EQ(file.facts.accelerators, 8);
  EXPECT_EQ(input(file, "cluster.count")->detail, "run.toml:2");
  const LoadedRun flag = resolve({manifest, {{"cluster.count", "16"}}, {{"cluster.count", "4"}}}).value();
  EXPECT_EQ(flag.facts.accelerators, 16);
  EXPECT_EQ(input(flag, "cluster.count")->origin, Origin::flag);
}

// A Llama of 2 layers; 3 in the manifest; 32 in llama-3-8b; 4 in the log.
TEST(Resolve, TheModelOfTheFirstThatNamesOne) {
  const TestFolder folder;
  const std::string config =
      folder.write("config.json", R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 8,
    "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 32})");
  const std::string dimensions = "[model]\nlayers = 3\nhidden = 8\nheads = 2\nkv_heads = 1\nffn = 16\nvocab = 32\n";
  const std::vector<std::pair<std::string, std::string>> logged = {{"model.layers", "4"}, {"model.hidden", "8"},
                                                                   {"model.heads", "2"},  {"model.kv_heads", "1"},
                                                                   {"model.ffn", "16"},   {"model.vocab", "32"}};
  const auto layers = [](const Given& given) { return resolve(given).value().facts.architecture->decoder->layers; };
  EXPECT_EQ(layers({"", {}, logged}), 4);
  EXPECT_EQ(layers({"", {}, logged, config}), 2);
  EXPECT_EQ(layers({dimensions, {}, logged, config}), 3);
  EXPECT_EQ(layers({dimensions, {{"model.config", config}}, logged}), 2);
  EXPECT_EQ(layers({dimensions, {{"model.name", "llama-3-8b"}}, logged, config}), 32);
  EXPECT_TRUE(has(resolve({"", {}, logged}).value().assumptions, "model.from_log"));
}

TEST(Resolve, TooFewDimensionsInTheLogAreNoModel) {
  EXPECT_FALSE(resolve({"", {}, {{"model.layers", "4"}}}).value().facts.architecture);
}

TEST(Resolve, AWrongModelIsAnError) {
  const auto unknown = resolve({"", {{"model.name", "lama-3-8b"}}, {}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(render(unknown.error()).find("llama-3-8b"), std::string::npos) << render(unknown.error());
  EXPECT_FALSE(resolve({"[model]\nlayers = 2\n", {}, {}}).ok());  // the others are missing
  EXPECT_FALSE(resolve({"[model]\nlayer = 2\n", {}, {}}).ok());   // no such dimension
  EXPECT_FALSE(resolve({"", {{"model.config", "/no/such/file"}}, {}}).ok());
}

// --- training ---

TEST(Resolve, TheBatchNeedsItsSequenceLength) {
  const LoadedRun both = resolve({"[training]\nseq_len = 16\nglobal_batch = 4\n", {}, {}}).value();
  EXPECT_EQ(*both.facts.workload, uniform_workload(4, 16));
  EXPECT_FALSE(resolve({"[training]\nglobal_batch = 4\n", {}, {}}).value().facts.workload);
  const LoadedRun tokens = resolve({"[training]\nseq_len = 16\n", {}, {{"training.tokens_per_step", "64"}}}).value();
  EXPECT_EQ(*tokens.facts.workload, uniform_workload(4, 16));
}

TEST(Resolve, NumbersThatCannotBeAreNotTaken) {
  for (const char* bad : {"0", "-8", "eight", "", "99999999999999999999"}) {
    EXPECT_FALSE(resolve({"", {}, {{"cluster.count", bad}}}).value().facts.accelerators) << bad;
    EXPECT_FALSE(resolve({"", {{"cluster.count", bad}}, {}}).ok()) << bad;
  }
}

TEST(Resolve, AcceleratorsFromThePlan) {
  const std::string plan = "[plan]\ntp = 2\npp = 4\n";
  EXPECT_FALSE(resolve({plan, {}, {}}).value().facts.accelerators);  // how many copies?
  const LoadedRun run = resolve({plan, {}, {{"plan.dp", "8"}}}).value();
  EXPECT_EQ(run.facts.accelerators, 64);
  EXPECT_EQ(input(run, "cluster.count")->origin, Origin::derived);
}

TEST(Resolve, PrecisionStatedAssumedOrWrong) {
  EXPECT_EQ(resolve({"", {}, {{"training.precision", "torch.float16"}}}).value().precision, Precision::fp16);
  const LoadedRun assumed = resolve({"", {}, {}}).value();
  EXPECT_EQ(assumed.precision, Precision::bf16);
  EXPECT_TRUE(has(assumed.assumptions, "precision.assumed"));
  const LoadedRun odd = resolve({"", {}, {{"training.precision", "posit8"}}}).value();
  EXPECT_TRUE(has(odd.defects, "precision.unknown"));
  EXPECT_FALSE(resolve({"", {{"training.precision", "bf17"}}, {}}).ok());
}

TEST(Resolve, Recompute) {
  EXPECT_FALSE(resolve({"", {}, {}}).value().facts.recompute_known);
  const LoadedRun full = resolve({"", {}, {{"training.recompute", "full"}}}).value();
  EXPECT_EQ(full.facts.recompute, Recompute::full);
  EXPECT_TRUE(full.facts.recompute_known);
  EXPECT_TRUE(has(resolve({"", {{"training.recompute", "selective"}}, {}}).value().assumptions, "recompute.selective"));
}

// --- accelerators ---

LoadedRun on(const std::string& logged_name) {
  return resolve({"", {}, {{"cluster.accelerator", logged_name}}}).value();
}

TEST(ResolveAccelerator, ADriversNameIsOneSku) {
  const LoadedRun run = on("NVIDIA H100 80GB HBM3");
  EXPECT_EQ(run.accelerator, "H100 SXM");
  EXPECT_NEAR(run.facts.peak->base(), 989e12, 1e12);  // dense, not the sparse 1,979
  EXPECT_EQ(on("NVIDIA H100 PCIe").facts.peak->base(), 756e12);
}

// "A100-SXM" is 40 or 80 GB: both 312 TFLOP/s (NVIDIA A100 datasheet).
TEST(ResolveAccelerator, AnAmbiguousNameWithOnePeakIsTakenWithANote) {
  const LoadedRun run = on("A100-SXM");
  EXPECT_EQ(run.facts.peak->base(), 312e12);
  EXPECT_TRUE(has(run.assumptions, "accelerator.shared_peak"));
}

TEST(ResolveAccelerator, AnAmbiguousNameWithSeveralPeaks) {
  EXPECT_FALSE(resolve({"", {{"cluster.accelerator", "H100"}}, {}}).ok());  // asked for by the user: which?
  const LoadedRun logged = on("H100");
  EXPECT_FALSE(logged.facts.peak);
  EXPECT_TRUE(has(logged.defects, "accelerator.ambiguous"));
}

TEST(ResolveAccelerator, AnUnknownNameIsNeverGuessed) {
  EXPECT_FALSE(resolve({"", {{"cluster.accelerator", "Imaginator 9000"}}, {}}).ok());
  EXPECT_FALSE(resolve({"[cluster]\naccelerator = \"Imaginator 9000\"\n", {}, {}}).ok());
  const LoadedRun logged = on("Imaginator 9000");
  EXPECT_FALSE(logged.facts.peak);
  EXPECT_TRUE(has(logged.defects, "accelerator.unknown"));
}

TEST(ResolveAccelerator, AStatedPeakAlwaysWorks) {
  for (const char* name : {"Imaginator 9000", "H100", "H100 SXM"}) {
    const LoadedRun run = resolve({"", {{"cluster.accelerator", name}, {"cluster.peak", "500 TFLOP/s"}}, {}}).value();
    EXPECT_EQ(run.facts.peak->base(), 500e12) << name;
    EXPECT_TRUE(run.defects.empty()) << name;
  }
}

// V100 has no bf16 (125 TFLOP/s in fp16): what is only assumed gives way, what is stated does not.
TEST(ResolveAccelerator, APrecisionThatThePartDoesNotHave) {
  const LoadedRun assumed = on("Tesla V100-SXM2-16GB");
  EXPECT_EQ(assumed.precision, Precision::fp16);
  EXPECT_EQ(assumed.facts.peak->base(), 125e12);
  const LoadedRun stated =
      resolve({"", {{"training.precision", "bf16"}}, {{"cluster.accelerator", "Tesla V100-SXM2-16GB"}}}).value();
  EXPECT_FALSE(stated.facts.peak);
  EXPECT_TRUE(has(stated.defects, "accelerator.no_peak"));
}

}  // namespace
}  // namespace nameplate
