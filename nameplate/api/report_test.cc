#include "nameplate/api/report.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"
#include "nameplate/report/sentences.h"

namespace nameplate {
namespace {

// 12 steps of 1 s of the model of tiny_run_for_test.h, 9,984 FLOP per token: 64 tokens a step on 2 accelerators whose
// peak is 64 x 9,984 = 638,976 FLOP/s.
LoadedRun tiny_run(std::vector<std::pair<std::string, std::string>> more = {}, std::size_t steps = 12) {
  const TestFolder folder;
  std::string log;
  for (std::size_t i = 0; i < steps; ++i)
    log += "iter " + std::to_string(i) + ": loss 9.5, time 1000.00ms, mfu 12.50%\n";
  LoadRequest request{.paths = {folder.write("train.log", log)},
                      .settings = {{"model.layers", "2"},
                                   {"model.hidden", "8"},
                                   {"model.heads", "2"},
                                   {"model.kv_heads", "1"},
                                   {"model.ffn", "16"},
                                   {"model.vocab", "32"},
                                   {"training.seq_len", "16"},
                                   {"training.global_batch", "4"},
                                   {"cluster.count", "2"},
                                   {"cluster.peak", "638976 FLOP/s"}}};
  request.settings.insert(request.settings.end(), more.begin(), more.end());
  return load(request).value();
}

std::vector<std::string> words(const Defects& defects) {
  std::vector<std::string> ids;
  for (const Defect& defect : defects) ids.push_back(defect.message.id);
  return ids;
}

double number(const Document& d, std::string_view id) {
  const Value* value = d.find_value(id);
  EXPECT_NE(value, nullptr) << id;
  return value == nullptr ? 0 : as_double(value->value);
}

TEST(Report, TheKeysOfThePlan) {
  const Document d = report(tiny_run());
  EXPECT_DOUBLE_EQ(number(d, "mfu_step_ratio"), 0.5);
  EXPECT_DOUBLE_EQ(number(d, "step_time_s"), 1);
  EXPECT_DOUBLE_EQ(number(d, "step_time_p50_s"), 1);
  EXPECT_DOUBLE_EQ(number(d, "tokens_per_s_per_gpu"), 32);
  EXPECT_DOUBLE_EQ(number(d, "tflops_per_s_per_gpu"), 32 * 9984 / 1e12);
  EXPECT_DOUBLE_EQ(number(d, "claimed_mfu_ratio"), 0.125);
  EXPECT_EQ(number(d, "steps_total"), 12);
  EXPECT_EQ(number(d, "steps_steady"), 12);
  EXPECT_NE(d.find_value("mfu_step_ratio")->convention.find("causal"), std::string::npos);
  EXPECT_NE(d.find_table("steps"), nullptr);
  EXPECT_NE(d.find_table("conventions"), nullptr);
  EXPECT_NE(d.find_table("inputs"), nullptr);
  EXPECT_FALSE(missing_evidence(d));
}

TEST(Report, WhatIsUnknownIsAbsent) {
  const Document d = report(tiny_run());
  EXPECT_EQ(d.find_value("hfu_step_ratio"), nullptr);  // recompute is not stated
  EXPECT_EQ(d.find_value("ettr_ratio"), nullptr);      // the log has no clock
  EXPECT_EQ(d.find_value("mfu_wall_ratio"), nullptr);
  EXPECT_EQ(d.find_value("claimed_tflops_per_s_per_gpu"), nullptr);
  EXPECT_NE(report(tiny_run({{"training.recompute", "none"}})).find_value("hfu_step_ratio"), nullptr);
}

TEST(Report, TheStepsCanBeLeftOut) { EXPECT_EQ(report(tiny_run(), {.all_steps = false}).find_table("steps"), nullptr); }

TEST(Report, WhatIsMissingIsAskedForByItsFlag) {
  LoadedRun run = tiny_run();
  run.facts.accelerators = {};
  run.facts.peak = {};
  const Document d = report(run);
  const auto missing = missing_evidence(d);
  ASSERT_TRUE(missing);
  EXPECT_NE(missing->hint.find("--gpus"), std::string::npos) << missing->hint;
  EXPECT_NE(missing->hint.find("--accelerator"), std::string::npos) << missing->hint;
  EXPECT_EQ(d.find_value("mfu_step_ratio"), nullptr);
  EXPECT_NE(d.find_value("step_time_s"), nullptr);
}

TEST(Report, EveryMessageHasASentence) {
  LoadedRun run = tiny_run({{"training.recompute", "selective"}});
  run.facts.accelerators = {};
  const Document d = report(run);
  for (const Defect& defect : d.defects) EXPECT_NE(sentence(defect.message), defect.message.id);
  for (const Message& message : d.assumptions) EXPECT_NE(sentence(message), message.id);
  for (const Message& message : d.notes) EXPECT_NE(sentence(message), message.id);
  EXPECT_NE(sentence(d.title), d.title.id);
}

// --- figures typed in ---

LoadedRun typed(std::vector<std::pair<std::string, std::string>> settings) {
  return load({.settings = std::move(settings)}).value();
}

// Llama 2 7B on H100 SXM at 9,600 token/s: 42.86 GFLOP per token, 411.5 TFLOP/s, 41.6 % of 989.4; full attention 44.7
// %.
TEST(ReportTyped, TheConventionsSideBySide) {
  const Document d = report(typed({{"model.name", "llama-2-7b"},
                                   {"training.seq_len", "4096"},
                                   {"cluster.accelerator", "H100 SXM"},
                                   {"measured.tokens_per_s_per_gpu", "9600"}}));
  EXPECT_NEAR(number(d, "mfu_step_ratio"), 0.416, 5e-4);
  bool full = false;
  for (const auto& row : d.find_table("conventions")->rows) {
    if (std::get<std::string>(row[0]) != "full") continue;
    full = true;
    EXPECT_NEAR(std::get<double>(row[5]), 0.447, 5e-4);  // utilization_ratio
  }
  EXPECT_TRUE(full);
  EXPECT_EQ(d.find_value("steps_total"), nullptr);  // there are no steps, which is not the same as none
}

// A frozen reference of the policy's own size adds a third: 5,000 x 4/3 x 51,470,401,536 of 989.4 TFLOP/s.
TEST(ReportTyped, AReferenceModelsForwardPassIsModelFlops) {
  const Document d = report(typed({{"model.name", "llama-3-8b"},
                                   {"training.seq_len", "8192"},
                                   {"training.forward_models", "llama-3-8b"},
                                   {"cluster.accelerator", "H100 SXM"},
                                   {"measured.tokens_per_s_per_gpu", "5000"}}));
  EXPECT_NEAR(number(d, "mfu_step_ratio"), 5000 * 51'470'401'536.0 * 4 / 3 / 989.4e12, 1e-12);
}

// The rate of 8 accelerators taken for one's: 337.6 % cannot be, an eighth of it, 42.2 %, can.
TEST(ReportTyped, ARateOfTheWholeJob) {
  const std::vector<std::pair<std::string, std::string>> run = {{"model.name", "llama-3-8b"},
                                                                {"training.seq_len", "8192"},
                                                                {"cluster.accelerator", "H100 SXM"},
                                                                {"cluster.count", "8"}};
  auto wrong = run, right = run;
  wrong.push_back({"measured.tokens_per_s_per_gpu", "64000"});
  right.push_back({"measured.tokens_per_s", "64000"});
  const Document bad = report(typed(wrong));
  EXPECT_EQ(words(bad.defects), (std::vector<std::string>{"mfu.faster_than_peak", "mfu.rate_of_whole_job"}));
  const Document good = report(typed(right));
  EXPECT_TRUE(good.defects.empty());
  EXPECT_NEAR(number(good, "mfu_step_ratio"), number(bad, "mfu_step_ratio") / 8, 1e-12);
}

// 39.0 % in full attention on Llama 3 8B at 8192 is 39.0 x 51.470 / 57.913 = 34.66 % in ours.
TEST(ReportTyped, AStatedFigureIsConverted) {
  const Document d = report(typed({{"model.name", "llama-3-8b"},
                                   {"training.seq_len", "8192"},
                                   {"cluster.accelerator", "H100 SXM"},
                                   {"measured.mfu", "0.39"},
                                   {"measured.convention", "full"}}));
  EXPECT_NEAR(number(d, "mfu_step_ratio"), 0.39 * 51'470'401'536.0 / 57'912'852'480.0, 1e-12);
}

TEST(ReportTyped, WhatAFigureStillNeeds) {
  std::vector<std::pair<std::string, std::string>> run = {
      {"model.name", "llama-3-8b"}, {"training.seq_len", "8192"}, {"cluster.accelerator", "H100 SXM"}};
  const auto asked = [&](std::vector<std::pair<std::string, std::string>> settings) {
    settings.insert(settings.end(), run.begin(), run.end());
    std::vector<std::string> ids;
    for (const Note& note : report(typed(settings)).notes) {
      if (note.id.starts_with("missing.")) ids.push_back(note.id);
    }
    return ids;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(asked({}), Ids{"missing.measured"});
  EXPECT_EQ(asked({{"measured.tokens_per_s", "9000"}}), Ids{"missing.cluster.count"});
  EXPECT_EQ(asked({{"measured.step_time", "30 s"}}), (Ids{"missing.cluster.count", "missing.training.global_batch"}));
  run.insert(run.end(), {{"cluster.count", "8"}, {"training.global_batch", "64"}});
  EXPECT_EQ(asked({{"measured.step_time", "30 s"}}), Ids{});
}

// 64 x 8192 tokens in 3 s on 8 are 21,845 a second for each, more than the peak: whose rate it is is no question.
TEST(ReportTyped, AStepTimeFasterThanThePeak) {
  const Document d = report(typed({{"model.name", "llama-3-8b"},
                                   {"training.seq_len", "8192"},
                                   {"training.global_batch", "64"},
                                   {"cluster.accelerator", "H100 SXM"},
                                   {"cluster.count", "8"},
                                   {"measured.step_time", "3 s"}}));
  EXPECT_EQ(words(d.defects), std::vector<std::string>{"mfu.faster_than_peak"});
}

}  // namespace
}  // namespace nameplate
