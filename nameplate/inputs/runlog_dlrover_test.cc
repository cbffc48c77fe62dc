#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

std::string line(std::string_view clock, std::string_view id, std::string_view event, std::string_view type,
                 std::string_view content) {
  return "[2025-04-05T" + std::string(clock) + "] [77] [" + std::string(id) + "] [AtorchTrainerV2] [" +
         std::string(event) + "] [" + std::string(type) + "] " + std::string(content) + "\n";
}

std::string step(std::string_view begin, std::string_view end, int index, int tokens) {
  const std::string id = "id" + std::to_string(index);
  return line(begin, id, "#step", "BEGIN",
              R"({"global_step": )" + std::to_string(index - 1) + R"(, "consumed_train_tokens": )" +
                  std::to_string(tokens) + "}") +
         line(end, id, "#step", "END",
              R"({"global_step": )" + std::to_string(index) + R"(, "consumed_train_tokens": )" +
                  std::to_string(tokens + 4096) + "}");
}

TEST(Dlrover, TimesStepsByTheirInterval) {
  const RunLog log =
      read_log(step("10:00:00.000", "10:00:04.500", 7, 0) + step("10:00:05.000", "10:00:08.000", 8, 4096));
  EXPECT_EQ(log.format, "dlrover");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 7);
  EXPECT_DOUBLE_EQ(*log.steps[0].duration_s, 4.5);
  EXPECT_EQ(*log.steps[0].tokens, 4096);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 3);
}

TEST(Dlrover, ReadsTheLogEntry) {
  const RunLog log =
      read_log(step("10:00:00.000", "10:00:04.000", 7, 0) +
               line("10:00:04.100", "x", "#log", "INSTANT",
                    R"({"global_step": 7, "logs": {"TFLOPS": 151.5, "global batch size": 64, "lm loss": 2.5}})") +
               line("10:00:04.200", "x", "#log", "INSTANT", R"({"global_step": 9, "logs": {"TFLOPS": 1}})"));
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(*log.steps[0].claimed_tflops, 151.5);
  EXPECT_EQ(*log.steps[0].samples, 64);
  EXPECT_EQ(*log.steps[0].loss, 2.5);
}

TEST(Dlrover, TellsSaves) {
  const RunLog log = read_log(step("10:00:00.000", "10:00:04.000", 7, 0) +
                              line("10:01:00.000", "s", "#save", "BEGIN", R"({"global_step": 20})") +
                              line("10:01:30.000", "s", "#save", "END", R"({"global_step": 20})"));
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].event_class, EventClass::checkpoint_save);
  EXPECT_EQ(log.events[0].after_step, 20);
  EXPECT_DOUBLE_EQ(*log.events[0].end_s - *log.events[0].begin_s, 30);
}

TEST(Dlrover, SurvivesDamage) {
  const std::string whole = step("10:00:00.000", "10:00:04.000", 7, 0);
  const RunLog log = read_log(
      whole + line("10:00:05.000", "a", "#step", "END", "{broken") + line("10:00:05.000", "a", "#step", "END", "{}") +
      line("10:00:06.000", "b", "#step", "END", R"({"global_step": 8})") + whole.substr(0, whole.size() - 9));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_FALSE(log.steps[1].duration_s);  // its begin is not in the log
  EXPECT_EQ(defects(log, "log.unreadable_json"), 2);
  EXPECT_EQ(defects(log, "log.unreadable_step"), 1);
}

}  // namespace
}  // namespace nameplate
