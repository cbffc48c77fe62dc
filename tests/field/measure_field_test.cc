// The figures that real logs print, recomputed from their own step times in their own convention: each within 1 %, or
// the case says why not ([printed] disagreement). Cases: tests/field/*.toml with a [printed] figure. Skipped where the
// data is absent.
#include <gtest/gtest.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/mfu/measure.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/decoder_keys.h"
#include "nameplate/inputs/runlog.h"
#include "tests/field/field_case.h"

namespace nameplate {
namespace {

// The dimensions among a case's [facts], as a model.
std::optional<Architecture> model_of(const FieldCase& one) {
  Node table{.kind = Node::Kind::object};
  const Node* facts = one.table("facts");
  for (const auto& [key, value] : facts->members) {
    if (key.starts_with("model.") && key != "model.name") table.members.emplace_back(key.substr(6), value);
  }
  const Result<DecoderShape> shape = read_decoder_shape(table, one.name);
  if (!shape.ok()) return std::nullopt;
  return build_decoder(*shape);
}

std::optional<std::int64_t> integer_fact(const FieldCase& one, std::string_view key) {
  const Node* value = one.table("facts")->find(key);
  return value == nullptr ? std::nullopt : value->as_integer();
}

RunFacts facts_of(const FieldCase& one) {
  RunFacts facts;
  facts.architecture = model_of(one);
  facts.sequence_length = integer_fact(one, "training.seq_len");
  facts.accelerators = integer_fact(one, "cluster.count");
  const auto batch = integer_fact(one, "training.global_batch");
  if (facts.sequence_length && batch) facts.workload = uniform_workload(*batch, *facts.sequence_length);
  if (const auto peak = one.number("printed.peak_tflops")) facts.peak = tflops_per_s(*peak);
  return facts;
}

// The one row that the case quotes, alone in a log.
RunLog quoted_row(const FieldCase& one, RunLog log) {
  const auto index = static_cast<std::int64_t>(one.number("printed.at_index").value_or(-1));
  std::erase_if(log.steps, [&](const Step& step) { return step.index != index; });
  if (log.steps.size() > 1) log.steps.resize(1);
  log.events.clear();
  return log;
}

TEST(MeasureField, PrintedFiguresAreReproducedInTheirOwnConvention) {
  if (!std::filesystem::exists(field_data())) GTEST_SKIP() << "no field data: set NAMEPLATE_FIELD_DATA";
  int checked = 0;
  for (const FieldCase& one : field_cases()) {
    const std::string convention = one.text("printed.convention");
    if (convention.empty()) continue;
    SCOPED_TRACE(one.name);
    const RunFacts facts = facts_of(one);
    if (!facts.architecture) {  // the model is not known: its TFLOP/s and MFU must at least agree on the peak
      EXPECT_NEAR(one.number("printed.tflops_per_gpu").value() / one.number("printed.peak_tflops").value(),
                  one.number("printed.mfu_ratio").value(), 0.0001);
      continue;
    }
    const RunLog log = quoted_row(one, read_runlog({one.log_path().string()}).value());
    ASSERT_EQ(log.steps.size(), 1u);
    const Measurement m = measure(log, facts);
    ASSERT_TRUE(m.tokens_per_s_per_gpu.has_value());
    const double rate = *flops_per_token(facts, convention) * *m.tokens_per_s_per_gpu;
    const auto mfu = one.number("printed.mfu_ratio");
    const auto tflops = one.number("printed.tflops_per_gpu");
    ASSERT_TRUE(mfu || tflops);
    const double printed = mfu ? *mfu : *tflops;
    const double ours = mfu ? rate / facts.peak->base() : rate / 1e12;
    std::printf("  %-24s printed %8.4f  ours %8.4f  (%+.2f %%)  %s\n", one.name.c_str(), printed, ours,
                (ours / printed - 1) * 100, convention.c_str());
    const std::string disagreement = one.text("printed.disagreement");
    if (disagreement.empty()) {
      EXPECT_NEAR(ours / printed, 1, 0.01);
    } else {
      EXPECT_GT(std::abs(ours / printed - 1), 0.01) << "no disagreement any more: take its explanation out";
    }
    ++checked;
  }
  EXPECT_GE(checked, 5);
}

}  // namespace
}  // namespace nameplate
