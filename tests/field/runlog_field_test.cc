// Real sample logs, read, against what was counted from them by hand (field_case.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "nameplate/core/statistics.h"
#include "nameplate/inputs/runlog.h"
#include "tests/field/field_case.h"

namespace nameplate {
namespace {

class RunlogField : public testing::TestWithParam<FieldCase> {};

std::optional<double> median_of(const RunLog& log, Maybe Step::*field) {
  std::vector<double> values;
  for (const Step& step : log.steps) {
    if (step.*field) values.push_back(*(step.*field));
  }
  return values.empty() ? std::nullopt : std::optional(median(values));
}

void expect_median(const FieldCase& field, const RunLog& log, std::string_view key, Maybe Step::*value) {
  const auto expected = field.number("expected." + std::string(key));
  const auto found = median_of(log, value);
  ASSERT_EQ(found.has_value(), expected.has_value()) << key;
  constexpr double kClock = 1e-8;  // differences of seconds since 1970 as doubles, a quarter of a microsecond apart
  if (expected) { EXPECT_NEAR(*found, *expected, kClock * *expected) << key; }
}

void expect_events(const FieldCase& field, const RunLog& log) {
  std::map<std::string, double> found;
  for (const Event& event : log.events) ++found[std::string(name(event.event_class))];
  std::map<std::string, double> expected;
  if (const Node* events = field.table("events")) {
    for (const auto& [key, count] : events->members) expected[key] = count.as_number().value_or(-1);
  }
  EXPECT_EQ(found, expected);
}

void expect_facts(const FieldCase& field, const RunLog& log) {
  const Node* facts = field.table("log_facts");
  if (facts == nullptr) return;
  for (const auto& [key, value] : facts->members) {
    const auto found = std::find_if(log.facts.begin(), log.facts.end(), [&](const LogFact& f) { return f.key == key; });
    ASSERT_NE(found, log.facts.end()) << key;
    EXPECT_EQ(found->value, value.as_string().value_or("")) << key;
  }
}

TEST_P(RunlogField, SaysWhatTheFileSays) {
  const FieldCase& field = GetParam();
  const std::string path = field.log_path().string();
  if (!file_exists(path)) GTEST_SKIP() << "no field data: " << path << " is not there (set NAMEPLATE_FIELD_DATA)";
  const Result<RunLog> log = read_runlog({path});
  ASSERT_TRUE(log.ok()) << render(log.error());
  EXPECT_EQ(log->format, field.text("expected.format"));
  ASSERT_FALSE(log->steps.empty());
  EXPECT_EQ(static_cast<double>(log->steps.size()), field.number("expected.rows"));
  EXPECT_EQ(log->steps.back().attempt + 1, field.number("expected.attempts"));
  EXPECT_EQ(static_cast<double>(log->steps.front().index), field.number("expected.first_index"));
  EXPECT_EQ(static_cast<double>(log->steps.back().index), field.number("expected.last_index"));
  EXPECT_EQ(static_cast<double>(log->ranks_seen), field.number("expected.ranks").value_or(0));
  double repeated = 0;
  for (const Defect& defect : log->defects) {
    if (defect.message.id == "log.repeated_step") repeated += static_cast<double>(defect.count);
  }
  EXPECT_EQ(repeated, field.number("expected.repeated_lines").value_or(0));
  expect_median(field, *log, "median_step_time_s", &Step::duration_s);
  expect_median(field, *log, "median_tflops", &Step::claimed_tflops);
  expect_median(field, *log, "median_mfu_ratio", &Step::claimed_mfu);
  expect_median(field, *log, "median_tokens_per_s", &Step::claimed_tokens_per_s);
  if (field.number("expected.median_loss")) expect_median(field, *log, "median_loss", &Step::loss);
  expect_events(field, *log);
  expect_facts(field, *log);
}

INSTANTIATE_TEST_SUITE_P(Samples, RunlogField, testing::ValuesIn(field_cases()), [](const auto& sample) {
  std::string name = sample.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace nameplate
