#include <gtest/gtest.h>

#include "nameplate/core/file_reader.h"
#include "nameplate/inputs/runlog.h"

namespace nameplate {
namespace {

Result<RunLog> read(std::string_view text) { return read_runlog(LineReader::from_memory(text)); }

constexpr std::string_view kRun = R"({
  "best_metric": null,
  "global_step": 30,
  "log_history": [
    {"epoch": 0.1, "learning_rate": 1e-05, "loss": 2.5, "num_input_tokens_seen": 81920, "step": 10},
    {"epoch": 0.1, "eval_loss": 2.4, "eval_runtime": 12.5, "eval_samples_per_second": 80, "step": 10},
    {"epoch": 0.2, "grad_norm": NaN, "loss": NaN, "num_input_tokens_seen": 163840, "step": 20},
    {"epoch": 0.3, "loss": 2.25, "num_input_tokens_seen": 245760, "step": 30},
    {"epoch": 0.3, "step": 30, "total_flos": 0.0, "train_loss": 2.3, "train_runtime": 60.0,
     "train_samples_per_second": 8.0, "train_steps_per_second": 0.5}
  ],
  "logging_steps": 10,
  "total_flos": 0.0,
  "train_batch_size": 4
}
)";

TEST(HfTrainerState, ReadsTheHistory) {
  const auto log = read(kRun);
  ASSERT_TRUE(log) << render(log.error());
  EXPECT_EQ(log->format, "hf-trainer-state");
  ASSERT_EQ(log->steps.size(), 3u);
  EXPECT_EQ(log->steps[0].index, 10);
  EXPECT_EQ(*log->steps[0].loss, 2.5);
  EXPECT_EQ(*log->steps[0].tokens, 8192);  // 81920 / 10
  EXPECT_FALSE(log->steps[1].loss);
  ASSERT_EQ(log->events.size(), 1u);
  EXPECT_EQ(log->events[0].event_class, EventClass::evaluation);
  EXPECT_EQ(log->events[0].after_step, 10);
  EXPECT_EQ(*log->events[0].duration_s, 12.5);
  EXPECT_EQ(log->events[0].evidence.quote, "/log_history/1");
  ASSERT_EQ(log->facts.size(), 1u);
  EXPECT_EQ(log->facts[0].key, "training.micro_batch");
  EXPECT_EQ(log->facts[0].value, "4");
}

// 60 s over 30 steps at 8 samples/s: 2 s and 16 samples a step. One measurement, so one row has it.
TEST(HfTrainerState, GivesTheMeanOfTheRunToTheLastRow) {
  const auto log = read(kRun);
  ASSERT_TRUE(log);
  EXPECT_FALSE(log->steps[0].duration_s);
  EXPECT_FALSE(log->steps[1].duration_s);
  EXPECT_DOUBLE_EQ(*log->steps[2].duration_s, 2.0);
  EXPECT_DOUBLE_EQ(*log->steps[2].samples, 16.0);
  EXPECT_TRUE(log->claims.duration_is_mean);
}

TEST(HfTrainerState, ClaimsNothingFromZeroCounts) {
  const auto log = read(R"({"log_history": [{"loss": 1.5, "num_input_tokens_seen": 0, "step": 1}], "total_flos": 0.0})"
                        "\n");
  ASSERT_TRUE(log);
  ASSERT_EQ(log->steps.size(), 1u);
  EXPECT_FALSE(log->steps[0].tokens);
  EXPECT_FALSE(log->steps[0].claimed_mfu);
  EXPECT_FALSE(log->steps[0].claimed_tflops);
}

TEST(HfTrainerState, CountsEntriesWithoutAStep) {
  const auto log = read(R"({"log_history": [{"loss": 1.5, "step": 1}, {"loss": 1}, 3, {"loss": 2, "step": -4}]})");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->steps.size(), 1u);
  const auto found = std::find_if(log->defects.begin(), log->defects.end(),
                                  [](const Defect& defect) { return defect.message.id == "log.unreadable_step"; });
  ASSERT_NE(found, log->defects.end());
  EXPECT_EQ(found->count, 3);
}

TEST(HfTrainerState, LocatesWhatIsNoTrainerState) {
  for (const std::string_view text : {R"({"log_history": {"step": 1}})", R"({"a": {"log_history": []}})",
                                      R"({"log_history": [{"loss": 1, "step": 1}, )"}) {
    const auto log = read(text);
    ASSERT_FALSE(log) << text;
    EXPECT_EQ(log.error().place.file, "<memory>") << text;
    EXPECT_NE(log.error().found, "no training steps found") << text;
  }
}

}  // namespace
}  // namespace nameplate
