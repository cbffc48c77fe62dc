#include "nameplate/inputs/trace.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

std::string trace_of(std::string_view kernel, std::string_view head = "") {
  return "{" + std::string(head) + R"("traceEvents": [{"ph":"X","cat":"kernel","name":")" + std::string(kernel) +
         R"(","ts":1,"dur":1,"args":{"Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1]"}}]})";
}

TEST(Trace, RankFromTheFileTheNameOrTheOrder) {
  const TestFolder folder;
  folder.write("a.json", trace_of("gemm"));
  folder.write("b_rank1.json",
               trace_of("ncclKernel_AllReduce", R"("distributedInfo": {"rank": 9, "world_size": 64}, )"));
  folder.write("c-rank-34.Jul_15.pt.trace.json", trace_of("ncclKernel_AllReduce"));
  folder.write("notes.txt", "rank 7");
  const auto timeline = read_traces({folder.path()}, {.threads = 2});
  ASSERT_TRUE(timeline.ok()) << render(timeline.error());
  ASSERT_EQ(timeline->ranks.size(), 3u);
  EXPECT_EQ(timeline->ranks[0].rank, 0);
  EXPECT_EQ(timeline->ranks[0].rank_source, RankSource::order);
  EXPECT_EQ(timeline->ranks[1].rank, 9);
  EXPECT_EQ(timeline->ranks[1].rank_source, RankSource::file);
  EXPECT_EQ(timeline->ranks[2].rank, 34);
  EXPECT_EQ(timeline->ranks[2].rank_source, RankSource::name);
  EXPECT_EQ(timeline->ranks_total, 64);
  EXPECT_EQ(timeline->defects, (Defects{{{"trace.rank_by_order", {}}, Severity::info, 1}}));
  // One numbering of names and groups.
  EXPECT_EQ(timeline->names, (std::vector<std::string>{"gemm", "ncclKernel_AllReduce"}));
  EXPECT_EQ(timeline->ranks[2].device.name_id[0], 1);
  ASSERT_EQ(timeline->groups.size(), 1u);
  EXPECT_EQ(timeline->groups[0].ranks, (std::vector<std::int64_t>{0, 1}));
}

TEST(Trace, GlobsAndBrokenFiles) {
  const TestFolder folder;
  folder.write("rank0.json", trace_of("gemm"));
  folder.write("rank1.json", "{\"traceEvents\": [");
  const auto timeline = read_traces({folder.path() + "/rank*.json"});
  ASSERT_TRUE(timeline.ok());
  EXPECT_EQ(timeline->ranks.size(), 1u);
  ASSERT_EQ(timeline->defects.size(), 1u);
  EXPECT_EQ(timeline->defects[0].message.id, "trace.unreadable_file");
  EXPECT_FALSE(read_traces({folder.path() + "/rank1.json"}).ok());
  EXPECT_FALSE(read_traces({folder.path() + "/none*.json"}).ok());
  EXPECT_FALSE(read_traces({}).ok());
}

TEST(Trace, OtherProfilersAreRecognisedAndRefused) {
  const TestFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {folder.write("a.nsys-rep", "NVIDIA Tegra Profiler Report"), "nsys export --type sqlite"},
      {folder.write("b.pb", "\n\x10\x12\x09/host:CPU..."), "a profile whose bytes do not hold together"},
      {folder.write("c.json", R"({"schema": "1.0.2-chakra.0.0.4", "nodes": []})"), "it has operators but no times"},
      {folder.write("d.txt", "hello"), "not a profiler trace that is known"}};
  for (const auto& [path, expected] : cases) {
    const auto timeline = read_traces({path});
    ASSERT_FALSE(timeline.ok()) << path;
    EXPECT_EQ(timeline.error().place.file, path);
    EXPECT_NE(render(timeline.error()).find(expected), std::string::npos) << render(timeline.error());
  }
}

}  // namespace
}  // namespace nameplate
