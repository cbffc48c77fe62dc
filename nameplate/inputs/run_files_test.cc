#include "nameplate/inputs/run_files.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

constexpr std::string_view kLog =
    "iter 0: loss 10.9, time 250.00ms, mfu 12.50%\niter 1: loss 9.5, time 250.00ms, mfu 12.50%\n";
constexpr std::string_view kConfig = R"({"model_type": "llama", "hidden_size": 8})";
constexpr std::string_view kTrace = R"({"traceEvents": [{"ph": "X", "ts": 1}]})";

TEST(RunFiles, AFolderIsSortedByContent) {
  const TestFolder folder;
  folder.write("b.txt", kLog);
  folder.write("a.txt", kLog);
  folder.write("settings", kConfig);
  folder.write("rank0.json", kTrace);
  folder.write("run.toml", "name = \"a\"\n");
  folder.write("notes.md", "what we tried\n");
  folder.write("weights.bin", std::string_view("\x7f\x00\x01\xff\xfe\x00\x9a", 7));
  folder.write("empty", "");           // no part of a run
  folder.write("deeper/c.txt", kLog);  // not a file of this run
  const RunFiles files = find_run_files({folder.path()}).value();
  EXPECT_EQ(files.manifest, folder.path() + "/run.toml");
  EXPECT_EQ(files.config, folder.path() + "/settings");
  EXPECT_EQ(files.logs, (std::vector{folder.path() + "/a.txt", folder.path() + "/b.txt"}));
  EXPECT_EQ(files.traces, std::vector{folder.path() + "/rank0.json"});
  EXPECT_EQ(files.unknown.size(), 2u);
}

TEST(RunFiles, NamedFilesKeepTheirOrder) {
  const TestFolder folder;
  const std::string b = folder.write("b.log", kLog), a = folder.write("a.log", kLog);
  EXPECT_EQ(find_run_files({b, a}).value().logs, (std::vector{b, a}));
  EXPECT_EQ(find_run_files({"-"}).value().logs, std::vector<std::string>{"-"});
}

TEST(RunFiles, ANamedFileThatIsNotRecognisedIsMeantAsALog) {
  const TestFolder folder;
  const std::string notes = folder.write("notes.md", "what we tried\n");
  EXPECT_EQ(find_run_files({notes}).value().logs, std::vector{notes});
}

TEST(RunFiles, TwoOfWhatThereMayBeOne) {
  const TestFolder folder;
  folder.write("a.toml", "name = \"a\"\n");
  folder.write("b.toml", "name = \"b\"\n");
  const auto manifests = find_run_files({folder.path()});
  ASSERT_FALSE(manifests.ok());
  EXPECT_NE(manifests.error().found.find("two manifests"), std::string::npos);
  const TestFolder other;
  other.write("a.json", kConfig);
  other.write("b.json", kConfig);
  EXPECT_FALSE(find_run_files({other.path()}).ok());
}

TEST(RunFiles, RecordsOfTheClusterLieBesideTheLog) {
  const TestFolder folder;
  folder.write("a.log", kLog);
  folder.write("dmesg", "[Thu Jan  2 10:00:00 2025] NVRM: Xid (PCI:0000:17:00): 74, pid=1\n");
  folder.write("rank0.json", R"({"pg_config": {}, "pg_status": {}, "entries": []})");
  const RunFiles files = find_run_files({folder.path()}).value();
  EXPECT_EQ(files.logs.size(), 1u);
  EXPECT_EQ(files.records, (std::vector{folder.path() + "/dmesg", folder.path() + "/rank0.json"}));
}

TEST(RunFiles, EmptyAndAbsent) {
  const TestFolder folder;
  const RunFiles files = find_run_files({folder.path()}).value();
  EXPECT_FALSE(files.manifest);
  EXPECT_TRUE(files.logs.empty());
  const auto absent = find_run_files({folder.path() + "/no_such_run"});
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().place.file, folder.path() + "/no_such_run");
}

TEST(ExpandPattern, RelativeToTheManifest) {
  const TestFolder folder;
  const std::string two = folder.write("logs/2.log", kLog), one = folder.write("logs/1.log", kLog);
  EXPECT_EQ(expand_pattern("logs/*.log", folder.path()).value(), (std::vector{one, two}));
  EXPECT_EQ(expand_pattern("logs/1.log", folder.path()).value(), std::vector{one});
  EXPECT_EQ(expand_pattern(one, "elsewhere").value(), std::vector{one});
  EXPECT_EQ(expand_pattern("-", folder.path()).value(), std::vector<std::string>{"-"});
  EXPECT_FALSE(expand_pattern("logs/*.txt", folder.path()).ok());
}

}  // namespace
}  // namespace nameplate
