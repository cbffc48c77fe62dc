#include "nameplate/api/load.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

constexpr std::string_view kLog =
    "iter 0: loss 10.9, time 250.00ms, mfu -100.00%\n"
    "iter 1: loss 9.5, time 250.00ms, mfu 12.50%\n"
    "iter 2: loss 9.1, time 250.00ms, mfu 12.50%\n";

// A run of the model that tiny_run_for_test.h counts by hand.
constexpr std::string_view kConfig = R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 8,
  "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 32})";
constexpr std::string_view kManifest =
    "[model]\nconfig = \"config.json\"\n[training]\nseq_len = 16\nglobal_batch = 4\n"
    "[cluster]\ncount = 2\npeak = \"1 GFLOP/s\"\n[inputs]\nlogs = [\"logs/*.log\"]\n";

TEST(Load, AFolderWithManifestConfigurationAndLog) {
  const TestFolder folder;
  folder.write("run.toml", kManifest);
  folder.write("config.json", kConfig);
  folder.write("logs/train.log", kLog);
  const LoadedRun run = load({.paths = {folder.path()}}).value();
  EXPECT_EQ(run.log->format, "nanogpt");
  EXPECT_EQ(run.log->steps.size(), 3u);
  EXPECT_EQ(run.facts.architecture->decoder->layers, 2);
  EXPECT_EQ(run.facts.accelerators, 2);
  EXPECT_EQ(run.facts.peak->base(), 1e9);
  EXPECT_EQ(run.peak_source, "stated (" + folder.path() + "/run.toml:8)");
}

TEST(Load, FlagsOverrideTheManifest) {
  const TestFolder folder;
  folder.write("run.toml", kManifest);
  folder.write("config.json", kConfig);
  folder.write("logs/train.log", kLog);
  const LoadedRun run =
      load({.paths = {folder.path()}, .settings = {{"cluster.count", "x4"}, {"name", "mine"}}}).value();
  EXPECT_EQ(run.facts.accelerators, 8);
  EXPECT_EQ(run.name, "mine");
  EXPECT_FALSE(load({.paths = {folder.path()}, .settings = {{"cluster.cuont", "4"}}}).ok());
  EXPECT_FALSE(load({.paths = {folder.path()}, .settings = {{"cluster.count", "0"}}}).ok());
}

TEST(Load, ALogAlone) {
  const TestFolder folder;
  const LoadedRun run = load({.paths = {folder.write("train.log", kLog)}}).value();
  EXPECT_EQ(run.name, "train.log");
  EXPECT_FALSE(run.facts.architecture);
}

TEST(Load, ATraceIsFoundAndNotRead) {
  const TestFolder folder;
  folder.write("train.log", kLog);
  const std::string trace = folder.write("rank0.json", R"({"traceEvents": [{"ph": "X", "ts": 1}]})");
  EXPECT_EQ(load({.paths = {folder.path()}}).value().traces, std::vector{trace});
}

TEST(Load, WhatCannotBeRead) {
  const TestFolder folder;
  EXPECT_FALSE(load({.paths = {folder.path() + "/no_such_run"}}).ok());
  EXPECT_FALSE(
      load({.paths = {folder.write("noise", std::string_view("\x7f\x45\x00\x01\xff\xfe\x00\x9a\n\x00\x80", 11))}})
          .ok());
  EXPECT_FALSE(load({.paths = {folder.write("empty.log", "")}}).ok());
  folder.write("run.toml", "[inputs]\nlogs = [\"no_such.log\"]\n");
  EXPECT_FALSE(load({.paths = {folder.path() + "/run.toml"}}).ok());
  EXPECT_FALSE(load({.paths = {folder.write("broken.toml", "[cluster\n")}}).ok());
  EXPECT_FALSE(load({.paths = {}, .data_directory = folder.path() + "/no_such_data"}).ok());
}

// Nothing in it: no error here, and the report asks for everything.
TEST(Load, AnEmptyFolder) {
  const TestFolder folder;
  const LoadedRun run = load({.paths = {folder.path()}}).value();
  EXPECT_FALSE(run.log);
  EXPECT_FALSE(run.facts.peak);
}

TEST(Load, AGrowingLogIsShownWhileItIsRead) {
  const TestFolder folder;
  std::vector<std::size_t> rows;
  LoadRequest request{.paths = {folder.write("train.log", kLog)}};
  request.wants_partial = [] { return true; };
  request.on_partial = [&](const LoadedRun& run) { rows.push_back(run.log->steps.size()); };
  ASSERT_TRUE(load(request).ok());
  EXPECT_EQ(rows, (std::vector<std::size_t>{1, 2, 3}));
}

}  // namespace
}  // namespace nameplate
