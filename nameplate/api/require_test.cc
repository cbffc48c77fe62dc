#include "nameplate/api/require.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

Value value(std::string id, double number, std::optional<double> low = {}, std::optional<double> high = {}) {
  Value v;
  v.id = std::move(id);
  v.value = number;
  v.low = low;
  v.high = high;
  return v;
}

// An MFU of 0.347 between 0.345 and 0.349, over so many steady steps.
Document document(double steady = 100) {
  Document d;
  d.values = {value("mfu_step_ratio", 0.347, 0.345, 0.349), value("step_time_s", 2.0, 1.9, 2.1),
              value("steps_total", 120), value("rows_steady", steady)};
  return d;
}

Verdict verdict(std::string_view text, const Document& d) { return check(parse_requirement(text).value(), d).verdict; }

TEST(Require, FailsOnlyBeyondNoise) {
  EXPECT_EQ(verdict("mfu_step_ratio>=0.34", document()), Verdict::met);
  EXPECT_EQ(verdict("mfu_step_ratio>=0.348", document()), Verdict::met);  // inside the interval
  EXPECT_EQ(verdict("mfu_step_ratio>=0.349", document()), Verdict::met);
  EXPECT_EQ(verdict("mfu_step_ratio > 0.349", document()), Verdict::missed);
  EXPECT_EQ(verdict("mfu_step_ratio>=0.35", document()), Verdict::missed);
}

TEST(Require, ThresholdsTakeTheUnitsThatPeopleAreShown) {
  EXPECT_DOUBLE_EQ(parse_requirement("step_time_s<=50ms")->threshold, 0.05);
  EXPECT_DOUBLE_EQ(parse_requirement("step_time_change_ratio <= 5 %")->threshold, 0.05);
  EXPECT_DOUBLE_EQ(parse_requirement("memory_peak_bytes<80 GiB")->threshold, 80.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(parse_requirement("tflops_per_s_per_gpu>=400 TFLOP/s")->threshold, 400);
  // Of another kind than the key.
  for (const char* wrong : {"mfu_step_ratio>=50ms", "step_time_s<=5%", "tokens_per_s<=3s", "step_time_s<=50 GiB"}) {
    EXPECT_FALSE(parse_requirement(wrong).ok()) << wrong;
  }
}

TEST(Require, AnUpperBoundUsesTheLowerEnd) {
  EXPECT_EQ(verdict("step_time_s<=1.95", document()), Verdict::met);
  EXPECT_EQ(verdict("step_time_s<1.9", document()), Verdict::missed);
  EXPECT_EQ(verdict("step_time_s<=1.8", document()), Verdict::missed);
}

TEST(Require, AnAbsentFigureNeverPasses) {
  const GateResult result = check(parse_requirement("mfu_stp_ratio>=0").value(), document());
  EXPECT_EQ(result.verdict, Verdict::too_little_evidence);
  EXPECT_NE(result.sentence.find("did you mean 'mfu_step_ratio'"), std::string::npos) << result.sentence;
}

TEST(Require, TooFewStepsNeverPass) {
  EXPECT_EQ(verdict("mfu_step_ratio>=0.1", document(kLeastSteps - 1)), Verdict::too_little_evidence);
  EXPECT_EQ(verdict("mfu_step_ratio>=0.1", document(kLeastSteps)), Verdict::met);
  EXPECT_EQ(verdict("rows_steady>=5", document(9)), Verdict::met);  // their number itself is known
}

TEST(Require, FiguresTypedInHaveNoSteps) {
  Document d;
  d.values = {value("mfu_step_ratio", 0.4)};
  EXPECT_EQ(verdict("mfu_step_ratio>=0.35", d), Verdict::met);
  EXPECT_EQ(verdict("mfu_step_ratio>=0.45", d), Verdict::missed);
}

TEST(Require, TheSentenceHasTheNumbers) {
  EXPECT_EQ(check(parse_requirement("mfu_step_ratio>=0.35").value(), document()).sentence,
            "mfu_step_ratio 0.347 (0.345 .. 0.349) misses >= 0.35");
}

TEST(Require, TheSentenceSaysWhatTheIntervalLeavesOpen) {
  const auto said = [](std::string_view text) { return check(parse_requirement(text).value(), document()).sentence; };
  EXPECT_EQ(said("mfu_step_ratio>=0.348"),
            "mfu_step_ratio 0.347 (0.345 .. 0.349) does not reach >= 0.348, which its interval does not exclude");
  EXPECT_EQ(said("mfu_step_ratio>=0.346"),
            "mfu_step_ratio 0.347 (0.345 .. 0.349) meets >= 0.346, though its interval reaches beyond it");
  EXPECT_EQ(said("mfu_step_ratio>=0.3"), "mfu_step_ratio 0.347 (0.345 .. 0.349) meets >= 0.3");
  EXPECT_EQ(said("step_time_s<=2.05"),
            "step_time_s 2 (1.9 .. 2.1) meets <= 2.05, though its interval reaches beyond it");
}

TEST(Require, ARangeIsNoRun) {
  Document d;
  d.tables = {{.id = "range", .columns = {{"plan.tp", ""}, {"step_time_s", "s"}}}};
  const GateResult result = check(parse_requirement("step_time_s<=3").value(), d);
  EXPECT_EQ(result.verdict, Verdict::too_little_evidence);
  EXPECT_NE(result.sentence.find("each row of its table"), std::string::npos) << result.sentence;
}

TEST(Require, Reading) {
  const Requirement r = parse_requirement(" ettr_ratio <= 9.5e-1 ").value();
  EXPECT_EQ(r.key, "ettr_ratio");
  EXPECT_EQ(r.bound, Bound::at_most);
  EXPECT_EQ(r.threshold, 0.95);
  for (const char* bad :
       {"", "mfu_step_ratio", "mfu_step_ratio>=", ">=0.3", "mfu_step_ratio>=fast", "mfu_step_ratio>=nan"}) {
    EXPECT_FALSE(parse_requirement(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace nameplate
