#include "nameplate/api/trace.h"

#include <gtest/gtest.h>

#include "nameplate/api/require.h"
#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

// One step of 200 us: a product of 2 x 1000 x 1000 x 1000 FLOPs that runs for 60 us, launched at 54 us.
std::string trace_text(const std::string& rank, const std::string& device) {
  return R"({"deviceProperties": [{"id": 0, "name": ")" + device + R"("}],
    "distributedInfo": {"rank": )" +
         rank + R"(, "world_size": 4},
    "traceEvents": [
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 1000, "dur": 200},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1052, "dur": 6,
     "args": {"Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::BFloat16", "c10::BFloat16"]}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1054, "dur": 2,
     "args": {"correlation": 7}},
    {"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "pid": 0, "tid": 7, "ts": 1060, "dur": 60,
     "args": {"correlation": 7, "device": 0, "stream": 7}}]})";
}

double value(const Document& d, std::string_view id) {
  const Value* v = d.find_value(id);
  return v == nullptr ? -1 : as_double(v->value);
}

TEST(Trace, OneRankGivesLedgerTablesAndMfu) {
  const TestFolder folder;
  const std::string path = folder.write("trace.json", trace_text("2", "NVIDIA H100 80GB HBM3"));
  const Document d = explain_traces({.paths = {path}}).value();
  // 2e9 FLOPs in 200 us at 989.4 TFLOP/s.
  EXPECT_NEAR(value(d, "mfu_step_ratio"), 2e9 / 200e-6 / 989.4e12, 1e-5);
  EXPECT_EQ(value(d, "unmodelled_flops_ratio"), 0);
  EXPECT_EQ(value(d, "unclassified_ratio"), 0);
  EXPECT_NEAR(value(d, "step_time_s"), 200e-6, 1e-12);
  ASSERT_EQ(d.ledgers.size(), 1u);
  EXPECT_EQ(d.ledgers[0].ranks_present(), 1);
  EXPECT_EQ(d.ledgers[0].ranks_total(), 4);
  EXPECT_NEAR(d.ledgers[0].value(LedgerRow::host_bound).value(), 60e-6, 1e-12);
  const Table* ranks = d.find_table("ranks");
  ASSERT_NE(ranks, nullptr);
  EXPECT_EQ(ranks->rows[0][0], Cell(Int128{2}));
  EXPECT_EQ(d.find_table("kernels")->rows.size(), 1u);
  EXPECT_EQ(d.find_table("trace_steps")->rows.size(), 1u);
  EXPECT_EQ(d.find_table("collectives"), nullptr);
}

TEST(Trace, RanksAreSummedAndADeviceThatIsNotKnownIsAskedFor) {
  const TestFolder folder;
  folder.write("rank0.json", trace_text("0", "Acme 9000"));
  folder.write("rank1.json", trace_text("1", "Acme 9000"));
  const Document d = explain_traces({.paths = {folder.path()}}).value();
  EXPECT_EQ(d.ledgers.at(0).ranks_present(), 2);
  EXPECT_NEAR(d.ledgers.at(0).total(), 400e-6, 1e-12);
  EXPECT_EQ(d.find_value("mfu_step_ratio"), nullptr);
  ASSERT_GE(d.notes.size(), 1u);
  EXPECT_EQ(d.notes[0].id, "trace.accelerator_not_known");
  const Document stated =
      explain_traces({.paths = {folder.path()}, .settings = {{"cluster.peak", "100 TFLOP/s"}}}).value();
  EXPECT_NEAR(value(stated, "mfu_step_ratio"), 2e9 / 200e-6 / 100e12, 1e-9);
  EXPECT_FALSE(explain_traces({.paths = {folder.path()}, .settings = {{"cluster.accelerator", "H1000"}}}).ok());
}

// 2e9 FLOPs in 200 us are 10 TFLOP/s: twice a peak of 5.
TEST(Trace, MoreThanThePeakIsNoMfu) {
  const TestFolder folder;
  const std::string path = folder.write("trace.json", trace_text("2", "Acme 9000"));
  const Document d = explain_traces({.paths = {path}, .settings = {{"cluster.peak", "5 TFLOP/s"}}}).value();
  EXPECT_EQ(d.find_value("mfu_step_ratio"), nullptr);
  EXPECT_EQ(d.title.id, "trace.title_impossible");
  ASSERT_FALSE(d.defects.empty());
  EXPECT_EQ(d.defects[0].message.id, "mfu.faster_than_peak");
  EXPECT_EQ(d.defects[0].severity, Severity::error);
  for (const Finding& finding : d.findings) EXPECT_FALSE(finding.worth->mfu_points) << finding.message.id;
  EXPECT_EQ(check({"mfu_step_ratio", Bound::at_least, 0.3}, d).verdict, Verdict::too_little_evidence);
}

// A product without shapes beside one with them.
TEST(Trace, KnownFlopsAreALeastMfu) {
  const TestFolder folder;
  std::string text = trace_text("2", "NVIDIA H100 80GB HBM3");
  text.replace(text.rfind("]}"), 2, R"(,
    {"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "pid": 0, "tid": 7, "ts": 1130, "dur": 60}]})");
  const Document d = explain_traces({.paths = {folder.write("trace.json", text)}}).value();
  EXPECT_EQ(d.find_value("mfu_step_ratio"), nullptr);
  EXPECT_EQ(d.title.id, "trace.title_least_mfu");
  EXPECT_NEAR(value(d, "mfu_step_least_ratio"), 2e9 / 200e-6 / 989.4e12, 1e-5);
}

}  // namespace
}  // namespace nameplate
